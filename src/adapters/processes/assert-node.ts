// Says in one sentence which Node is needed, before anything that an older one does not have is used. The entry point of the library imports it first.

const oldestNode = 24;

if (Number.parseInt(process.versions.node, 10) < oldestNode)
  throw new Error(`Belay needs Node ${oldestNode} or later, and this is Node ${process.versions.node}.`);
