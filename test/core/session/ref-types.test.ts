// The types of the commands under a ref: one of another type than the first is refused, also where it says the same words, and a copy of the first in flight has a reply of its own.
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/core/session/api.ts';
import { callsResponse, type Harness, startHarness, textResponse, toolOf } from '../../support/harness.ts';

interface Said {
  readonly harness: Harness;
  readonly text: string;
  readonly ref: string;
}

const bridge: Caller = { speaker: { id: 'alice', roles: ['member'] }, connection: 'of the bridge', via: 'alice' };
const saying = {
  SAY: ({ harness: { session, alice }, text, ref }: Said) => session.say(alice, { text, ref }),
  STEER: ({ harness: { session, alice }, text, ref }: Said) => session.say(alice, { text, ref, steer: {} }),
  TRANSCRIPT: ({ harness: { runtime }, text, ref }: Said) =>
    runtime.voice.transcript('s', bridge, { text, ref, final: true, confidence: 1 }),
};
const commands = {
  ...saying,
  RESUME: ({ harness: { session, alice, recorder }, text, ref }: Said) =>
    session.resume(alice, { text, ref, turn: recorder.of('turn_opened')[0]?.turn ?? '' }),
  CANCEL: ({ harness: { session, alice }, ref }: Said) => session.cancel(alice, { target: 'session', ref }),
  APPROVE: ({ harness, ref }: Said) =>
    harness.session.answer(harness.alice, { target: harness.callNamed('book', 1), answer: 'approved', ref }),
  DENY: ({ harness, ref }: Said) =>
    harness.session.answer(harness.alice, { target: harness.callNamed('book', 1), answer: 'denied', ref }),
  ANSWER: ({ harness, text, ref }: Said) =>
    harness.session.answer(harness.alice, { target: harness.callNamed('inquire', 1), answer: 'answered', text, ref }),
};
type CommandType = keyof typeof commands;

const pairsOf = (types: readonly CommandType[]) =>
  types.flatMap((first) => types.filter((next) => next !== first).map((next) => [first, next] as const));

/** A voice session: a turn was stopped, and alice's next one waits for a yes and for an answer. */
async function start(whileRunning?: 'steer'): Promise<Harness> {
  const harness = await startHarness({
    tools: [
      { ...toolOf('book', async () => 'done'), approval: () => ({ text: 'May I?' }) },
      toolOf('inquire', (_, { ask }) => ask({ text: 'Where?' })),
    ],
    session: () => ({ kind: 'voice', whileRunning }),
    respond: ({ messages }) =>
      messages.at(-1)?.role === 'user' ? callsResponse(['book'], ['inquire']) : textResponse('done'),
  });
  await harness.say('to be resumed');
  await harness.clock.advance(50);
  await harness.cancel({ target: 'session' });
  await harness.clock.advance(1_000);
  await harness.say('runs');
  await harness.clock.advance(50);
  return harness;
}

async function perform(type: CommandType, said: Said): Promise<{ readonly type: string }> {
  const reply: Promise<{ readonly type: string }> = commands[type](said);
  await said.harness.clock.advance(0);
  return await reply;
}

/** Performs both under one ref; the second must be refused, and leave no fact. */
async function expectRefused(harness: Harness, [first, next]: readonly [CommandType, CommandType], text = 'words') {
  const said = { harness, text, ref: 'r' };
  expect((await perform(first, said)).type).not.toMatch(/refused|reused/);
  await harness.clock.advance(2_000);
  const facts = harness.recorder.facts.length;
  expect(await perform(next, said)).toEqual({ type: 'ref_reused' });
  await harness.clock.advance(2_000);
  expect(harness.recorder.facts).toHaveLength(facts);
}

describe('another type of command is refused under the ref [cancel.idempotent.ref]', () => {
  test.each(pairsOf(Object.keys(commands) as CommandType[]))('of a %s: a %s', async (first, next) => {
    await expectRefused(await start(), [first, next]);
  });

  test.each(pairsOf(['SAY', 'STEER', 'TRANSCRIPT', 'CANCEL']))(
    'of a %s that was a stop phrase: a %s',
    async (first, next) => {
      await expectRefused(await start(), [first, next], 'stop');
    },
  );

  test.each(pairsOf(['SAY', 'STEER', 'TRANSCRIPT']))(
    'of a %s, where all words are for the turn that runs: a %s',
    async (first, next) => {
      await expectRefused(await start('steer'), [first, next]);
    },
  );

  test.each(pairsOf(['SAY', 'STEER', 'TRANSCRIPT']))('of a %s that is in flight: a %s', async (first, next) => {
    const harness = await start();
    const replies = [first, next].map((type) => commands[type]({ harness, text: 'words', ref: 'r' }));
    await harness.clock.advance(0);
    expect((await Promise.all<{ readonly type: string }>(replies)).map(({ type }) => type)).toEqual([
      first === 'STEER' ? 'input_deferred' : 'turn_opened',
      'ref_reused',
    ]);
  });

  test.each(pairsOf(['SAY', 'STEER', 'TRANSCRIPT']))('of a %s, after a restart: a %s', async (first, next) => {
    const earlier = await start();
    await perform(first, { harness: earlier, text: 'words', ref: 'r' });
    await earlier.clock.advance(0);
    const harness = await startHarness({ log: earlier.log, life: 2, session: () => ({ kind: 'voice' }) });
    expect(await perform(next, { harness, text: 'words', ref: 'r' })).toEqual({ type: 'ref_reused' });
    expect(await perform(first, { harness, text: 'words', ref: 'r' })).toMatchObject({ repeated: { ref: 'r' } });
  });
});

describe('a copy in flight has a reply of its own [cancel.idempotent.ref]', () => {
  test.each([
    ['SAY', 'words', 'turn_opened'],
    ['STEER', 'words', 'input_deferred'],
    ['TRANSCRIPT', 'words', 'turn_opened'],
    ['SAY', 'stop', 'stop_phrase'],
    ['STEER', 'stop', 'stop_phrase'],
  ] as const)('%s "%s"', async (command, text, type) => {
    const harness = await start();
    const replies = Array.from({ length: 3 }, () => saying[command]({ harness, text, ref: 'r' }));
    await harness.clock.advance(0);
    const [first, ...copies] = (await Promise.all(replies)) as readonly { readonly repeated?: unknown }[];
    expect(first).toMatchObject({ type });
    expect(first?.repeated ?? false).toBe(false);
    for (const copy of copies) {
      expect(copy).toMatchObject({ type });
      expect(copy.repeated).toBeTruthy();
    }
    expect(harness.recorder.of('turn_opened')).toHaveLength(type === 'turn_opened' ? 3 : 2);
  });
});
