# A name appeared that is nobody's.
# FAIL nothing else appeared, moved or went
. "${0%/*}/lib.sh"
manifest kamaji v1.6.2 >"$WORK/index"
tagged kamaji v1.6.3 "$WORK/index"
