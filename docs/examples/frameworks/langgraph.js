// A node of LangGraph that is an agent of Belay: the signal of the run is a CANCEL, which ends the agent's processes.
import assert from 'node:assert/strict';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { assertEnded, closeRuntime, runTask, startRuntime, untilBuilding } from './belay.js';

const belay = await startRuntime();
const session = await belay.runtime.session('langgraph');
const caller = session.as('ann');

const State = Annotation.Root({ task: Annotation(), answer: Annotation() });
const graph = new StateGraph(State)
  .addNode('builder', async ({ task }, { signal }) => ({ answer: await runTask(caller, task, signal) }))
  .addEdge(START, 'builder')
  .addEdge('builder', END)
  .compile();

const { answer } = await graph.invoke({ task: 'look around' });
assert.equal(answer, 'Done: look around.');

const receipt = new Promise((resolve) => caller.on('cancel_settled', resolve));
const stop = new AbortController();
const building = graph.invoke({ task: 'run the build' }, { signal: stop.signal });
const pid = await untilBuilding(belay);
stop.abort();
await assert.rejects(building);
// LangGraph may let go of the node at once: the receipt says when everything has ended
const { nodes } = await receipt;
assertEnded(pid);
console.log(nodes.map(({ kind, outcome }) => `${kind}: ${outcome}`).join(', '));

await closeRuntime(belay);
