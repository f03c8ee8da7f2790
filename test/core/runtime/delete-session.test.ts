// Sessions of a runtime are exported and deleted: by whom, when, and what those who have joined receive.
import { describe, expect, test } from 'vitest';
import type { OutsideAgents } from '../../../src/core/contracts/outside-agents.ts';
import type { Observer } from '../../../src/core/session/session-spec.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, startHarness } from '../../support/harness.ts';

async function collect<T>(items: AsyncIterable<T> | null): Promise<T[] | null> {
  if (!items) return null;
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a session that is deleted', () => {
  test('loses its facts, and those who have joined leave; a SAY under its id opens a new one', async () => {
    const deleted: string[] = [];
    const observer: Observer = { deleted: (session) => void deleted.push(session) };
    const harness = await startHarness({ observers: [observer] });
    const ended: string[] = [];
    const bob = { ...createRecorder().listener, ended: (reason: string) => void ended.push(reason) };
    await harness.session.join(callerOf('bob'), bob, null);
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
    expect(await harness.runtime.deleteSession('s', null)).toBe(true);
    expect(ended).toEqual(['deleted']);
    expect(deleted).toEqual(['s']);
    expect(await collect(await harness.runtime.exportSession('s', null))).toBeNull();
    expect(await harness.runtime.deleteSession('s', null)).toBe(false);
    const again = harness.runtime.say('s', harness.alice, { text: 'again' });
    await harness.clock.advance(1_000);
    expect(await again).toMatchObject({ type: 'turn_opened' });
    const facts = await collect(await harness.runtime.exportSession('s', null));
    expect(facts?.map(({ seq, fact }) => [seq, fact.type]).slice(0, 2)).toEqual([
      [1, 'session_opened'],
      [2, 'turn_opened'],
    ]);
    expect(JSON.stringify(facts)).not.toContain('"words"');
  });

  test('is refused while something runs, and nothing is lost; it goes when that was stopped', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    const before = await harness.log.head('s');
    await expect(harness.runtime.deleteSession('s', null)).rejects.toMatchObject({ code: 'session_in_use' });
    expect((await harness.log.head('s')).last).toBe(before.last);
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    expect(await harness.runtime.deleteSession('s', null)).toBe(true);
  });

  test('by two at once, goes once', async () => {
    const harness = await startHarness();
    const both = [harness.runtime.deleteSession('s', null), harness.runtime.deleteSession('s', null)];
    await harness.clock.advance(1_000);
    expect((await Promise.all(both)).toSorted()).toEqual([false, true]);
  });

  test('takes the sessions of outside agents along', async () => {
    const forgotten: string[] = [];
    const outsideAgents: OutsideAgents = {
      checkAgents: () => expect.unreachable('none is configured'),
      forgetSession: (session) => void forgotten.push(session),
    };
    const harness = await startHarness({ outsideAgents });
    await harness.runtime.deleteSession('s', null);
    expect(forgotten).toEqual(['s']);
  });
});

test('only the owner and a moderator delete; who may read may export; refusals are reported once each', async () => {
  const refusals: unknown[] = [];
  const observer: Observer = { refused: (refusal) => void refusals.push(refusal) };
  const harness = await startHarness({
    observers: [observer],
    session: (id) => (id === 's' ? {} : { access: 'members' }),
  });
  await harness.runtime.open('plan', callerOf('ann'));
  const { runtime } = harness;
  const [bob, mia] = [callerOf('bob'), callerOf('mia', ['moderator'])];
  for (const caller of [bob, mia])
    await expect(runtime.exportSession('plan', caller)).rejects.toMatchObject({ code: 'access_denied' });
  for (const speaker of ['bob', 'mia']) await runtime.invite('plan', null, { speaker });
  expect(await collect(await runtime.exportSession('plan', bob))).toHaveLength(3);
  await expect(runtime.deleteSession('plan', bob)).rejects.toMatchObject({ code: 'access_denied' });
  await expect(runtime.deleteSession('never', bob)).rejects.toMatchObject({ code: 'access_denied' });
  expect(refusals).toEqual([
    { session: 'plan', speaker: 'bob', action: 'read', code: 'access_denied' },
    { session: 'plan', speaker: 'mia', action: 'read', code: 'access_denied' },
    { session: 'plan', speaker: 'bob', action: 'delete', code: 'access_denied' },
    { session: 'never', speaker: 'bob', action: 'delete', code: 'access_denied' },
  ]);
  expect(await runtime.deleteSession('plan', mia)).toBe(true);
});
