# What the mutations share. Each gets ORIGIN (a bare repository), REGISTRY (a URL), DATA (where the
# registry keeps its files) and WORK (an empty folder), and damages a good world in one way.
set -eu
umask 022
export GIT_DIR="$ORIGIN" GIT_INDEX_FILE="$WORK/index"
export GIT_AUTHOR_NAME=Mallory GIT_AUTHOR_EMAIL=m@example.org GIT_COMMITTER_NAME=Mallory GIT_COMMITTER_EMAIL=m@example.org
OWN=cozystack/cozystack
INSTALLER=packages/core/installer/values.yaml
MERGE=$(git rev-parse 'v1.6.2^{commit}')
PIN=$(git rev-parse "$MERGE^2") CONTENT=$(git rev-parse "$MERGE^2^")
TYPES='application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json'

# manifest NAME TAG: its bytes. tagged NAME TAG FILE: puts them under a tag.
manifest() { curl -sSf -H "Accept: $TYPES" "$REGISTRY/v2/$OWN/$1/manifests/$2"; }
tagged() {
  type=$(tr -d ' \n' <"$3" | sed -n 's/^{"schemaVersion":2,"mediaType":"\([^"]*\)".*/\1/p')
  curl -sSf -X PUT -H "Content-Type: $type" --data-binary "@$3" "$REGISTRY/v2/$OWN/$1/manifests/$2"
}
digest() { printf 'sha256:%s' "$(sha256sum <"$1" | cut -d' ' -f1)"; }
# pushed NAME FILE: a blob.
pushed() {
  to=$(curl -sSf -X POST -D - "$REGISTRY/v2/$OWN/$1/blobs/uploads/" | tr -d '\r' | sed -n 's/^[Ll]ocation: //p')
  curl -sSf -X PUT -H 'Content-Type: application/octet-stream' --data-binary "@$2" "$to&digest=$(digest "$2")"
}

# edited COMMIT PATH SED: the commit's tree with one file edited.
edited() {
  git read-tree "$1"
  mode=$(git ls-tree "$1" -- "$2" | cut -d' ' -f1)
  blob=$(git cat-file blob "$1:$2" | sed "$3" | git hash-object -w --stdin)
  git update-index --add --cacheinfo "$mode,$blob,$2"
  git write-tree
}
# again COMMIT TREE PARENT…: the commit once more, with another tree and other parents.
again() {
  message=$(git log -1 --format=%B "$1") tree=$2
  shift 2
  parents=
  for parent; do parents="$parents -p $parent"; done
  # shellcheck disable=SC2086
  printf '%s\n' "$message" | git commit-tree "$tree" $parents
}
# released CONTENT PIN MERGE-TREE: makes every public name of git name a merge of these.
released() {
  merge=$(again "$MERGE" "$3" "$MERGE^1" "$2")
  git for-each-ref --format='%(refname) %(objectname)' refs/heads | while read -r name id; do
    [ "$id" = "$MERGE" ] && git update-ref "$name" "$merge"
    [ "$id" = "$PIN" ] && git update-ref "$name" "$2"
    true
  done
  git tag -f -a -m v1.6.2 v1.6.2 "$merge" >&2
  git tag -f -a -m module api/apps/v1alpha1/v1.6.2 "$merge" >&2
}
# slipped PATH SED: a file of the content was edited, and all that follows from it.
slipped() {
  content=$(again "$CONTENT" "$(edited "$CONTENT" "$1" "$2")" "$CONTENT^1")
  pin=$(again "$PIN" "$(edited "$PIN" "$1" "$2")" "$content")
  released "$content" "$pin" "$(edited "$MERGE" "$1" "$2")"
}

# unpacked: the released artifact's files, in $WORK/files.
unpacked() {
  manifest cozystack-packages v1.6.2 >"$WORK/manifest"
  layer=$(sed -n 's/.*flux\.content[^}]*"digest":"\([^"]*\)".*/\1/p' "$WORK/manifest")
  mkdir "$WORK/files"
  curl -sSfL "$REGISTRY/v2/$OWN/cozystack-packages/blobs/$layer" | tar -xzpf - -C "$WORK/files"
}
# repacked: $WORK/files is the artifact, under its names, and the one that the installer pins.
repacked() {
  tar --sort=name --owner=0 --group=0 --mtime=@0 -cf "$WORK/tar" -C "$WORK/files" .
  gzip -nc "$WORK/tar" >"$WORK/layer"
  printf '{"architecture":"","os":"","rootfs":{"type":"layers","diff_ids":["%s"]},"config":{}}' "$(digest "$WORK/tar")" >"$WORK/config"
  pushed cozystack-packages "$WORK/layer"
  pushed cozystack-packages "$WORK/config"
  part() { printf '{"mediaType":"application/vnd.cncf.flux.%s","size":%s,"digest":"%s"}' "$1" "$(wc -c <"$2" | tr -d ' ')" "$(digest "$2")"; }
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s,"layers":[%s]}' \
    "$(part config.v1+json "$WORK/config")" "$(part content.v1.tar+gzip "$WORK/layer")" >"$WORK/manifest"
  tagged cozystack-packages v1.6.2 "$WORK/manifest"
  tagged cozystack-packages latest "$WORK/manifest"
  repin="s/digest=sha256:[0-9a-f]*/digest=$(digest "$WORK/manifest")/"
  pin=$(again "$PIN" "$(edited "$PIN" $INSTALLER "$repin")" "$CONTENT")
  released "$CONTENT" "$pin" "$(edited "$MERGE" $INSTALLER "$repin")"
}
