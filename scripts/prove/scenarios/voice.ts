// Scenarios of voice sessions: barge-in, stop phrases that are spoken, acknowledgements by voice.
import { farDeadlineMs } from '../cell-events.ts';
import { askFor, helper, type Scenario, sayText } from '../scenario.ts';

const story = sayText('The first. ', 'The second. ', 'The third. ', 'The last.');
const long = 'x'.repeat(1_500);
const heard = 'The first.';
const bargeIn = { durationMs: 600 } as const;
const rules = { kind: 'voice', voice: { falseInterruptionMs: 100 } } as const;

export const voiceScenarios: readonly Scenario[] = [
  {
    name: 'voice with barge-in',
    hasBridge: true,
    session: rules,
    model: { tell: [askFor(['wait', { ms: 10 }]), story], only: [sayText('fine')] },
    play: async ({ bob, next, pause }) => {
      const alice = bob.speaks('alice');
      await alice.enter();
      const turn = await alice.say('tell').opened;
      for (let i = 0; i < 2; i++) await next('model_started');
      await pause(25);
      await bob.played({ turn, index: 1, offset: heard.length });
      await alice.bargeIn(bargeIn);
      return alice.transcript('only the first', { final: true });
    },
  },
  {
    name: 'a barge-in without words',
    hasBridge: true,
    session: rules,
    model: { tell: [story] },
    play: async ({ bob, next, pause }) => {
      const [alice, dan] = [bob.speaks('alice'), bob.speaks('dan')];
      await Promise.all([alice.enter(), dan.enter()]);
      const turn = alice.say('tell');
      await next('model_started');
      await pause(15);
      await dan.bargeIn(bargeIn);
      await alice.bargeIn(bargeIn);
      return turn.ended;
    },
  },
  {
    name: 'a stop phrase that is spoken',
    hasBridge: true,
    session: rules,
    model: { tell: [askFor(['wait', { ms: 60 }]), story] },
    play: async ({ bob, next }) => {
      const alice = bob.speaks('alice');
      await alice.enter();
      const turn = alice.say('tell');
      await next('tool_started');
      await alice.transcript('stop', { final: true, confidence: 0.2 });
      await alice.transcript('stop', { final: true });
      return turn.ended;
    },
  },
  {
    name: 'acknowledgement by voice',
    hasBridge: true,
    session: { ...rules, acknowledge: 'on' },
    model: { 'has just stopped work': [sayText('Stopped.')], tell: [story] },
    play: async ({ bob, next }) => {
      const alice = bob.speaks('alice');
      await alice.enter();
      const turn = alice.say('tell');
      await next('model_started');
      await alice.cancel('mine').settled;
      return turn.ended;
    },
  },
  {
    name: 'acknowledgement by a sound',
    hasBridge: true,
    session: { ...rules, acknowledge: 'reaction' },
    model: { tell: [story] },
    play: async ({ bob, next }) => {
      const alice = bob.speaks('alice');
      await alice.enter();
      const turn = alice.say('tell');
      await next('model_started');
      await alice.cancel('mine').settled;
      return turn.ended;
    },
  },
  {
    name: 'a busy room',
    fillsCells: true,
    hasBridge: true,
    agents: helper,
    screening: { do: 'allow' },
    contextMs: 10,
    unwindMs: 40,
    owners: { latest: 'dan' },
    session: { ...rules, whileRunning: 'interrupt', onDisconnect: 'cancel' },
    limits: { turnMs: farDeadlineMs, compactAboveBytes: 3_000, modelUnwindMs: 100 },
    model: {
      'Summarize this conversation': [{ steps: [{ waitMs: 30 }, { text: 'In short.' }], ignoresSignal: true }],
      hold: [askFor(['stubborn', { ms: 1_200 }]), sayText('held')],
      tell: [sayText(long)],
      work: [
        askFor(['keyed'], ['keyed', { ms: 10 }], ['risky'], ['spawn_agent', { task: 'help' }], ['latest', { ms: 50 }]),
        sayText('worked'),
      ],
      help: [
        askFor(['keyed', { ms: 20 }], ['latest', { ms: 60 }], ['spawn_agent', { task: 'aid' }]),
        sayText('helped'),
      ],
      aid: [askFor(['wait', { ms: 30 }], ['latest', { ms: 70 }]), sayText('aided')],
    },
    play: async ({ bob, next }) => {
      const [alice, dan] = [bob.speaks('alice'), bob.speaks('dan')];
      await Promise.all([alice.enter(), dan.enter()]);
      const held = dan.say('hold');
      const stubborn = await next('tool_started');
      if ('node' in stubborn) dan.cancel(stubborn.node);
      for (const words of ['tell me', 'tell more']) await alice.say(words).ended;
      const turn = alice.say('work');
      const asked = await next('approval_requested');
      if ('node' in asked) await alice.approve(asked.node).catch(() => {});
      return Promise.all([held.ended, turn.ended]);
    },
  },
];
