# The chart reports another version than it installs.
# FAIL chart values are the merge's with the version stamped
. "${0%/*}/lib.sh"
manifest cozy-installer 1.6.2 >"$WORK/chart"
layer=$(sed -n 's/.*helm\.chart\.content[^}]*"digest":"\([^"]*\)".*/\1/p' "$WORK/chart")
mkdir "$WORK/files"
curl -sSfL "$REGISTRY/v2/$OWN/cozy-installer/blobs/$layer" | tar -xzf - -C "$WORK/files"
sed -i 's/\(platformVersion:\).*/\1 "v1.6.1"/' "$WORK/files/cozy-installer/values.yaml"
tar --sort=name --mtime=@0 -czf "$WORK/layer" -C "$WORK/files" cozy-installer
pushed cozy-installer "$WORK/layer"
size=$(wc -c <"$WORK/layer" | tr -d ' ')
old=$(curl -sSfL "$REGISTRY/v2/$OWN/cozy-installer/blobs/$layer" | wc -c | tr -d ' ')
sed "s/$layer/$(digest "$WORK/layer")/; s/\"size\":$old\b/\"size\":$size/" "$WORK/chart" >"$WORK/manifest"
tagged cozy-installer 1.6.2 "$WORK/manifest"
tagged cozy-installer latest "$WORK/manifest"
