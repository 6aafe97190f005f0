# The artifact holds a file that the merge doesn't.
# FAIL the artifact lists the merge's files, modes included
. "${0%/*}/lib.sh"
unpacked
echo extra >"$WORK/files/core/platform/extra.yaml"
repacked
