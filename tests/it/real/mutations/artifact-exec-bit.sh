# A script in the artifact lost its executable bit.
# FAIL the artifact lists the merge's files, modes included
. "${0%/*}/lib.sh"
unpacked
chmod 0644 "$WORK/files/system/multus/hack/check.sh"
repacked
