// Scenarios of a model that hears and speaks: its responses come over a connection to its provider, which may be late, deaf to a cancel, or lost.
import { askFor, type Scenario, type ScenarioStage, sayText } from '../world/scenario.ts';
import { answerMs } from '../world/simulated-speech-model.ts';
import { busy, enterBusyRoom, hold, voiceRules } from './voice.ts';

const story = sayText('The first. ', 'The second. ', 'The last.');
const heard = 'The first.';
const room = { hasBridge: true, session: voiceRules, model: { tell: [story] } } as const;

/** Alice, in the room of the bridge, has the model tell a story. */
async function hearStory({ bob }: Pick<ScenarioStage, 'bob'>) {
  const alice = bob.speaks('alice');
  await alice.enter();
  return alice.say('tell').ended;
}

/** Alice has the model tell a story, stops it in its midst, and says something else after a while. */
async function stopStory({ bob, next, pause }: ScenarioStage, laterMs = 0) {
  const alice = bob.speaks('alice');
  await alice.enter();
  const turn = alice.say('tell');
  await next('model_started');
  await pause(35);
  await alice.cancel('mine').settled;
  await turn.ended;
  await pause(laterMs);
  return alice.say('and then').ended;
}

export const speechModelScenarios: readonly Scenario[] = [
  { name: 'a speech model', ...room, speechModel: {}, play: hearStory },
  {
    name: 'a speech model that calls tools',
    ...room,
    speechModel: {},
    model: { tell: [askFor(['wait', { ms: 10 }], ['wait', { ms: 20 }]), story] },
    play: hearStory,
  },
  {
    name: 'speech of a model that is cut',
    ...room,
    speechModel: { lateDeltas: 2 },
    play: async ({ bob, next, pause }) => {
      const alice = bob.speaks('alice');
      await alice.enter();
      const turn = await alice.say('tell').opened;
      await next('model_started');
      await pause(45);
      await bob.played({ turn, index: 0, offset: heard.length });
      await alice.bargeIn({ durationMs: 600 });
      return alice.transcript('only the first', { final: true });
    },
  },
  {
    name: 'two responses of a speech model',
    ...room,
    speechModel: {},
    model: { tell: [story], also: [askFor(['wait', { ms: 10 }]), sayText('also')] },
    play: async ({ bob }) => {
      const [alice, dan] = [bob.speaks('alice'), bob.speaks('dan')];
      await Promise.all([alice.enter(), dan.enter()]);
      return Promise.all([alice.say('tell').ended, dan.say('also').ended]);
    },
  },
  {
    name: 'a response of a speech model that is created late',
    ...room,
    speechModel: { createdMs: 60, lateDeltas: 1 },
    play: (stage) => stopStory(stage),
  },
  {
    name: 'a provider of speech that is deaf',
    ...room,
    speechModel: { neverAnswersCancel: true },
    play: (stage) => stopStory(stage, answerMs + 100),
  },
  {
    name: 'words behind a response that does not end',
    ...room,
    speechModel: { neverAnswersCancel: true },
    play: (stage) => stopStory(stage),
  },
  { name: 'a provider of speech that is lost', ...room, speechModel: { dropsAt: 3 }, play: hearStory },
  {
    name: 'a busy room with a speech model',
    ...busy,
    speechModel: { createdMs: 60, neverAnswersCancel: true },
    model: { hold, tell: [story], work: [askFor(['wait', { ms: 10 }]), story] },
    play: async ({ bob, next, pause }) => {
      const { alice, held } = await enterBusyRoom(bob, next);
      const eve = bob.speaks('eve');
      await eve.enter();
      const tell = eve.say('tell');
      const work = alice.say('work');
      await pause(20);
      eve.cancel('mine');
      return Promise.all([held.ended, tell.ended, work.ended]);
    },
  },
];
