# The module's tag is at the candidate.
# FAIL module tag api/apps/v1alpha1/v1.6.2 is at the merge
. "${0%/*}/lib.sh"
git tag -f -a -m module api/apps/v1alpha1/v1.6.2 "$CONTENT^1"
