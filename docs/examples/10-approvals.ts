// Approvals and questions: a call waits for a yes while its sibling runs on; a no, a cancel, an answer; every client receives how each of them ends.
import assert from 'node:assert/strict';
import { builtinTools, createRuntime, defineTool, systemSources } from '@belay/runtime';
import { createScriptedProvider } from '@belay/runtime/testing';
import { z } from 'zod';

const deployed: string[] = [];
const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys a service.',
  input: z.object({ service: z.string(), to: z.enum(['staging', 'production']) }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'some',
  // production needs a yes, and not of the one who asks for it
  approval: ({ service, to }) =>
    to === 'production' ? { text: `Deploy ${service} to production?`, to: 'olga' } : null,
  async run({ service, to }) {
    deployed.push(`${service} ${to}`);
    return `${service} is on ${to}`;
  },
});

/** What a speaker says is the list of calls that the model makes; after their results it repeats them. */
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond({ messages }) {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { steps: [{ text: last.content }] };
    const [list = '[]'] = /\[\[.*\]\]/.exec(last?.content ?? '') ?? []; // after notes of the runtime, if there are any
    const calls = JSON.parse(list) as [name: string, input: object][];
    return {
      steps: calls.map(([name, input], i) => ({ call: { callId: `p${i}`, name, arguments: JSON.stringify(input) } })),
    };
  },
});
const asks = (...calls: [name: string, input: object][]) => JSON.stringify(calls);

const runtime = await createRuntime({ provider, tools: [deploy, ...builtinTools({})] });
const session = await runtime.session('releases');
const [ann, olga] = [session.as('ann'), session.as('olga')];

/** The next thing of its kind that olga sees. */
const next = <T extends 'approval_requested' | 'approval_closed' | 'tool_result'>(type: T) =>
  new Promise<Parameters<Parameters<typeof olga.on<T>>[1]>[0]>((resolve) => {
    const stop = olga.on(type, (fact) => {
      stop();
      resolve(fact);
    });
  });

// a yes: the sibling, which needs none, has run before it is given
let request = next('approval_requested');
const sibling = next('tool_result');
let turn = ann.say(
  asks(['deploy', { service: 'shop', to: 'production' }], ['deploy', { service: 'shop', to: 'staging' }]),
);
let { node, text, to } = await request;
console.log(`${to} is asked: ${text}`);
await sibling;
assert.deepEqual(deployed, ['shop staging']);

// it was put to olga: ann cannot say yes for her
await assert.rejects(ann.approve(node), { name: 'CommandRefused', code: 'not_addressed' });
const closed = await olga.approve(node);
assert.deepEqual([closed.answer, closed.by], ['approved', 'olga']);
await turn.reply();
assert.deepEqual(deployed, ['shop staging', 'shop production']);

// the second yes comes too late, and is rejected
await assert.rejects(olga.approve(node), { code: 'expired' });

// a no: the call does not run, the model reads it, the turn goes on
request = next('approval_requested');
let result = next('tool_result');
turn = ann.say(asks(['deploy', { service: 'billing', to: 'production' }]));
await olga.deny((await request).node);
assert.deepEqual([(await result).outcome, (await result).effect], ['denied', 'not_started']);
console.log(`the model reads: ${(await turn.reply()).split('\n')[0]}`);

// a cancel: the question is withdrawn on every screen, and nothing runs
request = next('approval_requested');
const end = next('approval_closed');
turn = ann.say(asks(['deploy', { service: 'search', to: 'production' }]));
({ node } = await request);
const receipt = await turn.cancel({ reason: 'not today' }).settled;
assert.equal((await end).answer, 'withdrawn');
assert.deepEqual(new Set(receipt?.nodes.map(({ effect }) => effect)), new Set(['none', 'not_started']));
await assert.rejects(olga.approve(node), { code: 'expired' });
assert.equal(deployed.length, 2);

// a question of the model's own, with choices
const question = new Promise<{ readonly node: string; readonly choices: readonly string[] }>((resolve) => {
  ann.on('question_asked', resolve);
});
result = next('tool_result');
turn = ann.say(asks(['ask_user', { question: 'Which service next?', choices: ['search', 'billing'] }]));
const { node: asking, choices } = await question;
console.log(`ann is asked to choose: ${choices.join(', ')}`);
await ann.answer(asking, 'billing');
assert.equal((await result).output, 'billing');

await turn.ended;
await runtime.close();
