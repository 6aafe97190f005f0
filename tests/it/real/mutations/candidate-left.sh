# One image still reads as the candidate.
# FAIL no image of v1.6.2-rc.1 is left
. "${0%/*}/lib.sh"
slipped packages/system/cilium/values.yaml 's/tag: v1.6.2$/tag: v1.6.2-rc.1/'
