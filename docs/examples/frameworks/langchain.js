// A tool of LangChain that is an agent of Belay: the signal of its call is a CANCEL, which ends the agent's processes.
import assert from 'node:assert/strict';
import { tool } from '@langchain/core/tools';
import { assertSignalStops, closeRuntime, runTask, startRuntime } from './belay.js';

const belay = await startRuntime();
const session = await belay.runtime.session('langchain');
const caller = session.as('ann');

const builder = tool(({ task }, { signal }) => runTask(caller, task, signal), {
  name: 'builder',
  description: 'Builds the project.',
  schema: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
});

assert.equal(await builder.invoke({ task: 'look around' }), 'Done: look around.');

await assertSignalStops(belay, caller, (signal) => builder.invoke({ task: 'run the build' }, { signal }));

await closeRuntime(belay);
