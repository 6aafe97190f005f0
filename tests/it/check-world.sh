#!/bin/sh
# Judges the world after a promotion of pipelines/cozystack.yaml, with nothing of sealift's: git,
# curl, tar, gzip, sha256sum and the POSIX tools. One line a check; 1 if any of them fails.
#
#   check-world.sh --list ORIGIN REGISTRY_URL              every ref and tag there is, before
#   check-world.sh ORIGIN REGISTRY_URL vX.Y.Z-rc.N LIST    the judgement, after
set -u
LC_ALL=C; export LC_ALL
umask 022

# The names of the pipeline, written down a second time.
HOST=ghcr.io OWNED=ghcr.io/cozystack/cozystack PREFIX=v1.30-
ARTIFACT=$OWNED/cozystack-packages CHART=$OWNED/cozy-installer
ROOT=packages INSTALLER=packages/core/installer/values.yaml CHART_PATH=packages/core/installer
MODULES=api/apps/v1alpha1/ ALLOWED=docs/changelogs/
TEXT=packages/system/multus/templates/multus-daemonset-thick.yml
COPY=packages/system/capi-providers-cpprovider/files/components.gz
PLAIN=packages/system/capi-providers-cpprovider/files/control-plane-components.yaml

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
failed=0
ok() { printf 'ok   %s\n' "$*"; }
fail() { printf 'FAIL %s\n' "$*"; failed=1; }
# judge NAME COMMAND…: the check holds when the command says yes.
judge() { name=$1; shift; if "$@"; then ok "$name"; else fail "$name"; fi }
equal() { # equal NAME WANTED FOUND
  if [ "$2" = "$3" ] && [ -n "$3" ]; then ok "$1"; else fail "$1: expected ${2:-something}, found ${3:-nothing}"; fi
}
same() { # same NAME WANTED-FILE FOUND-FILE
  if diff "$2" "$3" >"$tmp/difference"; then ok "$1"
  else fail "$1"; sed -n 's/^\([<>]\)/     \1/p' "$tmp/difference" | head -n 8; fi
}
git() { command git -C "$tmp/git" "$@"; }
sha() { sha256sum | cut -d' ' -f1; }

INDEX=application/vnd.oci.image.index.v1+json MANIFEST=application/vnd.oci.image.manifest.v1+json
DOCKER=application/vnd.docker.distribution.manifest
TYPES="$INDEX, $MANIFEST, $DOCKER.list.v2+json, $DOCKER.v2+json"
# manifest REPOSITORY TAG-OR-DIGEST: its bytes
manifest() { curl -sSf -H "Accept: $TYPES" "$registry/v2/${1#"$HOST"/}/manifests/$2"; }
blob() { curl -sSfL "$registry/v2/${1#"$HOST"/}/blobs/$2"; }
words() { tr -d ' \n' | tr '[],' '\n\n\n' | sed -n 's/^"\(.*\)"$/\1/p'; }

# Every ref of the origin but those that a host makes itself for pull requests, and every tag of the registry with the digest of the bytes it names.
list() {
  git for-each-ref --format='ref %(refname) %(objectname) %(*objectname)' | sed '/^ref refs\/pull\//d; s/ $//'
  curl -sSf "$registry/v2/_catalog?n=1000" >"$tmp/all" || return 1
  sed "s|.*\"repositories\":||" "$tmp/all" | words >"$tmp/catalog"
  [ -s "$tmp/catalog" ] && [ "$(wc -l <"$tmp/catalog")" -lt 1000 ] || { echo "the catalog is empty or cut" >&2; return 1; }
  sed "s|.*|url = \"$registry/v2/&/tags/list\"|" "$tmp/catalog" >"$tmp/urls"
  # One a line: {"name":"cozystack/x","tags":["a","b"]}; a repository of untagged manifests has none.
  curl -sS -K "$tmp/urls" | sed -n 's/[" ]//g; s/^{name:\([^,]*\),tags:\[\(.*\)\]}$/\1 \2/p' |
    awk '{ n = split($2, tag, ","); for (i = 1; i <= n; i++) print $1, tag[i] }' >"$tmp/tags"
  mkdir "$tmp/named" || return 1
  awk -v registry="$registry" -v dir="$tmp/named" '{
    printf "url = \"%s/v2/%s/manifests/%s\"\noutput = \"%s/%d\"\n", registry, $1, $2, dir, NR }' "$tmp/tags" >"$tmp/urls"
  curl -sSf --fail-early -H "Accept: $TYPES" -K "$tmp/urls" || return 1
  (cd "$tmp/named" && sha256sum ./*) |
    awk -v host="$HOST" 'NR == FNR { digest[substr($2, 3)] = $1; next } { print "tag", host "/" $1, $2, "sha256:" digest[FNR] }' - "$tmp/tags"
}

only_list=no
[ "${1:-}" = --list ] && { only_list=yes; shift; }
case $only_list$# in yes2 | no4) ;; *) sed -n 's/^# \{0,1\}//; 5,6p' "$0" >&2; exit 2 ;; esac
registry=$2
command git clone --quiet --mirror "$1" "$tmp/git" || exit 1
list >"$tmp/after" || exit 1
[ $only_list = yes ] && { cat "$tmp/after"; exit; }
rc=$3 before=$4
stable=${rc%-rc.*} line=release-$(printf %s "${rc#v}" | cut -d. -f1,2)
staging=release-${stable#v}
quoted=$(printf %s "$rc" | sed 's/\./\\./g')
tag_of() { awk -v r="$1" -v t="$2" '$1 == "tag" && $2 == r && $3 == t { print $4 }' "$tmp/after"; }

# Reads references line by line. mode=list prints REPOSITORY TAG DIGEST of each, with `-` for what
# isn't there, and `unclaimed` lines for a digest that nothing names; mode=rewrite prints the text
# with the candidate's own tags made stable.
cat >"$tmp/refs.awk" <<'AWK'
function clean(v) { sub(/[ \t]+#.*/, "", v); gsub(/["'\r]/, "", v); sub(/[ \t]+$/, "", v); return v }
function owned(r) { return index(r, own "/") == 1 && r != artifact }
function version_line(t) { return t == rc || t == prefix rc }
function emit(r, t, d) { if (mode == "list") print (r == "" ? "-" : r), (t == "" ? "-" : t), (d == "" ? "-" : d) }
# The map that a line belongs to: its indent, counted anew after every line further out.
function place(s,   i) {
  match(s, /^[ ]*(- )?[ ]*/); indent = RLENGTH
  for (i in count) if (i + 0 > indent) count[i]++
  for (i in above) if (i + 0 > indent) delete above[i]
  if (!(indent in count)) count[indent] = 0
  s = substr(s, indent + 1); key = value = ""
  if (match(s, /^[A-Za-z0-9_.-]+:([ \t]|$)/)) {
    key = substr(s, 1, RLENGTH); sub(/:[ \t]*$/, "", key); value = clean(substr(s, RLENGTH + 1))
    above[indent] = key
  }
  map = indent ":" count[indent]
}
function parents(   i, best, next_best) {
  best = next_best = -1
  for (i in above) if (i + 0 < indent && i + 0 > best) best = i + 0
  for (i in above) if (i + 0 < best && i + 0 > next_best) next_best = i + 0
  return (next_best < 0 ? "" : above[next_best]) "." (best < 0 ? "" : above[best])
}
function reset(   i) { for (i in count) delete count[i]; for (i in above) delete above[i] }
function repository(m,   r) {
  r = (m in repo) ? repo[m] : ((m in image) ? image[m] : "")
  if (r == "") return ""
  if (m in reg && reg[m] != "") return reg[m] "/" r
  if (m in global && address != "") return address "/" r
  return r
}
function swap(s, old, new,   i) { i = index(s, old); return substr(s, 1, i - 1) new substr(s, i + length(old)) }
function stably(t) { return (t == prefix rc ? prefix : "") stable }
FNR == 1 { reset() }
yaml && /^[ \t]*#/ { if (NR != FNR && mode == "rewrite") print; next }
yaml { place($0) }
NR == FNR {
  if (!yaml) next
  if (key == "repository") { repo[map] = value; if (parents() ~ /^images\./) global[map] = 1 }
  if (key == "image") image[map] = value
  if (key == "registry") reg[map] = value
  if (key == "digest") dig[map] = value
  if (key == "address" && parents() == "global.registry") address = value
  next
}
{
  text = $0; claimed = 0; digests = gsub(/sha256:/, "&", text)
  # References spelled in one piece, wherever they stand.
  rest = $0; out = ""
  while (match(rest, /[A-Za-z0-9._:\/-]+\/[A-Za-z0-9._\/-]+:[A-Za-z0-9_.-]+(@sha256:[0-9a-f]+)?/)) {
    out = out substr(rest, 1, RSTART - 1); found = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
    split(found, at, "@"); r = t = at[1]; sub(/:[^:\/]*$/, "", r); sub(/.*:/, "", t)
    if (at[2] != "") { emit(r, t, at[2]); claimed++ }
    if (owned(r) && version_line(t)) found = swap(found, ":" t, ":" stably(t))
    out = out found
  }
  text = out rest
  if (yaml && value ~ /^\{.*tag:/) {
    n = split(substr(value, 2, length(value) - 2), field, /,[ ]*/); flow_reg = r = t = ""
    for (i = 1; i <= n; i++) {
      k = v = field[i]; sub(/:[ ]*.*/, "", k); sub(/^[^:]*:[ ]*/, "", v); sub(/^[ ]+/, "", k)
      if (k == "registry") flow_reg = v "/"
      if (k == "repository") r = v
      if (k == "tag") t = v
    }
    split(t, at, "@"); emit(flow_reg r, at[1], at[2]); claimed++
    if (owned(flow_reg r) && version_line(at[1])) text = swap(text, at[1], stably(at[1]))
  } else if (yaml && key == "tag" && value != "") {
    split(value, at, "@"); r = repository(map); d = at[2]
    if (d != "") claimed++
    else if (map in dig) d = dig[map]
    if (r != "" || d != "") emit(r, at[1], d)
    if (owned(r) && version_line(at[1])) text = swap(text, at[1], stably(at[1]))
  } else if (yaml && key == "digest" && (repository(map) != "")) claimed++
  else if (yaml && value ~ /^digest=sha256:[0-9a-f]+$/) claimed++
  if (mode == "rewrite") print text
  else if (digests > claimed) print "unclaimed " FILENAME ":" FNR
}
AWK
# references MODE COMMIT PATH: of one file, a gzip copy looked into.
references() {
  mkdir -p "$tmp/read"
  case $3 in *.gz) git show "$2:$3" | gzip -dc ;; *) git show "$2:$3" ;; esac >"$tmp/read/file"
  case $3 in */values.yaml) yaml=1 ;; *) yaml=0 ;; esac
  awk -v mode="$1" -v yaml=$yaml -v own="$OWNED" -v artifact="$ARTIFACT" -v rc="$rc" -v stable="$stable" \
    -v prefix="$PREFIX" -f "$tmp/refs.awk" "$tmp/read/file" "$tmp/read/file" | sed "s|$tmp/read/file|$3|"
}
# enumerated COMMIT TEXT: the files that pin images, those with a text in them and the gzip copy.
enumerated() {
  { git grep -l -a -F -e "$2" "$1" -- $ROOT | sed 's/^[^:]*://'; git ls-tree -r --name-only "$1" -- $COPY; } |
    grep -E -x "$ROOT/[^/]+/[^/]+/(values\.yaml|images/[^/]+\.tag)|$TEXT|$PLAIN|$COPY"
}

# --- git -------------------------------------------------------------------------------------
rc_commit=$(git rev-parse --verify -q "refs/heads/release-${rc#v}")
equal "git tag $stable is annotated" tag "$(git cat-file -t "refs/tags/$stable" 2>/dev/null)"
merge=$(git rev-parse --verify -q "refs/tags/$stable^{commit}") || { fail "git tag $stable names no commit"; exit 1; }
# The staging head is the merge's second parent; on a fast-forward, the merge itself.
head=$(git rev-parse --verify -q "$merge^2" || echo "$merge")
content=$(git rev-list --first-parent --reverse "$rc_commit..$head" 2>/dev/null | head -n 1)
trailer() { git log -1 --format="%(trailers:key=$1,valueonly)" "$content" | sed '/^$/d'; }
[ -n "$content" ] || { fail "no commit on top of the candidate leads to $stable"; exit 1; }
pin=$(git rev-list --reverse "$content..$head" -- $INSTALLER | head -n 1)
[ -n "$pin" ] || { fail "no commit of the staging branch pins the installer"; exit 1; }
base=$(trailer Sealift-Base); base=${base#refs/heads/}
equal "content commit is on the candidate's commit" "$rc_commit" "$(git rev-parse "$content^@")"
equal "content commit names the candidate" "$rc" "v$(trailer Sealift-Rc | sed 's/^v//')"
equal "content commit names the candidate's commit" "$rc_commit" "$(trailer Sealift-Rc-Commit)"
equal "content commit names the pipeline" cozystack "$(trailer Sealift-Pipeline)"
equal "content commit names the candidate's artifact" "$(tag_of $ARTIFACT "$rc")" "$(trailer Sealift-Rc-Artifact)"
equal "pin commit is on the content commit" "$content" "$(git rev-parse "$pin^@")"
first_parents() { git rev-list --first-parent "refs/heads/$1" 2>/dev/null | grep -q -x "$2"; }
judge "the merge is on $base" first_parents "$base" "$merge"
judge "line $line contains the merge" git merge-base --is-ancestor "$merge" "refs/heads/$line"
for module in $MODULES; do
  equal "module tag $module$stable is at the merge" "$merge" "$(git rev-parse -q --verify "refs/tags/$module$stable^{commit}")"
done
outside() { ! git diff-tree -r --name-only "$1" "$2" | grep -v -e "^$ALLOWED" ${3:+-e} ${3:+"^$3"} >"$tmp/outside"; }
judge "outside $ROOT and $ALLOWED the merge is what was tested" outside "$rc_commit" "$merge" $ROOT/
equal "the merge holds the pinned packages" "$(git rev-parse "$pin:$ROOT")" "$(git rev-parse "$merge:$ROOT")"

# --- the content tree: only the candidate's own tags, and all of them ----------------------------
enumerated "$rc_commit" "$rc" >"$tmp/files"
git diff-tree -r --no-renames --raw "$rc_commit" "$content" | sort -k 6 >"$tmp/changed"
: >"$tmp/wanted"
while read -r path; do
  references rewrite "$rc_commit" "$path" >"$tmp/new"
  [ -s "$tmp/read/file" ] && [ -n "$(tail -c 1 "$tmp/read/file")" ] && printf %s "$(cat "$tmp/new")" >"$tmp/cut" && mv "$tmp/cut" "$tmp/new"
  cmp -s "$tmp/read/file" "$tmp/new" && continue
  printf '%s %s\n' "$path" "$(sha <"$tmp/new")" >>"$tmp/wanted"
done <"$tmp/files"
awk '{ sub(/^:/, ""); if ($1 != $2) print $6, "has another mode"; print $6 }' "$tmp/changed" | sed 's/^.*\t//' |
  while read -r path; do
    case $path in *.gz) git show "$content:$path" | gzip -dc ;; *) git show "$content:$path" ;; esac 2>/dev/null |
      sha | sed "s|^|$path |"
  done >"$tmp/found"
judge "the candidate has tags to rewrite" test -s "$tmp/wanted"
sort -o "$tmp/wanted" "$tmp/wanted"; sort -o "$tmp/found" "$tmp/found"
same "the content is the candidate with exactly its own tags rewritten" "$tmp/wanted" "$tmp/found"
equal "no mode changed" 0 "$(awk 'substr($1, 2) != $2' "$tmp/changed" | wc -l | tr -d ' ')"

# --- the pin -------------------------------------------------------------------------------------
equal "the pin touches the installer alone" $INSTALLER "$(git diff-tree -r --name-only "$content" "$pin")"
artifact=$(git show "$merge:$INSTALLER" | sed -n "s/.*digest=\(sha256:[0-9a-f]*\).*/\1/p")
rc_artifact=$(trailer Sealift-Rc-Artifact)
git show "$content:$INSTALLER" | sed "s/digest=sha256:[0-9a-f]*/digest=$artifact/" >"$tmp/wanted"
git show "$merge:$INSTALLER" >"$tmp/found"
same "the pin changes one digest" "$tmp/wanted" "$tmp/found"
git show "$content:$INSTALLER" | sed -n "s/.*digest=\(sha256:[0-9a-f]*\).*/\1/p" >"$tmp/pinned"
equal "the content still pins the candidate's artifact" "$(git show "$rc_commit:$INSTALLER" | sed -n "s/.*digest=\(sha256:[0-9a-f]*\).*/\1/p")" "$(cat "$tmp/pinned")"
judge "the installer names $ARTIFACT" grep -q "oci://$ARTIFACT'*\"*\$" "$tmp/found"

# --- the artifact --------------------------------------------------------------------------------
equal "artifact $stable is the pinned one" "$artifact" "$(tag_of $ARTIFACT "$stable")"
manifest $ARTIFACT "$artifact" >"$tmp/manifest"
equal "artifact manifest has its digest" "$artifact" "sha256:$(sha <"$tmp/manifest")"
part() { sed -n "s/.*\"mediaType\":\"[^\"]*$2[^\"]*\",\"size\":\([0-9]*\),\"digest\":\"\(sha256:[0-9a-f]*\)\".*/\\$3/p" "$1"; }
annotation() { sed -n "s/.*\"org\.opencontainers\.image\.$1\":\"\([^\"]*\)\".*/\1/p" "$tmp/manifest"; }
equal "artifact has no date of its own" 1970-01-01T00:00:00Z "$(annotation created)"
equal "artifact says what it was made of" "$stable@sha1:$content" "$(annotation revision)"
config=$(part "$tmp/manifest" flux.config 2) layer=$(part "$tmp/manifest" flux.content 2)
blob $ARTIFACT "$layer" >"$tmp/layer"
equal "artifact layer has its digest" "$layer" "sha256:$(sha <"$tmp/layer")"
equal "artifact layer has its size" "$(part "$tmp/manifest" flux.content 1)" "$(wc -c <"$tmp/layer" | tr -d ' ')"
blob $ARTIFACT "$config" >"$tmp/config"
equal "artifact config has its digest" "$config" "sha256:$(sha <"$tmp/config")"
gzip -dc "$tmp/layer" >"$tmp/tar"
equal "artifact tar has its diff id" "$(sed -n 's/.*"diff_ids":\["\([^"]*\)"\].*/\1/p' "$tmp/config")" "sha256:$(sha <"$tmp/tar")"
mkdir "$tmp/files.d"
tar -xpf "$tmp/tar" -C "$tmp/files.d"
# Flux leaves out links and what its default ignore list names.
git ls-tree -r "$merge:$ROOT" | awk '$1 == "100644" || $1 == "100755"' |
  awk -F'\t' '{ split($1, field, " "); n = split($2, part, "/"); keep = 1
    for (i = 1; i <= n; i++) if (part[i] ~ /\.(jpg|jpeg|gif|png|wmv|flv|tar\.gz|zip)$/ || part[i] ~ /^\.git(ignore|modules|attributes)$/) keep = 0
    if (keep) print field[1], $2 }' | sort -k 2 >"$tmp/wanted"
(cd "$tmp/files.d" && find . -type f ! -perm -100 | sed 's|^\./|100644 |'; cd "$tmp/files.d" && find . -type f -perm -100 | sed 's|^\./|100755 |') |
  sort -k 2 >"$tmp/found"
same "the artifact lists the merge's files, modes included" "$tmp/wanted" "$tmp/found"
equal "the artifact names no file twice" "$(wc -l <"$tmp/found" | tr -d ' ')" "$(tar -tvf "$tmp/tar" | grep -c '^-')"
equal "the artifact holds files and directories alone" 0 "$(tar -tvf "$tmp/tar" | grep -c -v '^[-d]')"
pinning=$tmp/files.d/${INSTALLER#"$ROOT"/}
sed "s/digest=$rc_artifact/digest=$artifact/" "$pinning" >"$tmp/pinned" && cat "$tmp/pinned" >"$pinning"
cut -d' ' -f2- "$tmp/wanted" >"$tmp/paths"
git ls-tree -r "$merge:$ROOT" | awk -F'\t' 'NR == FNR { want[$0] = 1; next } $2 in want { split($1, f, " "); print f[3], $2 }' "$tmp/paths" - |
  sort >"$tmp/wanted"
(cd "$tmp/files.d" && command git hash-object --no-filters --stdin-paths <"$tmp/paths" 2>/dev/null) | paste -d' ' - "$tmp/paths" | sort >"$tmp/found"
same "the artifact's bytes are the merge's, but for the pin" "$tmp/wanted" "$tmp/found"

# --- images --------------------------------------------------------------------------------------
# References inside a copy are no further images.
enumerated "$merge" sha256: | grep -v -x "$COPY" | while read -r path; do
  references list "$merge" "$path"
done >"$tmp/references"
grep '^unclaimed' "$tmp/references" >"$tmp/unclaimed"
same "every digest in the tree is read" /dev/null "$tmp/unclaimed"
AWK_OWNED='$1 != "unclaimed" && index($1, own "/") == 1 && $1 != artifact'
awk -v own=$OWNED -v artifact=$ARTIFACT -v stable="$stable" -v prefix=$PREFIX "$AWK_OWNED"' {
  print $1, ($2 == prefix stable ? $2 : stable), $3 }' "$tmp/references" | sort -u >"$tmp/images"
judge "the tree has owned images" test -s "$tmp/images"
equal "every owned image is pinned by digest" 0 "$(awk '$3 !~ /^sha256:/' "$tmp/images" | wc -l | tr -d ' ')"
awk -v own=$OWNED -v artifact=$ARTIFACT "$AWK_OWNED"' { print $2 }' "$tmp/references" | grep -c -E "^($PREFIX)?$quoted\$" >"$tmp/left"
git grep -n -I -E "$OWNED/[^ :@]+:($PREFIX)?$quoted([^0-9A-Za-z._-]|\$)" "$merge" -- $ROOT ":!$ROOT/**/charts/**" ":!*.md" >>"$tmp/left"
equal "no image of $rc is left" 0 "$(cat "$tmp/left")"
while read -r repository tag digest; do
  equal "image $repository:$tag" "$digest" "$(tag_of "$repository" "$tag")"
done <"$tmp/images"

# --- the chart -----------------------------------------------------------------------------------
version=${stable#v}
manifest $CHART "$version" >"$tmp/chart" && layer=$(part "$tmp/chart" helm.chart.content 2)
[ -n "$layer" ] || layer=$(sed -n 's/.*helm\.chart\.content[^}]*"digest":"\(sha256:[0-9a-f]*\)".*/\1/p' "$tmp/chart")
blob $CHART "$layer" >"$tmp/chart.tgz"
equal "chart layer has its digest" "$layer" "sha256:$(sha <"$tmp/chart.tgz")"
mkdir "$tmp/chart.d"
gzip -dc "$tmp/chart.tgz" | tar -xf - -C "$tmp/chart.d"
chart=$(find "$tmp/chart.d" -mindepth 1 -maxdepth 1)
field() { sed -n "s/^$1:[ ]*[\"']*\([^\"' ]*\).*/\1/p" "$chart/Chart.yaml"; }
equal "chart version" "$version" "$(field version)"
equal "chart appVersion" "$stable" "v$(field appVersion | sed 's/^v//')"
equal "chart name" cozy-installer "$(field name)"
git show "$merge:$INSTALLER" | sed "s/^\( *platformVersion:\).*/\1 $stable/" >"$tmp/wanted"
sed "s/^\( *platformVersion: \)[\"']*\([^\"']*\)[\"']*/\1\2/" "$chart/values.yaml" >"$tmp/found"
same "chart values are the merge's with the version stamped" "$tmp/wanted" "$tmp/found"
# Every other file is the merge's, and .helmignore keeps files out only.
(cd "$chart" && find . -type f | sed 's|^\./||' | grep -v -x -e Chart.yaml -e values.yaml) | sort |
  while read -r path; do
    printf '%s %s\n' "$path" "$(git show "$merge:$CHART_PATH/$path" 2>/dev/null | cmp -s - "$chart/$path" && echo same || echo other)"
  done >"$tmp/found"
equal "chart files are the merge's" 0 "$(grep -c ' other$' "$tmp/found")"
judge "chart has its templates" grep -q '^templates/' "$tmp/found"

# --- aliases, and nothing else --------------------------------------------------------------------
highest=$(git for-each-ref --format='%(refname:short)' refs/tags | grep -E -x 'v[0-9]+\.[0-9]+\.[0-9]+' |
  sed 's/^v//' | sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1)
: >"$tmp/aliases"
# Of this release only what it promoted counts: a stranger's tag of that name is no source.
{
  awk -v own="$stable" -v highest="v$highest" 'own != highest { print $1, highest } own == highest && $2 == own { print $1, $2 }' "$tmp/images"
  echo "$ARTIFACT v$highest"
} | sort -u >"$tmp/follow"
echo "$CHART $highest" >>"$tmp/follow"
while read -r repository source; do
  digest=$(tag_of "$repository" "$source")
  [ -n "$digest" ] || continue # nothing to copy there: the alias stays
  equal "alias $repository:latest" "$digest" "$(tag_of "$repository" latest)"
  echo "tag $repository latest" >>"$tmp/aliases"
done <"$tmp/follow"

{
  while read -r repository tag _; do echo "tag $repository $tag"; done <"$tmp/images"
  echo "tag $ARTIFACT $stable"; echo "tag $CHART $version"; cat "$tmp/aliases"
  echo "ref refs/tags/$stable"; echo "ref refs/heads/$line"; echo "ref refs/heads/$staging"; echo "ref refs/heads/$base"
  echo "ref refs/sealift/$stable"
  for module in $MODULES; do echo "ref refs/tags/$module$stable"; done
  twelve=$(printf %s "${artifact#sha256:}" | cut -c 1-12)
  echo "tag $ARTIFACT promotion-$stable-from-$rc-$twelve"
} | sort -u >"$tmp/may"
# A line of the lists is `ref NAME ID…` or `tag REPOSITORY TAG DIGEST`.
awk -v may="$tmp/may" 'BEGIN { while ((getline name < may) > 0) ours[name] = 1 }
  { name = ($1 == "tag") ? $1 " " $2 " " $3 : $1 " " $2 } !(name in ours)' "$tmp/after" | sort >"$tmp/found"
awk -v may="$tmp/may" 'BEGIN { while ((getline name < may) > 0) ours[name] = 1 }
  { name = ($1 == "tag") ? $1 " " $2 " " $3 : $1 " " $2 } !(name in ours)' "$before" | sort >"$tmp/wanted"
same "nothing else appeared, moved or went" "$tmp/wanted" "$tmp/found"
exit $failed
