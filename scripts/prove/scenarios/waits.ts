// Scenarios of shields, timeouts, waits and wrong clocks, and of models that go on.
import { askFor, helper, type Scenario, sayText } from '../world/scenario.ts';

export const waitScenarios: readonly Scenario[] = [
  {
    name: 'an input of another turn',
    session: { policy: 'anyone' },
    model: { first: [sayText('a ', 'b ', 'c ', 'd')], second: [askFor(['wait', { ms: 80 }]), sayText('two')] },
    play: async ({ alice, bob, next }) => {
      const first = bob.say('first');
      await next('model_started');
      const input = alice.steer('more', { target: await first.opened });
      await next('input_deferred');
      return Promise.all([alice.say('second').ended, input.ended]);
    },
  },
  {
    name: 'an agent of a shielded turn',
    session: { interruptible: false, shieldMs: 60 },
    agents: helper,
    model: {
      careful: [
        askFor(['wait', { ms: 10 }]),
        askFor(['spawn_agent', { task: 'alone', detached: true }]),
        sayText('all'),
      ],
      alone: [askFor(['wait', { ms: 5_000 }]), sayText('done')],
    },
    play: async ({ alice, next }) => {
      const turn = alice.say('careful');
      await next('tool_started');
      alice.cancel('mine');
      return turn.ended;
    },
  },
  {
    name: 'a timeout in a shielded turn',
    session: { interruptible: false, shieldMs: 200 },
    // the timeout comes after the CANCEL, however long its frames take, and the call has still to unwind when the timeout is written
    model: { careful: [askFor(['short', { ms: 200, unwind: 30, _meta: { timeout: 80 } }]), sayText('all')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('careful');
      await next('tool_started');
      alice.cancel('mine');
      return turn.ended;
    },
  },
  {
    name: 'a region within a region',
    model: { go: [askFor(['nested']), sayText('one')] },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'an emergency at a region',
    model: { go: [askFor(['committing', { ms: 55 }]), sayText('one')] },
    play: async ({ alice, door, next, pause }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await pause(20);
      alice.cancel('mine');
      await pause(10);
      await door('carol', ['emergency']).cancel({ target: 'session', force: true });
      return turn.ended;
    },
  },
  {
    name: 'force without a process',
    model: { go: [askFor(['unkillable', { ms: 100 }]), sayText('one')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await alice.cancel('mine', { force: true }).settled;
      return turn.ended;
    },
  },
  {
    name: 'supersession of two tools',
    model: { go: [askFor(['latest'], ['newest']), sayText('one')] },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'a question within a timeout',
    model: { go: [askFor(['patient', { ms: 5 }]), sayText('one')] },
    play: async ({ alice, next, pause }) => {
      const turn = alice.say('go');
      const asked = await next('question_asked');
      await pause(200);
      if ('node' in asked) await alice.answer(asked.node, 'this one');
      return turn.ended;
    },
  },
  {
    name: 'a key within a timeout',
    agents: helper,
    model: {
      go: [askFor(['keyed', { ms: 600 }], ['spawn_agent', { task: 'help', _meta: { timeout: 400 } }]), sayText('one')],
      help: [askFor(['keyed', { ms: 5 }]), sayText('helped')],
    },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'a step of the time of day',
    model: { go: [askFor(['wait']), sayText('one')] },
    play: async ({ alice, next, stepTimeOfDay }) => {
      const turn = alice.say('go');
      await next('tool_started');
      stepTimeOfDay(-10_000);
      return turn.ended;
    },
  },
  {
    name: 'a question beside a wrong time of day',
    model: { go: [askFor(['asker']), sayText('one')] },
    play: ({ alice, stepTimeOfDay }) => {
      stepTimeOfDay(10_000);
      return alice.say('go').ended;
    },
  },
  {
    name: 'a turn beside others',
    limits: { contextTurns: 4 },
    model: {
      long: [askFor(['wait', { ms: 150 }]), sayText('long')],
      short: [sayText('short')],
      last: [sayText('last')],
    },
    play: async ({ alice, bob }) => {
      const long = alice.say('long');
      await long.opened;
      for (let i = 0; i < 4; i++) await bob.say(`short ${i}`).ended;
      await long.ended;
      return alice.say('last').ended;
    },
  },
  {
    name: 'a provider that ignores its signal',
    model: {
      go: [
        {
          ignoresSignal: true,
          steps: [
            { waitMs: 20 },
            { providerCall: { callId: 'p1', name: 'search', arguments: '{}', state: 'running', effect: 'none' } },
            { waitMs: 600 },
            { providerCall: { callId: 'p2', name: 'search', arguments: '{}', state: 'running', effect: 'none' } },
            { text: 'late' },
          ],
        },
      ],
    },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'a question over a lost connection',
    model: { go: [askFor(['asker']), sayText('one')] },
    play: async ({ alice, next, lose }) => {
      const turn = alice.say('go');
      await next('question_asked');
      lose('alice');
      return turn.ended;
    },
  },
];
