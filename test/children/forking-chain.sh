# Ignores TERM. Each generation forks the next into a session of its own, and exits.
# It keeps its marker, holds the file $2 open as descriptor 3, and ends by itself after $3 generations.
trap '' TERM
if [ -z "$4" ]; then
  exec 3>"${2:-/dev/null}"
  setsid sh "$0" "$1" - "${3:-5000}" flies </dev/null >/dev/null 2>&1 &
  exec 3>&-
  echo ready
  sleep "$1"
elif [ "$3" -gt 0 ]; then
  setsid sh "$0" "$1" - "$(($3 - 1))" flies &
fi
