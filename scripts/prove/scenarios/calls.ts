// Scenarios of tool calls: side by side, one after the other, with questions, timeouts and shields.
import { askFor, type CallOfModel, callStep, type Scenario, sayText } from '../scenario.ts';

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
];
