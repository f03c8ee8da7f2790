// Scenarios of model calls: reasoning, failures, limits of what may be spent, long histories, images.
import type { Step } from '../../../src/adapters/models/scripted.ts';
import { askFor, callStep, helper, type Scenario, sayText } from '../world/scenario.ts';

const usage = { input: 30, output: 10 } as const;
const long = 'x'.repeat(1_500);

/** A long talk that is compacted before the response that follows a call. */
const compactedAfter = (name: string, call: Step): Scenario => ({
  name,
  limits: { compactAboveBytes: 4_000 },
  model: {
    'Summarize this conversation': [sayText('In ', 'short.')],
    tell: [sayText(long)],
    fetch: [{ steps: [{ waitMs: 10 }, { text: long }, call] }, sayText('fetched')],
  },
  play: async ({ alice }) => {
    for (const words of ['tell me', 'tell more']) await alice.say(words).ended;
    return alice.say('fetch').ended;
  },
});

export const modelScenarios: readonly Scenario[] = [
  {
    name: 'reasoning',
    model: {
      go: [{ steps: [{ waitMs: 5 }, { reasoning: 'Well. ' }, { waitMs: 10 }, { text: 'So ' }, { text: 'be it.' }] }],
    },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'a model that fails in mid-stream',
    model: { go: [{ steps: [{ waitMs: 5 }, { text: 'half' }, { waitMs: 10 }, { fail: 'model_cut_off' }] }] },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'a context that takes its time',
    contextMs: 20,
    model: { go: [askFor(['wait', { ms: 10 }]), sayText('done')] },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'usage limit of a turn',
    limits: { turnTokens: 80 },
    model: {
      go: [
        { ...askFor(['wait', { ms: 1 }]), usage },
        { ...askFor(['wait', { ms: 5 }]), finish: 'length', usage },
        sayText('one'),
      ],
    },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'usage limit of a session',
    limits: { sessionTokens: 80 },
    model: { go: [1, 2, 3].map((ms) => ({ ...askFor(['wait', { ms }]), usage })), more: [sayText('more')] },
    play: ({ alice, bob }) => Promise.all([alice.say('go').ended, alice.say('more').ended, bob.say('go').ended]),
  },
  {
    name: 'usage limit of a turn whose calls wait',
    agents: helper,
    limits: { turnTokens: 80 },
    model: {
      go: [{ ...askFor(['keyed', { ms: 60 }], ['keyed'], ['spawn_agent', { task: 'help' }]), usage }],
      help: [1, 2].map((ms) => ({ ...askFor(['wait', { ms }]), usage })),
    },
    play: ({ alice }) => alice.say('go').ended,
  },
  {
    name: 'compaction',
    limits: { compactAboveBytes: 4_000 },
    model: { 'Summarize this conversation': [sayText('In ', 'short.')], tell: [sayText(long)], now: [sayText('now')] },
    play: async ({ alice }) => {
      for (const words of ['tell me', 'tell more', 'tell all']) await alice.say(words).ended;
      return alice.say('and now').ended;
    },
  },
  compactedAfter('compaction after a call', callStep('wait')),
  // nobody knows what it did
  compactedAfter('compaction after a call that has run out of time', callStep('short', { ms: 5_000 })),
  {
    name: 'images',
    model: { look: [askFor(['wait', { ms: 10 }]), sayText('a ', 'pixel')] },
    play: async ({ alice, storeImage }) => {
      const parts = [{ type: 'text', text: 'look' }, await storeImage()] as const;
      return alice.say('look', { parts }).ended;
    },
  },
];
