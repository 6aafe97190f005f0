# An image never got its stable tag.
# FAIL image ghcr.io/cozystack/cozystack/platform-migrations:v1.6.2
. "${0%/*}/lib.sh"
rm -r "$DATA/docker/registry/v2/repositories/$OWN/platform-migrations/_manifests/tags/v1.6.2"
