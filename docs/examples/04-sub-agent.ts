// Sub-agents: an attached one is stopped with the turn that it belongs to, a detached one lives on until it is stopped by its own id.
import assert from 'node:assert/strict';
import { createRuntime, defineTool, type Provider, systemSources } from '@belay/runtime';
import { createScriptedProvider, type Script } from '@belay/runtime/testing';
import { z } from 'zod';

const stopped: string[] = [];
const read = defineTool({
  name: 'read',
  description: 'Reads a long book.',
  input: z.object({ book: z.string() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none', // it only reads
  run: ({ book }, { signal, output }) =>
    new Promise((resolve) => {
      output(`opens ${book}`);
      signal.addEventListener('abort', () => {
        stopped.push(book);
        resolve({ kind: 'stopped', output: `${book}: up to page 12` });
      });
    }),
});

const call = (name: string, args: object): Script => ({
  steps: [{ call: { callId: 'p1', name, arguments: JSON.stringify(args) } }],
});
const { clock } = systemSources;
const librarian: Provider = createScriptedProvider({
  clock,
  respond: ({ messages }) => call('read', { book: String(messages.at(-1)?.content) }),
});
const receptionist: Provider = createScriptedProvider({
  clock,
  respond: ({ messages }) => {
    const said = messages.at(-1);
    if (said?.role === 'tool') return { steps: [{ text: 'It will tell you by itself.' }] };
    const detached = said?.content.includes('meanwhile') ?? false;
    return call('spawn_agent', { agent: 'librarian', task: detached ? 'Emma' : 'Ulysses', detached });
  },
});

const runtime = await createRuntime({
  provider: receptionist,
  tools: [read],
  agents: {
    librarian: {
      description: 'Reads books, and reports.',
      instructions: 'You read.',
      tools: ['read'], // of the runtime's tools, those that it has
      provider: librarian, // and a model of its own
    },
  },
});
const session = await runtime.session('library');
const ann = session.as('ann');

/** Resolves when a book has been opened. */
const opened = () =>
  new Promise<void>((resolve) => {
    const off = ann.on('tool_output', () => {
      off();
      resolve();
    });
  });

// attached: the CANCEL of the turn goes down to the tool of the sub-agent
let reading = opened();
const turn = ann.say('read Ulysses for me');
await reading;
for (const { node, kind, name, parent } of await session.nodes())
  console.log(`${node} is a ${kind} (${name}) below ${parent}`);
assert.deepEqual(
  (await session.nodes()).map(({ kind }) => kind),
  ['turn', 'sub-agent', 'turn', 'tool-call'],
);
const receipt = await turn.cancel().settled;
assert.equal(receipt?.nodes.length, 4);
assert.deepEqual(stopped, ['Ulysses']);
assert.equal((await turn.ended).outcome, 'cancelled');

// detached: the turn has ended, the agent reads on, beside it
reading = opened();
const next = ann.say('read Emma, meanwhile we talk');
assert.equal((await next.ended).outcome, 'completed');
await reading;
const agent = (await session.nodes()).find(({ kind, parent }) => kind === 'turn' && parent === null);
assert(agent);
console.log(`${agent.node} (${agent.name}) runs on`);

// a cancel of what it came from lists it, and leaves it alone; its own id stops it
assert.equal((await next.cancel().accepted).type, 'already_settled');
const end = await ann.cancel(agent.node).settled;
assert.deepEqual(new Set(end?.nodes.map(({ outcome }) => outcome)), new Set(['cancelled']));
assert.deepEqual(stopped, ['Ulysses', 'Emma']);
assert.deepEqual(await session.nodes(), []);

await runtime.close();
