# An image was exchanged for another one on the way.
# FAIL the content is the candidate with exactly its own tags rewritten
. "${0%/*}/lib.sh"
slipped packages/core/platform/values.yaml 's/sha256:......../sha256:00000000/'
