// A SAY whose words are a stop phrase: it cancels what its speaker has standing over, and is an ordinary message where that is nothing.
import { describe, expect, test } from 'vitest';
import type { AccessRule } from '../../../machines/access.ts';
import type { Caller, SayReply, SayRequest } from '../../../src/core/session/api.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, type Harness, startHarness, textResponse, toolOf } from '../../support/harness.ts';

const bob = callerOf('bob');
const carol = callerOf('carol', ['moderator']);

async function speak(harness: Harness, said: string | SayRequest, member: Caller = harness.alice): Promise<SayReply> {
  const pending = harness.session.say(member, typeof said === 'string' ? { text: said } : said);
  await harness.clock.advance(0);
  return pending;
}

/** A turn of alice with a call of hers and one of bob's; bob is in the session, too. */
async function shared(config: Parameters<typeof startHarness>[0] = {}) {
  const harness = await startHarness({
    respond: callsOnce(['wait', { ms: 900 }], ['wait', { ms: 300, of: 'bob' }]),
    ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
    ...config,
  });
  await harness.session.join(bob, createRecorder().listener, null);
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  return { harness, turn, hers: harness.callNamed('wait', 0), his: harness.callNamed('wait', 1) };
}

const owner = { session: () => ({ policy: 'owner' as const }) };
const opened = (harness: Harness) => harness.recorder.of('turn_opened').length;

describe('a stop phrase while something runs', () => {
  test('takes the road of a CANCEL, by everybody in a text session [intent.target] [cancel.sources.phrase]', async () => {
    const { harness, turn, hers, his } = await shared();
    const reply = await speak(harness, { text: 'ok, STOP it!', ref: 'r1' }, bob);
    const [accepted] = harness.recorder.of('cancel_accepted');
    expect(reply).toEqual({ type: 'stop_phrase', cancel: accepted?.cancel, repeated: false });
    expect(accepted).toMatchObject({
      source: 'phrase',
      by: 'bob',
      ref: 'r1',
      target: 'session',
      reason: 'ok, STOP it!',
      refused: [],
      stopping: [turn, hers, his],
    });
    await harness.clock.advance(500);
    expect(harness.outcomes()).toEqual({ [hers]: 'cancelled', [his]: 'cancelled' });
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    expect(harness.settledReceipts()[0]).toMatchObject({
      cancel: accepted?.cancel,
      cause: { source: 'phrase', by: 'bob' },
    });
    expect([opened(harness), harness.provider.requests.length]).toEqual([1, 1]);
  });

  test('stops exactly what its speaker may stop [intent.target] [owner.node]', async () => {
    const { harness, turn, hers, his } = await shared(owner);
    expect(await speak(harness, 'stop', bob)).toMatchObject({ type: 'stop_phrase' });
    const refused = [turn, hers].map((node) => ({ node, reason: 'not_owner' }));
    expect(harness.recorder.of('cancel_accepted')).toMatchObject([{ stopping: [his], refused }]);
    await harness.clock.advance(2_000);
    expect(harness.outcomes()).toEqual({ [hers]: 'completed', [his]: 'cancelled' });
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('also what waits in a lane, and all of it for a moderator [intent.target] [cancel.latch]', async () => {
    const { harness, turn } = await shared(owner);
    const queued = await harness.say('afterwards');
    expect(await speak(harness, 'stop', carol)).toMatchObject({ type: 'stop_phrase' });
    await harness.clock.advance(1_000);
    expect([turn, queued].map((id) => harness.endOf(id)?.outcome)).toEqual(['cancelled', 'cancelled']);
    expect(harness.provider.requests).toHaveLength(1);
  });

  test('over nothing that its speaker may stop: an ordinary message, and the decision is recorded [intent.target] [owner.voice]', async () => {
    const dave = callerOf('dave');
    const { harness, turn, hers, his } = await shared(owner);
    expect(await speak(harness, 'stop', dave)).toMatchObject({ type: 'turn_opened' });
    expect(harness.recorder.of('turn_opened').at(-1)).toMatchObject({ owner: 'dave', text: 'stop' });
    const decisions = harness.recorder.facts.filter(({ type }) => type === 'cancel_decided');
    expect(decisions).toMatchObject([{ source: 'phrase', by: 'dave' }]);
    const words = harness.recorder.of('turn_opened').at(-1)?.turn;
    expect(harness.recorder.of('cancel_refused')).toMatchObject([
      {
        source: 'phrase',
        by: 'dave',
        ref: null,
        target: 'session',
        words,
        refused: [turn, hers, his].map((node) => ({ node, reason: 'not_owner' })),
      },
    ]);
    await harness.clock.advance(2_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });
});

describe('an ordinary message', () => {
  test('is a stop phrase where nothing runs [cancel.noop]', async () => {
    const harness = await startHarness({ respond: () => textResponse('There is nothing to stop.') });
    expect(await speak(harness, 'stop')).toMatchObject({ type: 'turn_opened' });
    await harness.clock.advance(100);
    expect(harness.provider.requests).toHaveLength(1);
  });

  test('is what only contains a stop word: it queues [intent.strict]', async () => {
    const { harness, turn } = await shared();
    for (const text of ['stop the music', "don't stop", 'stop?'])
      expect(await speak(harness, text)).toMatchObject({ type: 'turn_opened' });
    await harness.clock.advance(2_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('is a stop phrase of a speaker whom the rule of access does not let cancel', async () => {
    const access: AccessRule = (action) => (action === 'cancel' ? { may: false } : { may: true, because: 'rule' });
    const { harness, turn } = await shared({ session: () => ({ access }) });
    expect(await speak(harness, 'stop', bob)).toMatchObject({ type: 'turn_opened' });
    expect(harness.endOf(turn)).toBeUndefined();
  });

  test('is one in another language than those of the session', async () => {
    const { harness } = await shared({ session: () => ({ stopPhrases: { languages: ['de'], names: ['Rita'] } }) });
    expect(await speak(harness, 'forget it')).toMatchObject({ type: 'turn_opened' });
    expect(await speak(harness, 'Rita, hör auf')).toMatchObject({ type: 'stop_phrase' });
  });
});

describe('a repeat', () => {
  test('while its target is stopping gets the same receipt, and opens no turn [cancel.idempotent.phrase]', async () => {
    const harness = await startHarness({
      respond: callsOnce(['ignores_signal', { ms: 3_000 }]),
      limits: { toolCancelMs: 4_000 },
    });
    await harness.session.join(bob, createRecorder().listener, null);
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const first = await speak(harness, 'stop');
    const [accepted] = harness.recorder.of('cancel_accepted');
    for (const [member, text] of [
      [harness.alice, 'stop stop stop'],
      [bob, 'no, stop'],
      [harness.alice, 'nvm'],
    ] as const)
      expect(await speak(harness, text, member)).toEqual({
        type: 'stop_phrase',
        cancel: accepted?.cancel,
        repeated: true,
      });
    expect(first).toMatchObject({ cancel: accepted?.cancel, repeated: false });
    await harness.clock.advance(6_000);
    expect([harness.recorder.of('cancel_accepted').length, harness.settledReceipts().length, opened(harness)]).toEqual([
      1, 1, 1,
    ]);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  });

  test.each(['stop', 'nvm'])(
    'a CANCEL under the ref of %s is another command: it never counts as its repeat [cancel.idempotent.ref]',
    async (text) => {
      const { harness } = await shared();
      if (text === 'nvm') await speak(harness, 'stop'); // then these words find all of it stopping
      await speak(harness, { text, ref: 'r1' });
      await harness.clock.advance(2_000);
      const next = await harness.say('next');
      expect(await harness.cancel({ target: 'session', ref: 'r1' })).toEqual({ type: 'ref_reused' });
      expect(await harness.cancel({ target: 'session', ref: 'r2' })).toMatchObject({ type: 'cancel_accepted' });
      await harness.clock.advance(2_000);
      expect(harness.endOf(next)?.outcome).toBe('cancelled');
    },
  );

  test('under the same ref is the same command, also when it is over [cancel.idempotent.ref]', async () => {
    const { harness } = await shared();
    const said = { text: 'stop', ref: 'r1' };
    const first = await speak(harness, said);
    await speak(harness, { text: 'nvm', ref: 'r2' });
    await harness.clock.advance(2_000);
    await harness.say('next');
    expect(await speak(harness, said)).toEqual({ ...first, repeated: true });
    expect(await speak(harness, { text: 'nvm', ref: 'r2' })).toEqual({ ...first, repeated: true });
    expect(await speak(harness, { text: 'hello', ref: 'r1' })).toEqual({ type: 'ref_reused' });
    expect(harness.recorder.of('cancel_accepted')).toHaveLength(1);
  });
});

test('words that stopped nothing are a SAY under their ref, and no CANCEL: a repeat gets the same turn, also when it is over [cancel.idempotent.ref]', async () => {
  const dave = callerOf('dave');
  const { harness } = await shared(owner);
  const said = { text: 'stop', ref: 'r1' };
  const first = await speak(harness, said, dave);
  expect(first).toMatchObject({ type: 'turn_opened' });
  expect(harness.recorder.of('cancel_refused')).toHaveLength(1);
  const isSame = { type: 'turn_opened', turn: first.type === 'turn_opened' ? first.turn : null };
  expect(await speak(harness, said, dave)).toMatchObject(isSame);
  await harness.clock.advance(2_000);
  expect(await speak(harness, said, dave)).toMatchObject(isSame);
  expect(await harness.cancel({ target: 'session', ref: 'r1' }, dave)).toEqual({ type: 'ref_reused' });
  expect(harness.recorder.of('cancel_refused')).toHaveLength(1);
});

test('an ANSWER is never a stop phrase, and a SAY never an answer [intent.one]', async () => {
  const asks = toolOf('asks', (_, { ask }) => ask({ text: 'What does the sign say?' }));
  const harness = await startHarness({ tools: [asks], respond: callsOnce(['asks'], ['asks']) });
  await harness.session.join(bob, createRecorder().listener, null);
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  const [first, second] = [harness.callNamed('asks', 0), harness.callNamed('asks', 1)];
  const answered = harness.session.answer(harness.alice, { target: first, answer: 'answered', text: 'stop' });
  await harness.clock.advance(50);
  expect(await answered).toEqual({ type: 'answer_taken' });
  expect(harness.outcomes()).toEqual({ [first]: 'completed' });
  expect(await speak(harness, 'a red one')).toMatchObject({ type: 'turn_opened' });
  expect(harness.outcomes()).toEqual({ [first]: 'completed' });
  expect(await speak(harness, 'never mind')).toMatchObject({ type: 'stop_phrase' });
  await harness.clock.advance(100);
  expect(harness.outcomes()).toEqual({ [first]: 'completed', [second]: 'cancelled' });
  expect(harness.recorder.of('question_closed').map(({ answer }) => answer)).toEqual(['answered', 'withdrawn']);
  expect(harness.endOf(turn)?.outcome).toBe('cancelled');
});
