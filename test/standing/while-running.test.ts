// Words that a speaker says while a turn of the same speaker runs: each has one fate, also under a CANCEL.
import { describe, expect, test } from 'vitest';
import type { WhileRunning } from '../../machines/vocabulary.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf, callsResponse, type Harness, startHarness, textResponse } from '../support/harness.ts';

const bob = callerOf('bob');

/** A model that makes a call of 500 ms for words that say "work", and answers others in words. */
async function start(whileRunning: WhileRunning | undefined, more: { readonly interruptible?: boolean } = {}) {
  const harness = await startHarness({
    session: () => ({ whileRunning, ...more }),
    limits: { laneTurns: 3 },
    respond: ({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'user' && last.content.includes('work')
        ? callsResponse(['wait', { ms: 500 }])
        : textResponse('ok');
    },
  });
  await harness.session.join(bob, createRecorder().listener, null);
  return harness;
}

/** Says the text; resolves with the reply. */
async function reply(harness: Harness, text: string, ref?: string) {
  const said = harness.session.say(harness.alice, { text, ref });
  await harness.clock.advance(20);
  return said;
}

/** Returns the fate of each input, as the frames report it. */
function fatesOf(harness: Harness, inputs: readonly string[]): readonly string[] {
  const { recorder } = harness;
  return inputs.map((id) => {
    const fates = [
      ...recorder
        .of('turn_started')
        .filter(({ turn }) => turn === id)
        .map(() => 'consumed'),
      ...recorder
        .of('cancel_accepted')
        .flatMap(({ queue = [] }) =>
          queue.filter(({ input, fate }) => input === id && fate === 'cancelled').map(() => 'cancelled'),
        ),
    ];
    return fates.join();
  });
}

describe('under `queue`, the default', () => {
  test('words wait, and start when the turn before has settled [recover.queue]', async () => {
    const harness = await start(undefined);
    const turns = [await harness.say('work'), await harness.say('and then'), await harness.say('and more')];
    await harness.clock.advance(2_000);
    expect(turns.map((turn) => harness.endOf(turn)?.outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(fatesOf(harness, turns)).toEqual(['consumed', 'consumed', 'consumed']);
  });

  test('a CANCEL of the turn leaves what waits, and says so by its ids [recover.queue] [cancel.latch]', async () => {
    const harness = await start('queue');
    const [first, second] = [await harness.say('work'), await harness.say('and then')];
    await harness.clock.advance(50);
    expect(await harness.cancel({ target: first })).toMatchObject({
      receipt: { queue: [{ input: second, fate: 'queued' }] },
    });
    await harness.clock.advance(2_000);
    expect(harness.endOf(second)?.outcome).toBe('completed');
    expect(fatesOf(harness, [second])).toEqual(['consumed']);
  });

  test('a CANCEL that covers what waits cancels it, and names each once [recover.queue] [cancel.latch]', async () => {
    const harness = await start('queue');
    const [first, second, third] = [
      await harness.say('work'),
      await harness.say('and then'),
      await harness.say('more'),
    ];
    const his = await harness.say('work', bob);
    await harness.clock.advance(50);
    const { requests } = harness.provider;
    const before = requests.length;
    expect(await harness.cancel({ target: 'mine' })).toMatchObject({
      receipt: {
        queue: [
          { input: second, fate: 'cancelled' },
          { input: third, fate: 'cancelled' },
        ],
      },
    });
    await harness.clock.advance(2_000);
    expect([first, second, third].map((turn) => harness.endOf(turn)?.outcome)).toEqual(
      Array.from('123', () => 'cancelled'),
    );
    expect(fatesOf(harness, [second, third])).toEqual(['cancelled', 'cancelled']);
    expect(harness.endOf(his)?.outcome).toBe('completed');
    expect(requests.length).toBe(before + 1); // bob's, after his call
  });

  test('words that wait are cancelled by their own id, and what runs goes on [recover.queue]', async () => {
    const harness = await start('queue');
    const [first, second] = [await harness.say('work'), await harness.say('and then')];
    expect(await harness.cancel({ target: second })).toMatchObject({
      receipt: { stopping: [second], queue: [{ input: second, fate: 'cancelled' }] },
    });
    await harness.clock.advance(2_000);
    expect([first, second].map((turn) => harness.endOf(turn)?.outcome)).toEqual(['completed', 'cancelled']);
  });
});

test('under `interrupt` new words stop the turn that runs and those that wait, and come next [recover.queue]', async () => {
  const harness = await start('interrupt');
  const first = await harness.say('work');
  await harness.clock.advance(50);
  const his = await harness.say('work', bob);
  const [second, third] = [await harness.say('no, work on this'), await harness.say('or rather this')];
  await harness.clock.advance(3_000);
  expect([first, second, third].map((turn) => harness.endOf(turn)?.outcome)).toEqual([
    'superseded',
    'superseded',
    'completed',
  ]);
  expect(harness.endOf(his)?.outcome).toBe('completed');
});

test('under `interrupt` a turn that may not be interrupted runs to its end first [recover.queue] [cancel.shield]', async () => {
  const harness = await start('interrupt', { interruptible: false });
  const [first, second] = [await harness.say('work'), await harness.say('and then')];
  await harness.clock.advance(3_000);
  expect([first, second].map((turn) => harness.endOf(turn)?.outcome)).toEqual(['completed', 'completed']);
});

test('under `reject` new words are returned while a turn runs, and nothing of them is kept [recover.queue]', async () => {
  const harness = await start('reject');
  await harness.say('work');
  expect(await reply(harness, 'and then', 'r1')).toMatchObject({ type: 'say_refused', code: 'turn_running' });
  await harness.clock.advance(2_000);
  expect(await reply(harness, 'and then', 'r1')).toMatchObject({ type: 'turn_opened' });
  expect(harness.recorder.of('turn_opened')).toHaveLength(2);
  const other = harness.session.say(bob, { text: 'work' });
  await harness.clock.advance(0);
  expect((await other).type).toBe('turn_opened');
});

test('under `parallel` turns of a speaker run beside each other, up to a limit [recover.queue]', async () => {
  const harness = await start('parallel');
  const turns = [await harness.say('work'), await harness.say('work'), await harness.say('work')];
  await harness.clock.advance(50);
  expect(harness.entered).toHaveLength(3);
  expect(await reply(harness, 'one too many')).toMatchObject({ type: 'say_refused', code: 'lane_full' });
  await harness.cancel({ target: turns[1] ?? '' });
  await harness.clock.advance(2_000);
  expect(turns.map((turn) => harness.endOf(turn)?.outcome)).toEqual(['completed', 'cancelled', 'completed']);
});
