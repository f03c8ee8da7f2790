// Scenarios of turns and words: responses, lanes, steering, shields, deadlines, resumed turns, stop phrases, lost connections.
import { askFor, type Scenario, sayText } from '../world/scenario.ts';

export const turnScenarios: readonly Scenario[] = [
  {
    name: 'plain response',
    model: { hello: [sayText('Good ', 'morning.')] },
    play: ({ alice }) => alice.say('hello').ended,
  },
  {
    name: 'overlapping turns',
    model: { first: [askFor(['wait']), sayText('one')], second: [askFor(['wait']), sayText('two')] },
    play: ({ alice, bob }) => Promise.all([alice.say('first').ended, bob.say('second').ended]),
  },
  {
    name: 'queue',
    model: { first: [askFor(['wait']), sayText('one')], second: [sayText('two')] },
    play: ({ alice }) => Promise.all([alice.say('first').ended, alice.say('second').ended]),
  },
  {
    name: 'a lane that is stopped',
    model: {
      first: [askFor(['wait', { ms: 60 }]), sayText('one')],
      second: [askFor(['wait']), sayText('two')],
      third: [sayText('three')],
    },
    play: async ({ alice, next }) => {
      const first = alice.say('first');
      const second = alice.say('second');
      await next('tool_started');
      await first.cancelLane().settled;
      return Promise.all([first.ended, second.ended, alice.say('third').ended]);
    },
  },
  {
    name: 'words after a stop of two lanes',
    model: {
      first: [askFor(['wait', { ms: 60 }]), sayText('one')],
      second: [askFor(['stubborn', { ms: 90 }]), sayText('two')],
      third: [sayText('three')],
    },
    play: async ({ alice, bob, carol, next }) => {
      const turns = [alice.say('first'), bob.say('second')];
      for (const _ of turns) await next('tool_started');
      const stop = carol.cancel('session');
      await stop.accepted;
      return Promise.all([...turns, alice.say('third')].map(({ ended }) => ended));
    },
  },
  {
    name: 'interrupt',
    session: { whileRunning: 'interrupt' },
    model: { first: [askFor(['wait', { ms: 60 }]), sayText('one')], second: [sayText('two')] },
    play: async ({ alice, next }) => {
      const first = alice.say('first');
      await next('tool_started');
      return Promise.all([first.ended, alice.say('second').ended]);
    },
  },
  {
    name: 'steer',
    model: { first: [askFor(['wait']), sayText('one')], faster: [sayText('faster')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('first');
      await next('tool_started');
      await alice.steer('faster').fate;
      return turn.ended;
    },
  },
  {
    name: 'shield of a turn',
    session: { interruptible: false, shieldMs: 60 },
    model: { careful: [askFor(['wait', { ms: 25 }]), sayText('all ', 'of ', 'it')] },
    play: ({ alice }) => alice.say('careful').ended,
  },
  {
    name: 'resume',
    model: { go: [askFor(['wait'], ['wait', { ms: 200 }]), sayText('one')], on: [sayText('two')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      await next('tool_result');
      await turn.cancel().settled;
      return alice.resume(await turn.opened, { text: 'on' }).ended;
    },
  },
  {
    name: 'words that go on',
    model: { go: [askFor(['wait'], ['wait', { ms: 200 }]), sayText('one')], continue: [sayText('two')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      await next('tool_result');
      await turn.cancel().settled;
      return alice.say('continue').ended;
    },
  },
  {
    name: 'acknowledgement',
    session: { acknowledge: 'on' },
    // the first words are in the note that asks for an acknowledgement
    model: { 'has just stopped work': [sayText('Stopped.')], go: [askFor(['wait', { ms: 200 }]), sayText('one')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await turn.cancel().settled;
    },
  },
  {
    name: 'stop phrase',
    model: { go: [askFor(['wait', { ms: 80 }]), sayText('one')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      await next('tool_started');
      alice.say('ok nvm');
      return turn.ended;
    },
  },
  {
    name: 'lost connection',
    session: { onDisconnect: 'cancel' },
    model: { go: [askFor(['wait', { ms: 120 }]), sayText('one')] },
    play: async ({ alice, next, lose, pause }) => {
      const turn = alice.say('go');
      await next('tool_started');
      lose('alice');
      await pause(400);
      return turn.ended;
    },
  },
  {
    name: 'reconnect in mid-stream',
    model: { go: [sayText('a ', 'long ', 'story ', 'in ', 'six ', 'words')] },
    play: async ({ alice, next, lose }) => {
      const turn = alice.say('go');
      await next('model_started');
      lose('alice');
      return turn.ended;
    },
  },
  {
    name: 'words that open a parallel turn',
    session: { whileRunning: 'parallel' },
    model: { first: [askFor(['wait']), sayText('one')], second: [askFor(['wait', { ms: 10 }]), sayText('two')] },
    play: ({ alice }) => Promise.all([alice.say('first').ended, alice.say('second').ended]),
  },
  {
    name: 'words that steer',
    session: { whileRunning: 'steer' },
    model: { first: [askFor(['wait']), sayText('one')], faster: [sayText('faster')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('first');
      await next('tool_started');
      await alice.say('faster').fate;
      return turn.ended;
    },
  },
  {
    name: 'words that come too late to steer',
    model: { first: [sayText('one')], faster: [sayText('two')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('first');
      await next('model_started');
      const words = alice.steer('faster');
      await turn.ended;
      return words.ended;
    },
  },
  {
    name: 'words that are rejected',
    session: { whileRunning: 'reject' },
    model: { first: [askFor(['wait']), sayText('one')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('first');
      await next('tool_started');
      await alice.say('second').opened.catch(() => {});
      return turn.ended;
    },
  },
  {
    name: 'deadline of a turn',
    limits: { turnMs: 60 },
    model: { go: [askFor(['wait', { ms: 20 }]), askFor(['stubborn', { ms: 90 }]), sayText('one')] },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'acknowledgement by a reaction',
    session: { acknowledge: 'reaction' },
    model: { go: [askFor(['wait', { ms: 200 }]), sayText('one')] },
    play: async ({ alice, next }) => {
      const turn = alice.say('go');
      await next('tool_started');
      await turn.cancel().settled;
    },
  },
];
