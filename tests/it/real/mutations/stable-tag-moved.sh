# An image's stable tag names another image.
# FAIL image ghcr.io/cozystack/cozystack/cozystack-operator:v1.6.2
. "${0%/*}/lib.sh"
# What an index names must be in the repository: one of its own images will do.
child=$(manifest cozystack-operator v1.6.2 | tr ',' '\n' | sed -n 's/.*"digest":"\(sha256:[0-9a-f]*\)".*/\1/p' | head -n 1)
manifest cozystack-operator "$child" >"$WORK/other"
tagged cozystack-operator v1.6.2 "$WORK/other"
