// Two speakers in one session: who may stop what, a refusal that all clients receive, and a rule of one's own.
import assert from 'node:assert/strict';
import { createRuntime, defineTool, type StandingRule, standing, systemSources } from '@belay/runtime';
import { createScriptedProvider } from '@belay/runtime/testing';
import { z } from 'zod';

const watch = defineTool({
  name: 'watch',
  description: 'Watches the build until somebody says stop.',
  input: z.object({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: (_, { signal, output }) =>
    new Promise((resolve) => {
      output('watching');
      signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: 'green so far' }));
    }),
});
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond: () => ({ steps: [{ call: { callId: 'p1', name: 'watch', arguments: '{}' } }] }),
});

/** The deputy of each speaker. A rule is pure: it depends on its arguments, and on constants. */
const deputies: Readonly<Record<string, string>> = { ann: 'carol' };
const byDeputy: StandingRule = (node, speaker, ...rest) =>
  deputies[node.owner] === speaker.id ? { may: true, because: 'policy' } : standing(node, speaker, ...rest);

const runtime = await createRuntime({
  provider,
  tools: [watch],
  session: () => ({ policy: 'owner', standing: byDeputy }),
});
const session = await runtime.session('standup');
const ann = session.as('ann');
const bob = session.as('bob');
const carol = session.as('carol');
const moderator = session.as({ id: 'mo', roles: ['moderator'] });

/** Ann has something watched; resolves when it is. */
async function start() {
  const turn = ann.say('watch the build');
  for await (const event of turn) if (event.type === 'tool_output') return turn;
  throw new Error('the turn ended before it watched');
}

// bob may not stop what is ann's: both get the reason
let turn = await start();
const refusals: string[] = [];
ann.on('cancel_refused', ({ by }) => refusals.push(`${by} was refused`));
const refused = await bob.cancel(await turn.opened).accepted;
assert(refused.type === 'cancel_refused');
console.log(`bob is refused: ${refused.refused.map(({ reason }) => reason)}`);
assert.deepEqual(new Set(refused.refused.map(({ reason }) => reason)), new Set(['not_owner']));
assert.deepEqual(refusals, ['bob was refused']);

// the whole session, as bob sees it: his own is stopped, hers runs on
const his = bob.say('watch it for me, too');
for await (const event of his) if (event.type === 'tool_output') break;
const parted = await bob.cancel('session').accepted;
assert(parted.type === 'cancel_accepted');
assert.deepEqual([parted.stopping.length, parted.refused.length], [2, 2]);
assert.equal((await his.ended).outcome, 'cancelled');
assert.equal((await session.nodes()).length, 2);

// ann may, and so may a moderator, and, by our own rule, ann's deputy
for (const speaker of [ann, moderator, carol]) {
  const receipt = await speaker.cancel(await turn.opened).settled;
  assert.equal(receipt?.nodes.length, 2);
  const { outcome } = await turn.ended;
  console.log(`${receipt?.cause.by} may: ${outcome}`);
  assert.equal(outcome, 'cancelled');
  if (speaker !== carol) turn = await start();
}

await runtime.close();
