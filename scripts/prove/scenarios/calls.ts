// Scenarios of tool calls: side by side, one after the other, screened, with questions, timeouts and shields, on an MCP server.
import type { Answer } from '../../../src/client/answer-options.ts';
import { askFor, type CallOfModel, callStep, helper, type Scenario, sayText } from '../world/scenario.ts';

/** A turn whose only round has these calls. */
const rounds = (...made: readonly CallOfModel[]) => ({ go: [askFor(...made), sayText('done')] });

export const callScenarios: readonly Scenario[] = [
  {
    name: 'parallel tools',
    model: rounds(['wait'], ['wait', { ms: 45 }], ['stubborn', { ms: 20 }]),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'exclusive keys',
    model: rounds(['keyed'], ['keyed', { ms: 10 }], ['keyed', { ms: 5 }]),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'approval',
    model: rounds(['risky'], ['wait']),
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      const asked = await next('approval_requested');
      if ('node' in asked) await alice.approve(asked.node);
      return turn.ended;
    },
  },
  {
    name: 'question',
    model: rounds(['asker']),
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      const asked = await next('question_asked');
      if ('node' in asked) await alice.answer(asked.node, 'this one');
      return turn.ended;
    },
  },
  {
    name: 'question that expires',
    model: rounds(['asker'], ['risky']),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'timeout',
    model: rounds(['short', { ms: 60 }], ['short', { ms: 10 }]),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'supersession',
    model: rounds(['latest'], ['latest', { ms: 10 }]),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'shield of a call',
    model: rounds(['committing', { ms: 30 }], ['wait']),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'calls that stream',
    model: { go: [{ steps: ['wait', 'keyed'].flatMap((name) => [callStep(name), { waitMs: 15 }]) }, sayText('done')] },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'effect before the end',
    model: rounds(['sender'], ['wait', { ms: 15 }]),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'a call that ignores its signal',
    model: rounds(['stubborn', { ms: 2_500 }], ['wait']),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'screened calls',
    agents: helper,
    screening: { do: 'allow' },
    model: {
      go: [askFor(['keyed'], ['keyed', { ms: 5 }], ['risky'], ['spawn_agent', { task: 'help' }]), sayText('done')],
      help: [sayText('helped')],
    },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      const asked = await next('approval_requested');
      if ('node' in asked) await alice.approve(asked.node);
      return turn.ended;
    },
  },
  {
    name: 'denied calls',
    screening: { do: 'deny', reason: 'not today' },
    model: rounds(['wait'], ['keyed']),
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'a call of another owner',
    owners: { wait: 'bob' },
    model: rounds(['wait', { ms: 60 }], ['keyed']),
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await turn.cancel().settled;
    },
  },
  {
    name: 'MCP with elicitation',
    model: rounds(['travel__book'], ['travel__book', { second: true }]),
    play: ({ alice }) => {
      let answers = 0;
      alice.on('question_asked', ({ node }) => {
        const answer: Answer = answers++ === 0 ? { city: 'Kyiv' } : 'decline';
        alice.answer(node, answer).catch(() => {}); // it may be closed
      });
      return alice.say('go').ended;
    },
  },
  {
    name: 'held repeat',
    model: { deploy: [askFor(['wait', { ms: 200 }]), sayText('done')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('deploy');
      await next('tool_started');
      await turn.cancel().settled;
      const again = alice.resume(await turn.opened);
      const asked = await next('approval_requested');
      if ('node' in asked) await alice.approve(asked.node);
      return again.ended;
    },
  },
  {
    name: 'held repeat that is denied',
    model: { deploy: [askFor(['wait', { ms: 200 }]), sayText('done')] },
    play: async ({ alice, carol, next }) => {
      const turn = alice.say('deploy');
      await next('tool_started');
      await turn.cancel().settled;
      const again = carol.resume(await turn.opened);
      const asked = await next('approval_requested');
      if ('node' in asked) await carol.deny(asked.node);
      return again.ended;
    },
  },
];
