// Replacement of a session at the provider before its end, with a virtual clock, at the strict server.
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../machines/messages.ts';
import { createVirtualClock } from '../../../../src/core/sources/virtual.ts';
import type { ResponsePlan, ServerScript } from '../../../support/realtime/server-script.ts';
import { until } from '../../../support/until.ts';
import { assistant, LinkedModel, spokenSound, userMessage } from './linked-model.ts';

const minute = 60_000;
const words = 'One two three four.';
const plan: ResponsePlan = { text: words, ms: 800 };
const log: readonly Message[] = [userMessage('hello'), assistant(words), userMessage('and now?')];
const logAtProvider = [
  { role: 'user', text: 'hello' },
  { role: 'assistant', text: words },
  { role: 'user', text: 'and now?' },
];

/** A model whose time is virtual, and whose responses may be silent for as long as they like. */
async function startAged(script: Partial<ServerScript>) {
  const clock = createVirtualClock(Date.now()); // the server names the end of its sessions by the time of day
  const it = await LinkedModel.start({ respond: () => plan, ...script }, { clock, firstByteMs: 0, idleMs: 0 });
  return { it, clock, closed: () => it.server.sessions.map(({ closedWith }) => closedWith) };
}

/** Holds the last event of the first response until it is opened. */
function heldEnd() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate: ServerScript['gate'] = (event, when) =>
    event['type'] === 'response.done' && when === 'before' ? promise : undefined;
  return { gate, open: resolve };
}

describe('a session at the provider is replaced [voice.realtime]', () => {
  test('when it is half an hour old and nothing happens', async () => {
    const { it, clock, closed } = await startAged({});
    await using _ = it;
    for (let passed = 0; passed < 30; passed += 3) {
      await it.call(`t${passed}`, [userMessage('hello')]).end;
      await clock.advance(3 * minute - 1);
    }
    expect(closed()).toEqual([null]); // it is in use, and not old yet
    await clock.advance(minute);
    await until(() => closed()[0] === 1_000);
    expect(await it.call('next', log).end).toMatchObject({ kind: 'completed' });
    expect(it.server.sessions).toHaveLength(2);
    expect(it.server.session.requests).toMatchObject([{ context: logAtProvider }]);
    expect([it.server.refusals, it.room.warnings, it.room.msOf('next')]).toEqual([[], [], 800]);
  });

  test('when it was not used for five minutes', async () => {
    const { it, clock, closed } = await startAged({});
    await using _ = it;
    await it.call('t1', [userMessage('hello')]).end;
    await clock.advance(5 * minute - 1);
    it.speak('ann', [new Uint8Array(960)]); // sound is a use, also without words
    await clock.advance(5 * minute - 1);
    expect(closed()).toEqual([null]);
    await clock.advance(minute);
    await until(() => closed()[0] === 1_000);
    await clock.advance(60 * minute);
    expect(it.server.upgrades).toBe(1); // the next one is opened when it is needed
  });

  test('after a response that runs, when it is old', async () => {
    const held = heldEnd();
    const { it, clock, closed } = await startAged({ gate: held.gate });
    await using _ = it;
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.room.msOf('t1') === 800);
    await clock.advance(40 * minute);
    expect(closed()).toEqual([null]);
    held.open();
    expect(await call.end).toMatchObject({ kind: 'completed' });
    await clock.advance(minute);
    await until(() => closed()[0] === 1_000);
    expect(await it.call('t2', log).end).toMatchObject({ kind: 'completed' });
    expect(it.server.session.requests).toMatchObject([{ context: logAtProvider }]);
  });
});

describe('five minutes before the end that the provider has named [voice.realtime]', () => {
  const lifetimeMs = 20 * minute;

  test('a session is replaced also while it is used, and its response ends whole', async () => {
    const held = heldEnd();
    const { it, clock, closed } = await startAged({ gate: held.gate, lifetimeMs });
    await using _ = it;
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.room.msOf('t1') === 800);
    await clock.advance(15 * minute - 2_000);
    const same = it.call('t2', [userMessage('hello')]); // it waits for the first one
    await clock.advance(4_000);
    it.server.script = { respond: () => plan, lifetimeMs };
    expect(await it.call('t3', log).end).toMatchObject({ kind: 'completed' });
    const [first, second] = it.server.sessions;
    expect(second?.requests).toMatchObject([{ context: logAtProvider }]);
    expect(closed()).toEqual([null, null]);
    held.open();
    for (const { end } of [call, same]) expect(await end).toMatchObject({ kind: 'completed', finish: 'stop' });
    expect(first?.requests).toHaveLength(2);
    for (const turn of ['t1', 't2', 't3']) expect(it.room.msOf(turn)).toBe(800);
    await until(() => closed()[0] === 1_000);
    expect([closed(), it.server.refusals, it.room.warnings]).toEqual([[1_000, null], [], []]);
  });

  test('words that are still to be judged come from the old session, and sound goes to the new one', async () => {
    const recognized = Promise.withResolvers<void>();
    const transcribe = async () => {
      await recognized.promise;
      return { text: 'Tell me a story.' };
    };
    const { it, clock, closed } = await startAged({ transcribe, lifetimeMs });
    await using _ = it;
    it.speak('ann', spokenSound(400));
    await until(() => it.server.sessions[0]?.conversation.items.length === 1);
    await clock.advance(15 * minute + 2_000);
    expect(closed()).toEqual([null]);
    it.speak('bob', spokenSound(400));
    await until(() => it.server.sessions[1]?.conversation.items.length === 1);
    recognized.resolve();
    await until(() => it.room.heard.filter(({ final }) => final).length === 2);
    expect(it.room.heard.filter(({ final }) => final).map(({ speaker }) => speaker)).toEqual(
      expect.arrayContaining(['ann', 'bob']),
    );
    await until(() => closed()[0] === 1_000);
    expect(closed()).toEqual([1_000, null]);
  });

  test('what somebody is saying is heard to its end by the old session', async () => {
    const { it, clock, closed } = await startAged({ transcribe: () => ({ text: 'Tell me a story.' }), lifetimeMs });
    await using _ = it;
    it.speak('ann', spokenSound(400, 0));
    await until(() => it.room.voices.length === 1);
    await clock.advance(15 * minute + 2_000);
    it.speak('ann', spokenSound(400));
    await until(() => closed()[0] === 1_000);
    expect(it.server.sessions).toHaveLength(1);
    expect(it.room.voices).toMatchObject([{ state: 'began' }, { state: 'ended' }]);
    expect(it.room.heard.at(-1)).toEqual({ speaker: 'ann', text: 'Tell me a story.', final: true });
    it.speak('ann', spokenSound(400));
    await until(() => it.server.sessions[1]?.conversation.items.length === 1);
  });

  test('a response that does not end is cut off before the provider does it, and is a failure by name', async () => {
    const { it, clock, closed } = await startAged({ respond: () => ({ ...plan, neverDone: true }), lifetimeMs });
    await using _ = it;
    const call = it.call('t1', [userMessage('hello')]);
    await until(() => it.room.msOf('t1') === 800);
    await clock.advance(19 * minute + 2_000);
    expect(await call.end).toMatchObject({ kind: 'failed', code: 'model_cut_off' });
    await until(() => closed()[0] === 1_000);
    it.server.script = { respond: () => plan };
    expect(await it.call('t2', log).end).toMatchObject({ kind: 'completed' });
  });
});
