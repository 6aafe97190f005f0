# The release is a lightweight tag.
# FAIL git tag v1.6.2 is annotated
. "${0%/*}/lib.sh"
git update-ref refs/tags/v1.6.2 "$MERGE"
