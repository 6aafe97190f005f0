# An alias names something older.
# FAIL alias ghcr.io/cozystack/cozystack/kamaji:latest
. "${0%/*}/lib.sh"
child=$(manifest kamaji v1.6.2 | tr ',' '\n' | sed -n 's/.*"digest":"\(sha256:[0-9a-f]*\)".*/\1/p' | head -n 1)
manifest kamaji "$child" >"$WORK/older"
tagged kamaji latest "$WORK/older"
