// Names of speakers in the library: a new one that looks like another is refused, by an error that names the field; a session that has one opens.
import { expect, test } from 'vitest';
import type { Fact } from '../../machines/facts.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { open, says } from './open.ts';

const name = 'an\u200bn';

test('a new speaker whose name looks like another is refused by every command but a stop [access.names]', async () => {
  const { session, runtime } = await open(() => says('noon'));
  const caller = { speaker: { id: name, roles: ['member'] }, connection: 'c' } as const;
  expect(() => session.as(name)).toThrow(/The id of a speaker must not hold .*<U\+200B>/);
  await expect(runtime.open('s', caller)).rejects.toThrow(/The id of a speaker must not hold/);
  await expect(session.say(caller, { text: 'hi', ref: 'r' })).rejects.toThrow(/The id of a speaker must not hold/);
  await expect(session.invite(null, { speaker: name })).rejects.toThrow(/The id of a speaker must not hold/);
  await expect(session.cancel(caller, { target: 'mine' })).resolves.toBeDefined();
});

test('a session that has such a speaker opens, and the speaker can be removed [access.names]', async () => {
  const log = createMemoryLog();
  const epoch = await log.claim('old', 0, 'earlier');
  const facts: readonly Fact[] = [
    { type: 'session_opened', kind: 'text', policy: 'anyone', by: 'ann  b' },
    { type: 'member_invited', speaker: name, by: 'ann  b', ref: null },
  ];
  await log.append('old', epoch, 0, facts);
  await log.release('old', epoch);
  const { runtime } = await open(() => says('noon'), { log });
  const session = await runtime.session('old');
  expect(await session.remove(null, { speaker: name })).toMatchObject({ type: 'member_removed', repeated: false });
});
