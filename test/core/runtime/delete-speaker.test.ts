// A speaker is deleted: their sessions go, and what they have said elsewhere, with their name; standing, receipts and the work of others stay.
import { describe, expect, test } from 'vitest';
import type { RecordedFact } from '../../../machines/facts.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { Log } from '../../../src/core/contracts/log.ts';
import type { Caller } from '../../../src/core/session/api.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsResponse, type Harness, startHarness, textResponse, toolOf } from '../../support/harness.ts';
import { wrapLog } from '../../support/wrap-log.ts';
import { png, reference } from '../session/images.ts';
import { broken, unclosed } from '../transcript/judge.ts';

const ann = callerOf('ann');
const bob = callerOf('bob');
const words = 'the words of a person';

const factsIn = async (log: Log, session: string): Promise<readonly RecordedFact[]> =>
  (await log.read(session, 0)).map(({ body }) => body as RecordedFact); // only journals and forks write events

async function perform<T>(harness: Harness, pending: Promise<T>, ms = 1_000): Promise<T> {
  await harness.clock.advance(ms);
  return pending;
}

async function sayIn(harness: Harness, session: string, caller: Caller, text: string): Promise<string> {
  const reply = await perform(harness, harness.runtime.say(session, caller, { text, ref: `ref ${text}` }));
  if (reply.type !== 'turn_opened') throw new Error(`It was refused: ${JSON.stringify(reply)}.`);
  return reply.turn;
}

/** A room of bob with words, an answer, an image, a stop with a reason and an invitation of ann; a fork of it; and a session of her own. */
async function startRoom(log = createMemoryLog()) {
  const ask = toolOf('ask', async (_, { ask: put }) => `it says: ${await put({ text: 'Which one?', choices: [] })}`);
  const harness = await startHarness({
    log,
    tools: [ask],
    respond: ({ messages }) => {
      const last = messages.at(-1)?.content.split('\n').at(-1) ?? '';
      if (last.includes('ask me')) return callsResponse(['ask']);
      if (last.includes('hang')) return { steps: [{ hang: true }] };
      return textResponse(`you said: ${last}`);
    },
  });
  const { runtime } = harness;
  await runtime.open('room', bob);
  await runtime.invite('room', null, { speaker: 'ann' });
  await sayIn(harness, 'room', bob, 'hello from bob');
  await runtime.storeBlobs('room', [png(1)]);
  const shown = { text: '', parts: [{ type: 'text', text: words }, reference(1)] } as const;
  await perform(harness, runtime.say('room', ann, shown));
  await sayIn(harness, 'room', ann, `ask me ${words}`);
  const asked = (await factsIn(log, 'room')).find((fact) => fact.type === 'question_asked');
  const target = asked?.type === 'question_asked' ? asked.node : '';
  await perform(harness, runtime.answer('room', ann, { target, answer: 'answered', text: `${words}: this one` }));
  await sayIn(harness, 'room', ann, `hang ${words}`);
  await perform(harness, runtime.cancel('room', ann, { target: 'mine', reason: words }));
  const turn = await sayIn(harness, 'room', bob, 'what next?');
  const forked = await perform(harness, runtime.forkSession('room', bob, { turn, to: 'fork' }));
  expect(forked.type).toBe('forked');
  await sayIn(harness, 'ann-alone', ann, words);
  await sayIn(harness, 'bob-alone', bob, 'nothing of her');
  return { harness, log, runtime };
}

/** Every field that holds a speaker. */
const named = /"(by|owner|via|to|speaker|lane|requester|addressee)":"ann"/;

describe('a speaker who is deleted', () => {
  test('loses their own sessions, and in others words, answers, reasons, images and the name, in forks too [delete.person]', async () => {
    const { harness, log, runtime } = await startRoom();
    const before = await factsIn(log, 'room');
    expect(JSON.stringify(before)).toMatch(named);
    const deletions = await runtime.deletions();
    const report = await perform(harness, deletions.deleteSpeaker('ann', null, 'own'));
    expect(report).toMatchObject({ deleted: ['ann-alone'], left: [], named: [], remains: 'nothing' });
    expect(report.redacted.map(({ session }) => session)).toEqual(['fork', 'room', 's'].filter((id) => id !== 's'));
    expect(await log.head('ann-alone')).toMatchObject({ last: 0 });
    for (const session of ['room', 'fork']) {
      const facts = await factsIn(log, session);
      const text = JSON.stringify(facts);
      expect(text).not.toMatch(named);
      expect(text).not.toContain('this one');
      // what the model has said to bob after her words is kept, and named
      const others = facts.filter((fact) => !(fact.type === 'model_ended'));
      expect(JSON.stringify(others)).not.toContain(words);
      expect([...broken(facts), ...unclosed(facts)]).toEqual([]);
      const opened = facts.filter((fact) => fact.type === 'turn_opened' && fact.owner === report.pseudonym);
      expect(opened.length).toBeGreaterThan(0);
    }
    const after = await factsIn(log, 'room');
    expect(after.map(({ type }) => type)).toEqual(before.map(({ type }) => type));
    expect(await log.blobs?.read('room', reference(1).blob)).toBeNull();
    expect(await log.blobs?.read('fork', reference(1).blob)).toBeNull();
    expect(after.find((fact) => fact.type === 'cancel_settled')).toMatchObject({
      cause: { by: report.pseudonym, reason: '[deleted]' },
    });
    const kept = report.quotes.filter(({ became }) => became === 'kept');
    expect(kept.length).toBeGreaterThan(0);
    expect(new Set(kept.map(({ type }) => type))).toEqual(new Set(['model_ended']));
    expect(await log.deletions?.listSpeakers()).toEqual([]);
  });

  test('leaves rooms that go on: the next request is whole, and the name has no access any more [delete.person]', async () => {
    const { harness, runtime } = await startRoom();
    await perform(harness, (await runtime.deletions()).deleteSpeaker('ann', null, 'all'));
    await sayIn(harness, 'room', bob, 'still here?');
    const request = JSON.stringify(harness.provider.requests.at(-1)?.messages);
    expect(request).toContain('still here?');
    expect(request).not.toContain(words);
  });

  test('has what they have running stopped first, and what others have running goes on to its end [delete.person.running]', async () => {
    const { harness, log, runtime } = await startRoom();
    const listener = createRecorder();
    await perform(harness, runtime.join('room', bob, listener.listener, null));
    const hers = await sayIn(harness, 'room', ann, `hang again ${words}`);
    const his = await sayIn(harness, 'room', bob, 'hang as well');
    const deleting = (await runtime.deletions()).deleteSpeaker('ann', null, 'own');
    await harness.clock.advance(1_000);
    const ends = () =>
      listener.facts.filter((fact) => fact.type === 'turn_ended').map(({ turn, outcome }) => [turn, outcome]);
    expect(ends()).toEqual([[hers, 'cancelled']]);
    await perform(harness, runtime.cancel('room', bob, { target: his }));
    const report = await perform(harness, deleting, 60_000);
    expect(report.left).toEqual([]);
    expect(listener.ended).toBe('shutdown'); // a client joins again
    expect(JSON.stringify(await factsIn(log, 'room'))).not.toMatch(named);
  });

  test('is not deleted where others go on for too long, which the report says; the same deletion goes on later [delete.person.running]', async () => {
    const { harness, log, runtime } = await startRoom();
    const his = await sayIn(harness, 'room', bob, 'hang');
    const deletions = await runtime.deletions();
    const first = await perform(harness, deletions.deleteSpeaker('ann', null, 'own'), 60_000);
    expect(first).toMatchObject({ left: ['room'], deleted: ['ann-alone'] });
    expect(await log.deletions?.listSpeakers()).toMatchObject([{ speaker: 'ann', pseudonym: first.pseudonym }]);
    await perform(harness, runtime.cancel('room', bob, { target: his }));
    const second = await perform(harness, deletions.deleteSpeaker('ann', null, 'own'));
    expect(second).toMatchObject({ left: [], pseudonym: first.pseudonym });
  });

  test('is gone from a fork that was being made meanwhile, too [delete.person]', async () => {
    const inner = createMemoryLog();
    const made = Promise.withResolvers<void>();
    const log = wrapLog(inner, {
      deleteSession: async (session) => (await inner.deleteSession?.(session)) ?? 'unknown',
      listSessions: async (after, limit) => (await inner.listSessions?.(after, limit)) ?? [],
      async createSession(fork, ...args) {
        if (fork === 'late fork') await made.promise;
        await inner.createSession?.(fork, ...args);
      },
      ...(inner.deletions && { deletions: inner.deletions }),
    });
    const { harness, runtime } = await startRoom(log);
    const turn = await sayIn(harness, 'room', bob, 'and now?');
    const forking = runtime.forkSession('room', bob, { turn, to: 'late fork' });
    await harness.clock.advance(1_000); // it has read the room
    const deleting = (await runtime.deletions()).deleteSpeaker('ann', null, 'own');
    await harness.clock.advance(1_000);
    expect(JSON.stringify(await factsIn(inner, 'room'))).not.toMatch(named);
    made.resolve();
    await perform(harness, Promise.all([forking, deleting]));
    const copied = JSON.stringify(await factsIn(inner, 'late fork'));
    expect(copied).toContain('and now?');
    expect(copied).not.toMatch(named);
    expect(copied).not.toContain(words);
  });

  test('whose process dies at any step is deleted by the next start, under one pseudonym [delete.person.crash]', async () => {
    for (let steps = 0; ; steps++) {
      const inner = createMemoryLog();
      let left = Number.POSITIVE_INFINITY;
      const dies =
        <A extends readonly unknown[], R>(write: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
          left -= 1;
          return left < 0 ? new Promise<never>(() => {}) : write(...args);
        };
      const log = wrapLog(inner, {
        deleteSession: dies(async (session) => (await inner.deleteSession?.(session)) ?? 'unknown'),
        listSessions: async (after, limit) => (await inner.listSessions?.(after, limit)) ?? [],
        createSession: async (...args) => inner.createSession?.(...args),
        release: dies((session, epoch) => inner.release(session, epoch)),
        ...(inner.deletions && {
          deletions: {
            ...inner.deletions,
            redact: dies((...args) => Promise.resolve(inner.deletions?.redact(...args))),
          },
        }),
      });
      const { harness, runtime } = await startRoom(log);
      left = steps;
      const deleting = (await runtime.deletions()).deleteSpeaker('ann', null, 'own');
      const isOver = await Promise.race([
        perform(harness, deleting).then(() => true),
        perform(harness, Promise.resolve(false)),
      ]);
      const starting = startHarness({ log: inner, life: 2 });
      const second = await starting;
      await second.clock.advance(1_000);
      expect(await inner.deletions?.listSpeakers()).toEqual([]);
      expect(await inner.head('ann-alone')).toMatchObject({ last: 0 });
      const rest = [...(await factsIn(inner, 'room')), ...(await factsIn(inner, 'fork'))];
      expect(JSON.stringify(rest)).not.toMatch(named);
      expect(new Set(JSON.stringify(rest).match(/deleted_[a-z0-9_]+/g)).size).toBe(1);
      if (isOver) return;
      steps += Math.floor(steps / 3);
    }
  });

  test('is deleted by the program, without tokens by everybody, and with tokens by themselves alone [delete.person.who]', async () => {
    const { harness, runtime } = await startRoom();
    const deletions = await runtime.deletions();
    const proven = (id: string, roles: Caller['speaker']['roles'] = ['member']): Caller => {
      const caller = callerOf(id, roles);
      return { ...caller, proof: { speaker: caller.speaker, sessions: null } };
    };
    for (const other of [proven('bob'), proven('mia', ['moderator']), proven('eve', ['emergency'])])
      await expect(deletions.deleteSpeaker('ann', other, 'own')).rejects.toMatchObject({ code: 'access_denied' });
    await expect(deletions.deleteSpeaker('ann', proven('ann'), 'all')).rejects.toMatchObject({ code: 'access_denied' });
    const report = await perform(harness, deletions.deleteSpeaker('ann', proven('ann'), 'own'));
    expect(report.deleted).toEqual(['ann-alone']);
  });
});
