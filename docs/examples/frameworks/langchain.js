// A tool of LangChain that is an agent of Belay: the signal of its call is a CANCEL, which ends the agent's processes.
import assert from 'node:assert/strict';
import { tool } from '@langchain/core/tools';
import { assertEnded, closeRuntime, runTask, startRuntime, untilBuilding } from './belay.js';

const belay = await startRuntime();
const session = await belay.runtime.session('langchain');
const caller = session.as('ann');

const builder = tool(({ task }, { signal }) => runTask(caller, task, signal), {
  name: 'builder',
  description: 'Builds the project.',
  schema: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
});

assert.equal(await builder.invoke({ task: 'look around' }), 'Done: look around.');

const receipt = new Promise((resolve) => caller.on('cancel_settled', resolve));
const stop = new AbortController();
const building = builder.invoke({ task: 'run the build' }, { signal: stop.signal });
const pid = await untilBuilding(belay);
stop.abort();
await assert.rejects(building);
// LangChain may let go of the call at once: the receipt says when everything has ended
const { nodes } = await receipt;
assertEnded(pid);
console.log(nodes.map(({ kind, outcome }) => `${kind}: ${outcome}`).join(', '));

await closeRuntime(belay);
