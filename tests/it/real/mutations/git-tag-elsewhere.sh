# The release's tag is at the staging branch and not at the merge.
# FAIL the merge is on
. "${0%/*}/lib.sh"
git tag -f -a -m v1.6.2 v1.6.2 "$PIN"
