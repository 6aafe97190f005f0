# The content commit names another candidate's artifact.
# FAIL content commit names the candidate's artifact
. "${0%/*}/lib.sh"
git cat-file commit "$CONTENT" | sed 's/^Sealift-Rc-Artifact: sha256:....../Sealift-Rc-Artifact: sha256:000000/' >"$WORK/content"
content=$(git hash-object -t commit -w "$WORK/content")
released "$content" "$(again "$PIN" "$PIN^{tree}" "$content")" "$MERGE^{tree}"
