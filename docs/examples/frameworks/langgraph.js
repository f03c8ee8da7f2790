// A node of LangGraph that is an agent of Belay: the signal of the run is a CANCEL, which ends the agent's processes.
import assert from 'node:assert/strict';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { assertSignalStops, closeRuntime, runTask, startRuntime } from './belay.js';

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

await assertSignalStops(belay, caller, (signal) => graph.invoke({ task: 'run the build' }, { signal }));

await closeRuntime(belay);
