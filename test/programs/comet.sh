# Does not hear TERM and is never where one looks: each generation forks the next into a session of its own, and is gone.
# It bears the marker all the time, holds the file $2 open as descriptor 3, and burns out by itself after $3 generations.
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
