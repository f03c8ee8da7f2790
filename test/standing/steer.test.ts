// Words for a turn that runs: its next model call reads them, or they open a turn, or a CANCEL stops them; each has one fate.
import { describe, expect, test } from 'vitest';
import type { Policy, WhileRunning } from '../../machines/vocabulary.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf, callsResponse, type Harness, startHarness, textResponse } from '../support/harness.ts';

const bob = callerOf('bob');

interface Rules {
  readonly whileRunning?: WhileRunning;
  readonly policy?: Policy;
}

/** A model that makes a call of 500 ms for words that say "work", also when they were said to a turn that runs, and answers others in words, `talk` slowly. */
async function start({ whileRunning, policy = 'anyone' }: Rules = {}) {
  const harness = await startHarness({
    session: () => ({ whileRunning, policy }),
    limits: { laneTurns: 3 },
    respond: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.content === 'talk') return { steps: [{ waitMs: 300 }, { text: 'a long answer' }] };
      return last?.role === 'user' && last.content.includes('work')
        ? callsResponse(['wait', { ms: 500 }])
        : textResponse('ok');
    },
  });
  await harness.session.join(bob, createRecorder().listener, null);
  return harness;
}

/** Says the text to the turn that runs; resolves with the reply. */
async function steer(harness: Harness, text: string, caller = harness.alice, target?: string, ref?: string) {
  const said = harness.session.say(caller, { text, ref, steer: { target } });
  await harness.clock.advance(20);
  return said;
}

/** The fates of an input, as the facts report them. */
const fatesOf = (harness: Harness, input: string): readonly string[] =>
  harness.recorder.of('input_settled').flatMap((fact) => (fact.input === input ? [fact.fate] : []));

const inputOf = (reply: unknown): string => (reply as { readonly input?: string }).input ?? 'no input';

describe('a STEER', () => {
  test('is read by the next model call of the turn, after the results of the round before [recover.queue]', async () => {
    const harness = await start();
    const turn = await harness.say('work');
    await harness.clock.advance(50);
    const reply = await steer(harness, 'and look at b too');
    expect(reply).toMatchObject({ type: 'input_deferred', turn });
    expect((await harness.session.nodes()).filter(({ kind }) => kind === 'input')).toMatchObject([
      { node: inputOf(reply), owner: 'alice', parent: turn, state: 'running' },
    ]);
    await harness.clock.advance(2_000);
    expect(fatesOf(harness, inputOf(reply))).toEqual(['consumed']);
    expect(harness.recorder.of('input_settled')).toMatchObject([{ turn, index: 1, owner: 'alice' }]);
    const roles = harness.provider.requests.at(-1)?.messages.map(({ role }) => role);
    expect(roles?.slice(-5)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(harness.provider.requests.at(-1)?.messages.at(-1)).toMatchObject({ content: 'and look at b too' });
    expect(harness.recorder.of('turn_opened')).toHaveLength(1);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('that comes before the first model call is read by it, in one message with the words of the turn [recover.queue]', async () => {
    const harness = await start();
    const turn = harness.session.say(harness.alice, { text: 'hello' });
    const said = harness.session.say(harness.alice, { text: 'and more', steer: {} });
    await harness.clock.advance(20);
    expect(await said).toMatchObject({ type: 'input_deferred', turn: ((await turn) as { turn: string }).turn });
    expect(
      harness.provider.requests.map(({ messages }) => messages.filter(({ role }) => role === 'user')),
    ).toMatchObject([[{ content: 'hello\n\nand more' }]]);
  });

  test('of a turn that ends without another model call opens a turn, in its place in the lane [recover.queue]', async () => {
    const harness = await start();
    const turn = await harness.say('talk');
    await harness.clock.advance(10);
    const inputs = [await steer(harness, 'one'), await steer(harness, 'two')].map(inputOf);
    const later = await harness.say('three');
    await harness.clock.advance(5_000);
    expect(inputs.map((input) => fatesOf(harness, input))).toEqual([['queued'], ['queued']]);
    const started = harness.recorder.of('turn_started').map((fact) => fact.turn);
    expect(started).toEqual([turn, ...inputs, later]);
    const opened = harness.recorder.of('turn_opened').map((fact) => [fact.turn, fact.text]);
    expect(opened).toContainEqual([inputs[0], 'one']);
    expect(inputs.map((input) => harness.endOf(input)?.outcome)).toEqual(['completed', 'completed']);
  });

  test.each(['queue', 'interrupt', 'reject', 'parallel'] as const)(
    'steers under the policy `%s`, and is a SAY where no turn runs [recover.queue]',
    async (whileRunning) => {
      const harness = await start({ whileRunning });
      const first = await steer(harness, 'work');
      expect(first).toMatchObject({ type: 'turn_opened' });
      const second = await steer(harness, 'also this');
      expect(second).toMatchObject({ type: 'input_deferred', turn: (first as { turn: string }).turn });
      await harness.clock.advance(2_000);
      expect(fatesOf(harness, inputOf(second))).toEqual(['consumed']);
    },
  );

  test('to a turn that is being stopped, or has settled, is a SAY [recover.queue]', async () => {
    const harness = await start();
    const turn = await harness.say('work');
    await harness.clock.advance(50);
    const cancelled = harness.session.cancel(harness.alice, { target: turn });
    const said = harness.session.say(harness.alice, { text: 'go another way', steer: { target: turn } });
    await harness.clock.advance(20);
    await cancelled;
    expect(await said).toMatchObject({ type: 'turn_opened' });
    await harness.clock.advance(3_000);
    expect(await steer(harness, 'and now', harness.alice, turn)).toMatchObject({ type: 'turn_opened' });
  });

  test('whose words are a stop phrase is a CANCEL [recover.queue] [cancel.sources.phrase]', async () => {
    const harness = await start();
    const turn = await harness.say('work');
    await harness.clock.advance(50);
    expect(await steer(harness, 'ok nvm')).toMatchObject({ type: 'stop_phrase' });
    await harness.clock.advance(2_000);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  });

  test('is refused above the limit of the lane, with nothing kept [recover.queue]', async () => {
    const harness = await start();
    await harness.say('work');
    for (const text of ['one', 'two', 'three'])
      expect(await steer(harness, text)).toMatchObject({ type: 'input_deferred' });
    expect(await steer(harness, 'four')).toMatchObject({ type: 'say_refused', code: 'lane_full' });
    expect(harness.recorder.of('input_deferred')).toHaveLength(3);
  });

  test('of a call is refused: only a turn can be steered [recover.queue]', async () => {
    const harness = await start();
    await harness.say('work');
    await harness.clock.advance(50);
    const [call] = harness.recorder.of('tool_call');
    const reply = await steer(harness, 'faster', harness.alice, call?.node);
    expect(reply).toMatchObject({ type: 'say_refused', code: 'not_steerable' });
  });

  test('under the same ref is a repeat; with other words the ref is refused [recover.queue] [cancel.idempotent.ref]', async () => {
    const harness = await start();
    const turn = await harness.say('work');
    const first = await steer(harness, 'also this', harness.alice, undefined, 's1');
    const input = inputOf(first);
    expect(await steer(harness, 'also this', harness.alice, undefined, 's1')).toMatchObject({
      type: 'input_deferred',
      input,
      repeated: { input, turn },
    });
    expect(await steer(harness, 'or that', harness.alice, undefined, 's1')).toEqual({ type: 'ref_reused' });
    await harness.clock.advance(2_000);
    expect(fatesOf(harness, input)).toEqual(['consumed']);
    expect(await steer(harness, 'also this', harness.alice, undefined, 's1')).toMatchObject({ input });
    expect(harness.recorder.of('input_deferred')).toHaveLength(1);
  });
});

test('under the policy `steer` a SAY is read by the turn that runs, and the lane of another speaker is untouched [recover.queue]', async () => {
  const harness = await start({ whileRunning: 'steer' });
  const turn = await harness.say('work');
  await harness.clock.advance(50);
  const said = harness.session.say(harness.alice, { text: 'look at b too' });
  const his = harness.session.say(bob, { text: 'hello' });
  await harness.clock.advance(20);
  expect(await said).toMatchObject({ type: 'input_deferred', turn });
  expect(await his).toMatchObject({ type: 'turn_opened' });
});

describe('a CANCEL', () => {
  test('of a turn cancels what was deferred to it: the receipt lists it, and no model reads it as a request [cancel.latch.deferred] [recover.queue]', async () => {
    const harness = await start();
    const turn = await harness.say('work');
    await harness.clock.advance(50);
    const input = inputOf(await steer(harness, 'secret plan'));
    const waiting = await harness.say('and then');
    const reply = await harness.cancel({ target: turn });
    expect(reply).toMatchObject({ type: 'cancel_accepted' });
    const { receipt } = reply as unknown as { receipt: { stopping: string[]; queue: object[] } };
    expect(receipt.stopping).toContain(input);
    expect(receipt.queue).toEqual([
      { input, fate: 'cancelled' },
      { input: waiting, fate: 'queued' },
    ]);
    await harness.clock.advance(3_000);
    expect(fatesOf(harness, input)).toEqual(['cancelled']);
    expect(harness.recorder.of('cancel_settled')[0]?.nodes).toContainEqual({
      node: input,
      kind: 'input',
      outcome: 'cancelled',
      effect: 'not_started',
      ms: expect.any(Number),
      times: expect.any(Array),
    });
    expect(harness.recorder.of('turn_opened').map((fact) => fact.turn)).not.toContain(input);
    const prompt = harness.provider.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(prompt).toContain('was stopped before you could read it: "secret plan"');
  });

  test('by its own id, or by the ref of the STEER, cancels an input alone: the turn goes on without it [recover.queue] [cancel.latch.deferred]', async () => {
    const harness = await start();
    const turn = await harness.say('work');
    await harness.clock.advance(50);
    const one = inputOf(await steer(harness, 'one'));
    const two = inputOf(await steer(harness, 'two', harness.alice, undefined, 's2'));
    expect(await harness.cancel({ target: one })).toMatchObject({
      receipt: { stopping: [one], queue: [{ input: one, fate: 'cancelled' }] },
    });
    expect(await harness.cancel({ target: 'say:s2' })).toMatchObject({ receipt: { stopping: [two] } });
    await harness.clock.advance(2_000);
    expect([one, two].map((input) => fatesOf(harness, input))).toEqual([['cancelled'], ['cancelled']]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    expect(await harness.cancel({ target: one })).toMatchObject({ type: 'already_settled' });
    expect(harness.provider.requests.at(-1)?.messages.at(-1)?.role).toBe('tool');
  });

  test('under `owner` leaves the input of another speaker, which then opens a turn of that speaker [cancel.latch.deferred] [owner.node]', async () => {
    const harness = await start({ policy: 'owner' });
    const his = await harness.say('work', bob);
    await harness.clock.advance(50);
    const refused = await steer(harness, 'mine', harness.alice, his);
    expect(refused).toMatchObject({ type: 'say_refused', code: 'not_owner' });
    await harness.session.delegate(bob, { speaker: 'alice' });
    const input = inputOf(await steer(harness, 'look here', harness.alice, his));
    await harness.clock.advance(20);
    const reply = harness.session.cancel(bob, { target: his });
    await harness.clock.advance(300);
    expect(await reply).toMatchObject({
      receipt: { refused: [{ node: input, reason: 'not_owner' }], queue: [{ input, fate: 'queued' }] },
    });
    await harness.clock.advance(3_000);
    expect(fatesOf(harness, input)).toEqual(['queued']);
    expect(harness.endOf(input)?.outcome).toBe('completed');
    expect(harness.recorder.of('turn_opened').find(({ turn }) => turn === input)?.owner).toBe('alice');
  });
});

test('the calls of a round belong to the speaker of the last input that it has read, and so do later ones [owner.node]', async () => {
  const harness = await start();
  await harness.say('work');
  await harness.clock.advance(50);
  const [turn] = harness.recorder.of('turn_opened');
  await steer(harness, 'work on this', bob, turn?.turn);
  await harness.clock.advance(3_000);
  expect(harness.recorder.of('tool_call').map(({ owner }) => owner)).toEqual(['alice', 'bob']);
  expect(harness.recorder.of('model_ended').map(({ owner }) => owner)).toEqual(['alice', 'alice', 'alice']);
  expect(harness.provider.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: 'bob: work on this' });
});

test('an input that opens a turn waits for the turn of its speaker that was said later and runs already [recover.queue]', async () => {
  const harness = await start();
  const his = await harness.say('talk', bob);
  await harness.clock.advance(10);
  const input = inputOf(await steer(harness, 'for bob', harness.alice, his));
  const running = await harness.say('work');
  await harness.clock.advance(5_000);
  expect(fatesOf(harness, input)).toEqual(['queued']);
  const { facts } = harness.recorder;
  const ended = facts.findIndex((fact) => fact.type === 'turn_ended' && fact.turn === running);
  const started = facts.findIndex((fact) => fact.type === 'turn_started' && fact.turn === input);
  expect(started).toBeGreaterThan(ended);
});
