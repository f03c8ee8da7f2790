# Exits, and leaves children that hold its stdout: one of them ignores TERM and has removed its marker.
trap 'is_deaf=yes' USR1
sleep "$1" &
env -i /bin/sh -c 'trap "" TERM; kill -USR1 "$2"; sleep "$1"' sh "$1" "$$" &
while [ -z "$is_deaf" ]; do sleep 0.02; done
echo left
exit "${2:-0}"
