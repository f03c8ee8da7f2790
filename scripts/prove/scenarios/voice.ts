// Scenarios of voice sessions: barge-in, stop phrases that are spoken, acknowledgements by voice.

import type { Script } from '../../../src/adapters/models/scripted.ts';
import { farDeadlineMs } from '../runs/cell-events.ts';
import { askFor, helper, type Scenario, type ScenarioStage, sayText } from '../world/scenario.ts';

const story = sayText('The first. ', 'The second. ', 'The third. ', 'The last.');
const long = 'x'.repeat(1_500);
const heard = 'The first.';
const bargeIn = { durationMs: 600 } as const;
export const voiceRules = { kind: 'voice', voice: { falseInterruptionMs: 100 } } as const;

/** What a room has that is made for the cells of the coverage: all that lets an event come at any time. */
export const busy = {
  fillsCells: true,
  hasBridge: true,
  agents: helper,
  contextMs: 10,
  unwindMs: 40,
  session: { ...voiceRules, whileRunning: 'interrupt', onDisconnect: 'cancel' },
  limits: { turnMs: farDeadlineMs, modelUnwindMs: 100 },
} as const;
export const hold = [askFor(['stubborn', { ms: 1_200 }]), sayText('held')];
const spawn = (task: string) => ['spawn_agent', { task }] as const;
const talking = ({ steps }: Script): Script => ({ steps: [{ waitMs: 5 }, { text: 'Well. ' }, ...steps] });

/** A room with a call of dan that is being stopped, and does not stop: its budget may be over at any time. */
export async function enterBusyRoom(bob: ScenarioStage['bob'], next: ScenarioStage['next']) {
  const [alice, dan] = [bob.speaks('alice'), bob.speaks('dan')];
  await Promise.all([alice.enter(), dan.enter()]);
  const held = dan.say('hold');
  const stubborn = await next('tool_started');
  if ('node' in stubborn) dan.cancel(stubborn.node);
  return { alice, held };
}

/** A story that alice stops, and what acknowledges that. `model`: the responses beside the story. */
const acknowledged = (name: string, acknowledge: 'on' | 'reaction', model: Scenario['model'] = {}): Scenario => ({
  name,
  hasBridge: true,
  session: { ...voiceRules, acknowledge },
  model: { ...model, tell: [story] },
  play: async ({ bob, next }) => {
    const alice = bob.speaks('alice');
    await alice.enter();
    const turn = alice.say('tell');
    await next('model_started');
    await alice.cancel('mine').settled;
    return turn.ended;
  },
});

export const voiceScenarios: readonly Scenario[] = [
  {
    name: 'voice with barge-in',
    hasBridge: true,
    session: voiceRules,
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
    session: voiceRules,
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
    session: voiceRules,
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
    name: 'a stop while the bot only talks',
    hasBridge: true,
    session: { ...voiceRules, acknowledge: 'on' },
    model: { tell: [story], 'has just stopped work': [sayText('Stopped.')] },
    play: async ({ bob, next, pause }) => {
      const alice = bob.speaks('alice');
      await alice.enter();
      const turn = await alice.say('tell').opened;
      await next('model_started');
      await bob.played({ turn, index: 0, offset: 0 });
      await next('turn_ended');
      await bob.played({ turn, index: 0, offset: heard.length });
      await pause(15);
      return alice.transcript('stop', { final: true });
    },
  },
  {
    name: 'speech of two speakers',
    hasBridge: true,
    session: voiceRules,
    model: { tell: [story], also: [askFor(['wait', { ms: 10 }]), story] },
    play: async ({ bob, next, pause }) => {
      const [alice, dan] = [bob.speaks('alice'), bob.speaks('dan')];
      await Promise.all([alice.enter(), dan.enter()]);
      const turn = await alice.say('tell').opened;
      await next('model_started');
      await bob.played({ turn, index: 0, offset: heard.length });
      const other = await dan.say('also').opened;
      for (let i = 0; i < 2; i++) await next('model_started');
      await pause(15);
      await bob.played({ turn, index: 0, offset: 1_000 }); // until now the other one has waited
      await pause(15);
      await bob.played({ turn: other, index: 1, offset: heard.length });
      return bob.played({ turn: other, index: 1, offset: 1_000 });
    },
  },
  acknowledged('acknowledgement by voice', 'on', { 'has just stopped work': [sayText('Stopped.')] }),
  acknowledged('acknowledgement by a sound', 'reaction'),
  {
    name: 'a busy room',
    ...busy,
    screening: { do: 'allow' },
    owners: { latest: 'dan' },
    model: {
      hold,
      work: [askFor(['keyed'], ['keyed', { ms: 10 }], ['risky'], spawn('help')), sayText('worked')].map(talking),
      help: [askFor(['keyed', { ms: 20 }], ['latest', { ms: 60 }], spawn('aid')), sayText('helped')],
      aid: [askFor(['wait', { ms: 30 }]), { ...sayText('aided', '.', '.', '.'), ignoresSignal: true }],
    },
    play: async ({ bob, next }) => {
      const { alice, held } = await enterBusyRoom(bob, next);
      const turn = alice.say('work');
      const asked = await next('approval_requested');
      if ('node' in asked) await alice.approve(asked.node).catch(() => {});
      return Promise.all([held.ended, turn.ended]);
    },
  },
  {
    name: 'a long talk in a busy room',
    ...busy,
    limits: { ...busy.limits, compactAboveBytes: 3_000 },
    model: {
      hold,
      'Summarize this conversation': [{ steps: [{ waitMs: 30 }, { text: 'In short.' }], ignoresSignal: true }],
      tell: [{ steps: [{ text: long }] }],
      now: [sayText('now')],
    },
    play: async ({ bob, next }) => {
      const { alice, held } = await enterBusyRoom(bob, next);
      for (const words of ['tell me', 'tell more']) await alice.say(words).ended;
      return Promise.all([held.ended, alice.say('now').ended]);
    },
  },
  {
    name: 'a busy room that is not interrupted',
    ...busy,
    session: { ...busy.session, interruptible: false, shieldMs: 500 },
    model: {
      hold,
      work: [1, 2, 3].map((ms) => talking(askFor(['latest', { ms }], ['latest', { ms: 20 + ms }]))),
    },
    play: async ({ bob, next }) => {
      const { alice, held } = await enterBusyRoom(bob, next);
      return Promise.all([held.ended, alice.say('work').ended]);
    },
  },
  {
    name: 'an agent that goes on in a busy room',
    ...busy,
    owners: { latest: 'dan' },
    model: {
      hold,
      work: [askFor(spawn('help'), ['wait', { ms: 250 }])].map(talking),
      help: [askFor(['latest', { ms: 200 }])],
    },
    play: async ({ bob, next }) => {
      const { alice, held } = await enterBusyRoom(bob, next);
      const turn = alice.say('work');
      for (let i = 0; i < 3; i++) await next('tool_started'); // its call is not alice's, and runs on below it
      alice.cancel('agent_1');
      return Promise.all([held.ended, turn.ended]);
    },
  },
];
