#!/bin/sh
# Starts pjrt-conformance with the Node.js beside it.
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self")
here=${self%/*}
# How reports say to start it again; words end at spaces.
case $0 in *' '*) started=pjrt-conformance ;; *) started=$0 ;; esac
PJRT_CONFORMANCE_COMMAND=${PJRT_CONFORMANCE_COMMAND:-$started}
export PJRT_CONFORMANCE_COMMAND
exec "$here/node/node" "$here/package/dist/cli/main.js" "$@"
