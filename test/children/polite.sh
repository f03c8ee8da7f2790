# Exits at TERM, after a clean-up that needs a child.
trap 'sleep 0.1 && echo cleaned up; exit 0' TERM
echo ready
while :; do sleep 0.05; done
