# Somebody else's image, tagged alike, was rewritten too.
# FAIL the content is the candidate with exactly its own tags rewritten
. "${0%/*}/lib.sh"
slipped packages/apps/postgres/values.yaml 's/\(quay.io.*\)v1.6.2-rc.1/\1v1.6.2/'
