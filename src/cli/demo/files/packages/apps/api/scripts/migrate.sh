#!/bin/sh
# Executable, and so it stays in the artifact.
exec /usr/bin/api migrate "$@"
