// The contract of a log: a test file of five lines calls this suite for each implementation.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BlobStore, BlobTooLarge, blobIdOf } from '../../src/core/contracts/blobs.ts';
import { Fenced, HeldElsewhere, type Host, type Log, type LogBody, StoreFailed } from '../../src/core/contracts/log.ts';
import { until } from '../support/until.ts';

const said = (text: string): LogBody => ({ type: 'said', text }) as LogBody;
const texts = (count: number, from = 1): LogBody[] => Array.from({ length: count }, (_, i) => said(`word ${from + i}`));

const hostOf = (id: string, name = id): Host => ({ id, name, process: null });
const longMs = 60_000;
const shortMs = 20;

/** Defines the tests. `open` resolves with a new, empty log. */
export function logContract(name: string, open: () => Promise<Log>): void {
  describe(`the log ${name}`, () => {
    let log: Log;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.close());

    test('a session that was never claimed has epoch 0, no events, and is no orphan', async () => {
      expect(await log.head('s')).toEqual({ epoch: 0, last: 0, holder: null });
      expect(await log.read('s', 0)).toEqual([]);
      expect(await log.orphaned()).toEqual([]);
    });

    test('a claim gets the next epoch, once', async () => {
      expect(await log.claim('s', 0, 'host a')).toBe(1);
      expect(await log.head('s')).toEqual({ epoch: 1, last: 0, holder: 'host a' });
      await expect(log.claim('s', 0, 'host b')).rejects.toThrow(Fenced);
      expect(await log.claim('s', 1, 'host b')).toBe(2);
      expect(await log.head('s')).toEqual({ epoch: 2, last: 0, holder: 'host b' });
      await expect(log.claim('s', 1, 'host a')).rejects.toThrow(Fenced);
      await expect(log.claim('other', 1, 'host a')).rejects.toThrow(Fenced);
    });

    test('of two claims at once, one succeeds', async () => {
      const claims = await Promise.allSettled([log.claim('s', 0, 'host a'), log.claim('s', 0, 'host b')]);
      expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    test('a session that is made begins with its events, all or none, and nobody has claimed it', async () => {
      const blobs = { from: 'other', ids: [], limits: { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 } };
      const make = (session: string) => log.createSession?.(session, texts(2), blobs);
      await make('s');
      expect(await log.head('s')).toEqual({ epoch: 1, last: 2, holder: null });
      expect(await log.read('s', 0)).toEqual([
        { seq: 1, epoch: 0, body: said('word 1') },
        { seq: 2, epoch: 0, body: said('word 2') },
      ]);
      expect(await log.listSessions?.(null, 10)).toEqual(['s']);
      expect((await log.readNewest?.(null, 10))?.bodies ?? []).toEqual([]);
      await expect(make('s')).rejects.toThrow(Fenced);
      await log.claim('held', 0, 'host');
      await expect(make('held')).rejects.toThrow(Fenced);
      expect(await log.claim('s', 1, 'host')).toBe(2);
      expect(await log.append('s', 2, 2, [said('its own')])).toBe(3);
      expect((await log.readNewest?.(null, 10))?.bodies ?? [said('its own')]).toEqual([said('its own')]);
    });

    test('a session that is copied from another store keeps the epochs of its events, and its own is higher [copy.exact]', async () => {
      const blobs = { from: 'other', ids: [], limits: { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 } };
      await log.createSession?.('s', texts(2), blobs, { epoch: 7, epochs: [0, 6] });
      expect(await log.head('s')).toEqual({ epoch: 8, last: 2, holder: null });
      expect((await log.read('s', 0)).map(({ epoch }) => epoch)).toEqual([0, 6]);
      expect(await log.deleteSession?.('s')).toBe('deleted');
      await log.createSession?.('s', texts(1), blobs, { epoch: 3, epochs: [3] }); // older than what the session was here
      expect((await log.head('s')).epoch).toBe(10);
    });

    test('of two who make a session at once, one succeeds; one that was deleted is made again', async () => {
      const blobs = { from: 'other', ids: [], limits: { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 } };
      const make = async (count: number) => log.createSession?.('s', texts(count), blobs);
      const made = await Promise.allSettled([make(1), make(2)]);
      expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await log.deleteSession?.('s')).toBe('deleted');
      await make(3);
      expect((await log.head('s')).last).toBe(3);
      await expect(log.append('s', 1, 3, [said('of a host that has lost it')])).rejects.toThrow(Fenced);
    });

    test('a session that is made of much is read in slices, between which the event loop turns [fork.bounded]', async () => {
      let turn = 0;
      let immediate = setImmediate(function next() {
        turn++;
        immediate = setImmediate(next);
      });
      const readIn = new Map<number, number>();
      const text = 'x'.repeat(65_536);
      const bodies = Array.from({ length: 96 }, () => ({
        ...said(text),
        toJSON() {
          readIn.set(turn, (readIn.get(turn) ?? 0) + text.length);
          return said(text);
        },
      }));
      const blobs = { from: 'other', ids: [], limits: { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 } };
      try {
        await log.createSession?.('s', bodies, blobs);
      } finally {
        clearImmediate(immediate);
      }
      expect((await log.read('s', 95))[0]).toEqual({ seq: 96, epoch: 0, body: said(text) });
      expect(Math.max(...readIn.values())).toBeLessThanOrEqual(2 * 1_048_576);
    });

    test('a session whose copies of blobs do not fit is not made, and no other blob is removed [fork.bounded]', async () => {
      const limits = { blobBytes: 10, sessionBlobBytes: 100, storeBlobBytes: 30 };
      const blobOf = (text: string) => ({ id: blobIdOf(Buffer.from(text)), data: new Uint8Array(Buffer.from(text)) });
      const [old, held] = [blobOf('0123456789'), blobOf('abcdefghij')] as const;
      const { blobs } = log as Log & { readonly blobs?: BlobStore };
      await blobs?.put('old', [old], limits);
      await blobs?.put('s', [held], limits);
      const copy = { from: 's', ids: [held.id], limits };
      await log.createSession?.('fork-1', texts(1), copy);
      await expect(log.createSession?.('fork-2', texts(1), copy)).rejects.toThrow(BlobTooLarge);
      expect(await log.head('fork-2')).toMatchObject({ last: 0, holder: null });
      const small = { ...copy, limits: { ...limits, storeBlobBytes: 1_000, sessionBlobBytes: 5 } };
      await expect(log.createSession?.('fork-3', texts(1), small)).rejects.toThrow(BlobTooLarge);
      for (const session of ['s', 'fork-1']) expect(await blobs?.read(session, held.id)).toEqual(held.data);
      expect(await blobs?.read('old', old.id)).toEqual(old.data);
      expect(await blobs?.read('fork-2', held.id)).toBeNull();
      await log.createSession?.('fork-2', texts(1), { ...copy, limits: { ...limits, storeBlobBytes: 40 } });
      expect(await blobs?.read('fork-2', held.id)).toEqual(held.data);
    });

    test('events are read in order, as they were appended', async () => {
      await log.claim('s', 0, 'host');
      const body = { type: 'said', text: 'ä "quoted" \u{1f6d1}\n', nested: [{ a: null }, 1.5, true] };
      const kept = structuredClone(body);
      const appended = log.append('s', 1, 0, [body, said('two')]);
      body.text = 'changed afterwards';
      expect(await appended).toBe(2);
      expect(await log.append('s', 1, 2, [said('three')])).toBe(3);
      expect(await log.read('s', 0)).toEqual([
        { seq: 1, epoch: 1, body: kept },
        { seq: 2, epoch: 1, body: said('two') },
        { seq: 3, epoch: 1, body: said('three') },
      ]);
      const [event] = await log.read('s', 0, 1);
      (event?.body as { text?: string }).text = 'changed by a reader';
      expect((await log.read('s', 0, 1))[0]?.body).toEqual(kept);
    });

    test('finds the events that decide whether a speaker is a member, and no others [access.join]', async () => {
      const bodies: LogBody[] = [
        { type: 'session_opened', by: null } as LogBody,
        { type: 'member_invited', speaker: 'bob', by: 'ann', ref: null } as LogBody,
        { type: 'turn_opened', owner: 'ann', ref: 'one' } as LogBody,
        { type: 'turn_opened', owner: 'carl', via: 'bridge', ref: null } as LogBody,
        { type: 'turn_opened', owner: 'bob', ref: null } as LogBody,
        { type: 'turn_opened', owner: 'bob', ref: 'two' } as LogBody,
      ];
      expect(await log.findMembership('s', 'ann')).toEqual([]);
      await log.claim('s', 0, 'host');
      expect(await log.findMembership('s', 'ann')).toEqual([]);
      await log.append('s', 1, 0, bodies);
      const found = async (speaker: string) => (await log.findMembership('s', speaker)).map(({ seq }) => seq).sort();
      expect(await found('ann')).toEqual([1, 3]);
      expect(await found('bob')).toEqual([1, 2, 3, 5]);
      expect(await found('bridge')).toEqual([1, 3, 4]);
      expect(await found('carl')).toEqual([1, 3]);
      const removed = { type: 'member_removed', speaker: 'bob', by: 'ann', ref: null } as LogBody;
      await log.append('s', 1, bodies.length, [removed]);
      expect((await log.findMembership('s', 'bob')).at(-1)).toMatchObject({ seq: bodies.length + 1, body: removed });
      expect(await found('ann')).toEqual([1, 3]);
    });

    test('reads a part: after a sequence number, up to a limit', async () => {
      await log.claim('s', 0, 'host');
      await log.append('s', 1, 0, texts(10));
      expect((await log.read('s', 7)).map(({ seq }) => seq)).toEqual([8, 9, 10]);
      expect((await log.read('s', 2, 3)).map(({ seq }) => seq)).toEqual([3, 4, 5]);
      expect(await log.read('s', 10)).toEqual([]);
      expect(await log.read('s', 99)).toEqual([]);
    });

    test('an empty append checks whether the host still holds the session', async () => {
      await log.claim('s', 0, 'host');
      await log.append('s', 1, 0, texts(2));
      expect(await log.append('s', 1, 2, [])).toBe(2);
      await expect(log.append('s', 1, 1, [])).rejects.toThrow(Fenced);
    });

    test('an append is fenced by the epoch and by the sequence number, and writes nothing', async () => {
      await expect(log.append('s', 0, 0, texts(1))).rejects.toThrow(Fenced);
      await log.claim('s', 0, 'host a');
      await log.append('s', 1, 0, texts(2));
      await expect(log.append('s', 1, 1, texts(1))).rejects.toThrow(Fenced);
      await expect(log.append('s', 1, 3, texts(1))).rejects.toThrow(Fenced);
      await log.claim('s', 1, 'host b');
      await expect(log.append('s', 1, 2, texts(1))).rejects.toThrow(Fenced);
      expect(await log.head('s')).toEqual({ epoch: 2, last: 2, holder: 'host b' });
      expect(await log.append('s', 2, 2, texts(1, 3))).toBe(3);
      expect((await log.read('s', 0)).map(({ seq, epoch }) => [seq, epoch])).toEqual([
        [1, 1],
        [2, 1],
        [3, 2],
      ]);
    });

    test('of appends at the same time, one that is fenced fails alone', async () => {
      const sessions = ['a', 'b', 'c', 'd', 'e'];
      await Promise.all(sessions.map((session) => log.claim(session, 0, 'host')));
      const appends = sessions.map((session) => log.append(session, session === 'c' ? 7 : 1, 0, texts(3)));
      const settled = await Promise.allSettled(appends);
      expect(settled.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      const heads = await Promise.all(sessions.map((session) => log.head(session)));
      expect(heads.map(({ last }) => last)).toEqual([3, 3, 0, 3, 3]);
      expect(await log.read('c', 0)).toEqual([]);
    });

    test('of two appends at the same sequence number, one is written whole and the other not at all', async () => {
      await log.claim('s', 0, 'host');
      const settled = await Promise.allSettled([
        log.append('s', 1, 0, texts(2, 1)),
        log.append('s', 1, 0, texts(3, 100)),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect((await log.read('s', 0)).map(({ body }) => body)).toEqual(texts(2, 1));
    });

    test('only the holder can release a session', async () => {
      await log.claim('s', 0, 'host a');
      await log.claim('t', 0, 'host a');
      expect([...(await log.orphaned())].sort()).toEqual(['s', 't']);
      await expect(log.release('s', 2)).rejects.toThrow(Fenced);
      await log.release('s', 1);
      expect(await log.head('s')).toEqual({ epoch: 1, last: 0, holder: null });
      expect(await log.orphaned()).toEqual(['t']);
      expect(await log.claim('s', 1, 'host b')).toBe(2);
      await expect(log.release('s', 1)).rejects.toThrow(Fenced);
      await expect(log.release('never', 1)).rejects.toThrow(Fenced);
    });

    describe('leases', () => {
      test('while the lease of the holder runs, no other host can claim the session [store.durable.holder]', async () => {
        await log.startLease(hostOf('a'), longMs);
        await log.startLease(hostOf('b'), longMs);
        await log.claim('s', 0, 'a');
        await expect(log.claim('s', 1, 'b')).rejects.toMatchObject({ name: 'HeldElsewhere', code: 'held_elsewhere' });
        await expect(log.claim('s', 0, 'b')).rejects.toThrow(HeldElsewhere);
        expect(await log.head('s')).toEqual({ epoch: 1, last: 0, holder: 'a' });
        expect(await log.orphaned()).toEqual([]);
        expect(await log.claim('s', 1, 'a'), 'the holder can claim it again').toBe(2);
        await log.release('s', 2);
        expect(await log.claim('s', 2, 'b')).toBe(3);
      });

      test('a lease that has run out counts until another host claims a session of it; then that host has lost all', async () => {
        await log.startLease(hostOf('a'), longMs); // one that has run out before its first claim is ended
        await log.startLease(hostOf('b'), longMs);
        await log.claim('s', 0, 'a');
        await log.claim('t', 0, 'a');
        await log.renewLease('a', shortMs);
        await until(async () => (await log.orphaned()).length === 2, { what: 'the lease to run out' });
        await log.renewLease('a', longMs);
        expect(await log.orphaned()).toEqual([]);
        await log.renewLease('a', shortMs);
        await until(async () => (await log.orphaned()).length === 2, { what: 'the lease to run out' });
        await expect(log.claim('s', 7, 'b'), 'a claim that is fenced ends no lease').rejects.toThrow(Fenced);
        await log.renewLease('a', shortMs);
        await until(async () => (await log.orphaned()).length === 2, { what: 'the lease to run out' });
        expect(await log.claim('s', 1, 'b')).toBe(2);
        await expect(log.renewLease('a', longMs)).rejects.toThrow(Fenced);
        expect(await log.orphaned()).toEqual(['t']);
        expect((await log.hosts()).map(({ id }) => id)).toEqual(['b']);
      });

      test('a renewal lasts from its own time', async () => {
        await log.startLease(hostOf('a'), longMs);
        await log.claim('s', 0, 'a');
        await log.renewLease('a', shortMs);
        await until(async () => (await log.orphaned()).length === 1, { what: 'the renewed lease to run out' });
      });

      test('a host of the same name ends the lease of the earlier one, and of no other', async () => {
        await log.startLease(hostOf('a1', 'gateway'), longMs);
        await log.startLease(hostOf('b'), longMs);
        await log.claim('s', 0, 'a1');
        await log.claim('t', 0, 'b');
        await log.startLease(hostOf('a2', 'gateway'), longMs);
        expect((await log.hosts()).map(({ id }) => id).sort()).toEqual(['a2', 'b']);
        expect(await log.orphaned()).toEqual(['s']);
        await expect(log.renewLease('a1', longMs)).rejects.toThrow(Fenced);
        expect(await log.claim('s', 1, 'a2')).toBe(2);
      });

      test('hosts are listed with what they have said of themselves, until their lease is ended', async () => {
        const host: Host = { id: 'a', name: 'gateway', process: { pid: 7, startTime: '9', system: 'x' } };
        const configured: Host = { ...hostOf('b'), configuration: 'as of today', label: 'pod' };
        await log.startLease(host, longMs);
        await log.startLease(configured, longMs);
        const [first, second] = await log.hosts();
        expect([first, second]).toMatchObject([host, configured]);
        expect(first).not.toHaveProperty('label');
        expect(second?.remainingMs).toBeGreaterThan(longMs / 2);
        expect(second?.remainingMs).toBeLessThanOrEqual(longMs);
        await log.claim('s', 0, 'a');
        await log.endLease('a');
        await log.endLease('a');
        expect(await log.hosts()).toMatchObject([hostOf('b')]);
        expect(await log.orphaned()).toEqual(['s']);
        await expect(log.renewLease('a', longMs)).rejects.toThrow(Fenced);
        await expect(log.renewLease('never', longMs)).rejects.toThrow(Fenced);
      });

      test('a host without a lease may claim, and keeps no other host from it', async () => {
        await log.claim('s', 0, 'a host without a lease');
        expect(await log.orphaned()).toEqual(['s']);
        await log.startLease(hostOf('b'), longMs);
        expect(await log.claim('s', 1, 'b')).toBe(2);
      });
    });

    test('an event is redacted by the holder alone, and keeps its place, its epoch and its type [delete.person]', async () => {
      const opened = { type: 'turn_opened', owner: 'ann', ref: 'one', text: 'secret words' } as LogBody;
      const blank = { type: 'turn_opened', owner: 'deleted_1', ref: null, text: '[deleted]' } as LogBody;
      await log.createSession?.('s', [opened, said('before')], {
        from: 'other',
        ids: [],
        limits: { blobBytes: 9, sessionBlobBytes: 9, storeBlobBytes: 9 },
      });
      const redact = async (epoch: number, seq: number, body: LogBody) => log.deletions?.redact('s', epoch, seq, body);
      await expect(redact(1, 1, blank)).rejects.toThrow(Fenced); // nobody holds it
      await log.claim('s', 1, 'host a');
      await log.append('s', 2, 2, [{ ...opened, ref: 'two' } as LogBody, said('after')]);
      await expect(redact(1, 1, blank)).rejects.toThrow(Fenced);
      await expect(redact(2, 9, blank)).rejects.toThrow(StoreFailed);
      await expect(redact(2, 2, blank)).rejects.toThrow(StoreFailed); // another type
      const before = await log.read('s', 0);
      await redact(2, 1, blank);
      await redact(2, 3, blank);
      expect(await log.read('s', 0)).toEqual(
        before.map((event) => (event.body.type === 'turn_opened' ? { ...event, body: blank } : event)),
      );
      expect(await log.findCommand('s', 'ann', 'one')).toBeNull();
      expect(await log.findCommand('s', 'ann', 'two')).toBeNull();
      expect((await log.findMembership('s', 'ann')).map(({ seq }) => seq)).toEqual([1]);
      expect(await log.append('s', 2, 4, [said('it goes on')])).toBe(5);
      await log.release('s', 2);
      await expect(redact(2, 1, opened)).rejects.toThrow(Fenced);
    });

    test('a deletion of a speaker that has started is listed until it has ended, with its first pseudonym', async () => {
      const records = log.deletions;
      const ann = { speaker: 'ann', pseudonym: 'deleted_1', quotes: 'own' } as const;
      expect(await records?.listSpeakers()).toEqual([]);
      expect(await records?.startSpeaker(ann)).toEqual(ann);
      expect(await records?.startSpeaker({ ...ann, pseudonym: 'deleted_2' })).toEqual(ann);
      expect(await records?.listSpeakers()).toEqual([ann]);
      await records?.forgetSpeaker('ann');
      expect(await records?.listSpeakers()).toEqual([]);
    });

    test('requests before a close are performed, later ones are rejected', async () => {
      await log.claim('s', 0, 'host');
      const appended = log.append('s', 1, 0, texts(1));
      const closed = log.close();
      const late = log.append('s', 1, 1, texts(1));
      await expect(late).rejects.toThrow(StoreFailed);
      expect(await appended).toBe(1);
      await closed;
      await log.close();
      await expect(log.head('s')).rejects.toThrow(StoreFailed);
      await expect(log.orphaned()).rejects.toThrow(StoreFailed);
      await expect(log.read('s', 0)).rejects.toThrow(StoreFailed);
      await expect(log.claim('t', 0, 'host')).rejects.toThrow(StoreFailed);
      await expect(log.release('s', 1)).rejects.toThrow(StoreFailed);
      await expect(log.startLease(hostOf('a'), longMs)).rejects.toThrow(StoreFailed);
      await expect(log.renewLease('a', longMs)).rejects.toThrow(StoreFailed);
      await expect(log.endLease('a')).rejects.toThrow(StoreFailed);
      await expect(log.hosts()).rejects.toThrow(StoreFailed);
    });
  });
}
