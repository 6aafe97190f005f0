# The maintenance line doesn't have the merge.
# FAIL line release-1.6 contains the merge
. "${0%/*}/lib.sh"
git update-ref refs/heads/release-1.6 "$MERGE^1"
