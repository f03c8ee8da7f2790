// Access to the sessions of a runtime: who opens, joins, reads, speaks, stops and invites, and what a refusal leaves behind.
import { describe, expect, test } from 'vitest';
import type { Role } from '../../../machines/vocabulary.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { Log, LogBody } from '../../../src/core/contracts/log.ts';
import { createLocalRuntime } from '../../../src/core/runtime/runtime.ts';
import type { Caller } from '../../../src/core/session/api.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { startHarness } from '../../support/harness.ts';
import { wrapLog } from '../../support/wrap-log.ts';

interface Token {
  readonly sessions?: readonly string[];
  readonly roles?: readonly Role[];
  readonly as?: string;
}

/** A caller that a token has proven. */
function withToken(id: string, { sessions, roles = ['member'], as }: Token = {}): Caller {
  const speaker = { id, roles };
  const proof = { speaker, sessions: sessions ?? null };
  const connection = `connection-of-${id}`;
  return as === undefined
    ? { speaker, connection, proof }
    : { speaker: { id: as, roles: ['member'] }, connection, via: id, proof };
}

const [ann, bob] = [withToken('ann'), withToken('bob')];
const denied = { code: 'access_denied' };

/** A log of the version before owners, in which these speakers have said something, some of them by a bridge. */
async function earlierLog(...turns: readonly { readonly owner: string; readonly via?: string }[]): Promise<Log> {
  const log = createMemoryLog();
  const opened: LogBody = { type: 'session_opened', kind: 'text', policy: 'anyone', at: 0 } as LogBody;
  const said = turns.flatMap((turn, i) => [
    { type: 'turn_opened', turn: `t${i}`, kind: 'say', lane: turn.owner, text: 'x', ref: null, at: 0, ...turn },
    {
      type: 'turn_ended',
      turn: `t${i}`,
      outcome: 'completed',
      effect: 'none',
      usage: { kind: 'exact', input: 0, output: 0 },
      at: 0,
    },
  ]);
  await log.claim('old', 0, 'host');
  await log.append('old', 1, 0, [opened, ...said]);
  await log.release('old', 1);
  return log;
}

const listener = () => createRecorder().listener;

describe('who opens a session owns it', () => {
  test('others are refused every command, until the owner invites them: a fact that a restart keeps [access.join]', async () => {
    const log = createMemoryLog();
    const { runtime } = await startHarness({ log });
    await runtime.join('plan', ann, listener(), null);
    await expect(runtime.join('plan', bob, listener(), null)).rejects.toMatchObject(denied);
    await expect(runtime.say('plan', bob, { text: 'hi' })).rejects.toMatchObject(denied);
    await expect(runtime.cancel('plan', bob, { target: 'session' })).rejects.toMatchObject(denied);
    await expect(runtime.answer('plan', bob, { target: 'x', answer: 'approved' })).rejects.toMatchObject(denied);
    await expect(runtime.invite('plan', bob, { speaker: 'bob' })).rejects.toMatchObject(denied);
    const seen = createRecorder();
    await runtime.join('plan', ann, seen.listener, null);
    expect(await runtime.invite('plan', ann, { speaker: 'bob', ref: 'i1' })).toMatchObject({ repeated: false });
    expect(await runtime.invite('plan', ann, { speaker: 'bob', ref: 'i2' })).toMatchObject({ repeated: true });
    expect(seen.of('member_invited')).toMatchObject([{ speaker: 'bob', by: 'ann', ref: 'i1' }]);
    await runtime.join('plan', bob, listener(), 0);
    await expect(runtime.invite('plan', bob, { speaker: 'carl' })).rejects.toMatchObject(denied);
    await runtime.close();
    const { runtime: next } = await startHarness({ log, life: 2 });
    await next.join('plan', bob, listener(), 0);
    await next.invite('plan', ann, { speaker: 'carl' });
    await expect(next.join('plan', withToken('dora'), listener(), 0)).rejects.toMatchObject(denied);
  });

  test('who opened it is a fact; a program owns nothing [access.join]', async () => {
    const { runtime, log } = await startHarness();
    await runtime.open('hers', ann);
    await runtime.open('room', withToken('discord', { roles: ['bridge'], as: 'zoe' }));
    await runtime.open('programs');
    const first = async (session: string) => (await log.read(session, 0, 1))[0]?.body;
    expect(await first('hers')).toMatchObject({ type: 'session_opened', by: 'ann' });
    expect(await first('room')).toMatchObject({ by: 'discord' });
    expect(await first('programs')).toMatchObject({ by: null });
    await expect(runtime.join('programs', ann, listener(), null)).rejects.toMatchObject(denied);
    await runtime.invite('programs', null, { speaker: 'ann' });
    await runtime.join('programs', ann, listener(), null);
  });

  test('of two who open it at once, one does [access.join]', async () => {
    const { runtime } = await startHarness();
    const joins = await Promise.allSettled([
      runtime.join('new', ann, listener(), null),
      runtime.join('new', bob, listener(), null),
    ]);
    expect(joins).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: denied }]);
  });

  test('a token that names sessions opens and joins these [access.join]', async () => {
    const { runtime } = await startHarness();
    await runtime.join('team-a', withToken('ann', { sessions: ['team-*'] }), listener(), null);
    await runtime.join('team-a', withToken('bob', { sessions: ['x', 'team-a'] }), listener(), null);
    await expect(
      runtime.join('other', withToken('bob', { sessions: ['team-*'] }), listener(), null),
    ).rejects.toMatchObject(denied);
  });

  test('members are bounded [access.share]', async () => {
    const { runtime } = await startHarness({ limits: { members: 1 } });
    await runtime.open('s2', ann);
    await runtime.invite('s2', ann, { speaker: 'bob' });
    expect(await runtime.invite('s2', ann, { speaker: 'carl' })).toEqual({ type: 'too_many_members', limit: 1 });
    expect(await runtime.invite('s2', ann, { speaker: 'ann' })).toMatchObject({ repeated: true });
  });
});

describe('a refusal does not show whether a session exists', () => {
  test('it is the same error, after the same lookups, and writes nothing [access.join]', async () => {
    const inner = createMemoryLog();
    const calls: string[] = [];
    const noting = <Args extends readonly [string, ...unknown[]], Value>(
      name: string,
      call: (...args: Args) => Value,
    ) => {
      return (...args: Args): Value => {
        calls.push(`${name} ${args[0]}`);
        return call(...args);
      };
    };
    const log = wrapLog(inner, {
      head: noting('head', (...args: Parameters<Log['head']>) => inner.head(...args)),
      read: noting('read', (...args: Parameters<Log['read']>) => inner.read(...args)),
      claim: noting('claim', (...args: Parameters<Log['claim']>) => inner.claim(...args)),
      findMembership: noting('find', (...args: Parameters<Log['findMembership']>) => inner.findMembership(...args)),
    });
    const { runtime, clock } = await startHarness({ log, limits: { idleMs: 1_000 } });
    await runtime.open('asleep', ann);
    await clock.advance(3_000);
    const stranger = withToken('bob', { sessions: ['bobs'] });
    const refusalOf = async (session: string) => {
      calls.length = 0;
      const error = await runtime.join(session, stranger, listener(), 0).catch(String);
      return { error, calls: calls.map((call) => call.replace(session, '')) };
    };
    const epoch = (await inner.head('asleep')).epoch;
    const existing = await refusalOf('asleep');
    expect(existing).toEqual({ error: expect.stringContaining('no such session for this speaker'), calls: ['find '] });
    expect(await refusalOf('never')).toEqual(existing);
    await runtime.open('awake', ann);
    expect(await refusalOf('awake')).toEqual(existing);
    expect(await inner.head('asleep')).toMatchObject({ epoch, holder: null });
    expect(await inner.head('never')).toEqual({ epoch: 0, last: 0, holder: null });
    expect(runtime.sizes('never')).toMatchObject({ sessions: 2 }); // that of the harness, and the one that is awake
  });

  test('also where another host holds the session [access.join]', async () => {
    const log = createMemoryLog();
    const held = await startHarness({ log, host: 'one' });
    await held.runtime.open('held', ann);
    const { sources, provider } = held;
    const other = await createLocalRuntime({ acknowledge: 'off', log, sources, provider, host: 'two' });
    await expect(other.join('held', ann, listener(), 0)).rejects.toMatchObject({ code: 'held_elsewhere' });
    await expect(other.join('held', bob, listener(), 0)).rejects.toMatchObject(denied);
    await other.close();
  });
});

describe('a session of an earlier version', () => {
  test('has those as members who have spoken, and the first of them as owner [access.join]', async () => {
    const log = await earlierLog({ owner: 'ann' }, { owner: 'zoe', via: 'discord' }, { owner: 'bob' });
    const { runtime } = await startHarness({ log });
    await expect(runtime.join('old', withToken('zoe'), listener(), 0)).rejects.toMatchObject(denied); // a name that a bridge gave
    await expect(runtime.join('old', withToken('carl'), listener(), 0)).rejects.toMatchObject(denied);
    for (const one of [ann, bob, withToken('discord', { roles: ['bridge'] })])
      await runtime.join('old', one, listener(), 0);
    await expect(runtime.invite('old', bob, { speaker: 'carl' })).rejects.toMatchObject(denied);
    await runtime.invite('old', ann, { speaker: 'carl' });
    await runtime.join('old', withToken('carl'), listener(), 0);
  });
});

describe('a bridge', () => {
  test('enters by its own token, whoever it speaks for, and gives the role of a member [access.join]', async () => {
    const { runtime } = await startHarness({ session: () => ({ policy: 'owner' }) });
    await runtime.open('private-b', ann);
    const asAnn = withToken('discord', { roles: ['bridge', 'moderator'], sessions: ['room-*'], as: 'ann' });
    await expect(runtime.say('private-b', asAnn, { text: 'hi' })).rejects.toMatchObject(denied);
    await expect(runtime.cancel('private-b', asAnn, { target: 'session' })).rejects.toMatchObject(denied);
    expect(asAnn.speaker.roles).toEqual(['member']);
  });
});

describe('an emergency', () => {
  const guard = withToken('guard', { roles: ['emergency'], sessions: [] });

  test('stops a session that it may not read, and opens none [access.join]', async () => {
    const { runtime, clock, log } = await startHarness({ respond: () => ({ steps: [{ hang: true }] }) });
    await runtime.open('s3', ann);
    const said = runtime.say('s3', ann, { text: 'go' });
    await clock.advance(10);
    await said;
    await expect(runtime.join('s3', guard, listener(), 0)).rejects.toMatchObject(denied);
    await expect(runtime.say('s3', guard, { text: 'hi' })).rejects.toMatchObject(denied);
    const reply = runtime.cancel('s3', guard, { target: 'session' });
    await clock.advance(0);
    expect(await reply).toMatchObject({ type: 'cancel_accepted', receipt: { by: 'guard' } });
    const none = runtime.cancel('never', guard, { target: 'session' });
    expect(await none).toEqual({ type: 'already_settled', target: 'session', receipt: null });
    expect(await runtime.cancel('never', guard, { target: 'turn_1' })).toMatchObject({ type: 'unknown_target' });
    expect((await log.head('never')).epoch).toBe(0);
  });
});

describe('without a token', () => {
  test('everybody is let in, as before, unless the session has a rule of its own [access.join]', async () => {
    const { runtime, alice } = await startHarness({
      session: (id) => (id === 'closed' ? { access: 'private' } : {}),
    });
    await runtime.open('free');
    await runtime.join('free', alice, listener(), 0);
    await runtime.open('closed');
    await expect(runtime.join('closed', alice, listener(), 0)).rejects.toMatchObject(denied);
  });

  test("an embedder's rule that throws refuses [access.join]", async () => {
    const { runtime, alice, warnings } = await startHarness({
      session: (id) =>
        id === 'odd'
          ? {
              access: () => {
                throw new Error('a bug');
              },
            }
          : {},
    });
    await expect(runtime.join('odd', alice, listener(), 0)).rejects.toMatchObject(denied);
    expect(warnings).toEqual(['The custom rule of access threw: the command is refused.']);
  });
});

describe('the share of a speaker', () => {
  test('sessions opened in a minute [access.share]', async () => {
    const { runtime, clock } = await startHarness({ limits: { sessionOpensPerMinute: 3 } });
    for (const id of ['a', 'b', 'c']) await runtime.open(id, ann);
    await expect(runtime.open('d', ann)).rejects.toMatchObject({ code: 'too_many_opens', limit: 3 });
    await runtime.open('a', ann); // it is awake
    await runtime.open('d', bob);
    await clock.advance(20_000);
    await runtime.open('e', ann);
    await expect(runtime.open('f', ann)).rejects.toMatchObject({ code: 'too_many_opens' });
  });

  test('turns that are open, in all sessions together [access.share]', async () => {
    const { runtime, clock } = await startHarness({
      limits: { turnsPerSpeaker: 2 },
      respond: () => ({ steps: [{ hang: true }] }),
    });
    const says: Promise<unknown>[] = [];
    for (const id of ['a', 'b', 'c']) {
      await runtime.open(id, ann);
      says.push(runtime.say(id, ann, { text: 'go', ref: 'r1' }));
    }
    await clock.advance(10);
    expect(await Promise.all(says)).toMatchObject([
      { type: 'turn_opened' },
      { type: 'turn_opened' },
      { type: 'say_refused', code: 'too_many_turns' },
    ]);
    const cancel = runtime.cancel('a', ann, { target: 'mine' });
    await clock.advance(10);
    await cancel;
    const again = runtime.say('c', ann, { text: 'go', ref: 'r2' });
    await clock.advance(10);
    expect(await again).toMatchObject({ type: 'turn_opened' });
    await runtime.open('d', bob);
    const other = runtime.say('d', bob, { text: 'go' });
    await clock.advance(10);
    expect(await other).toMatchObject({ type: 'turn_opened' });
  });
});
