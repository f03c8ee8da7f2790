// A token file is read again when it changes: a token that is taken out of it ends at once, with all that was opened with it.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemSources } from '../../src/core/sources/system.ts';
import { type TokenChanges, WatchedTokenFile } from '../../src/gateway/auth/watched-token-file.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { httpOf } from './http/open.ts';

const stolen = 'token-of-ann-stolen-1';
const fresh = 'token-of-ann-fresh-2';
const bobs = 'token-of-bob-000003';

function openFile(entries: object) {
  const folder = mkdtempSync(join(tmpdir(), 'belay-tokens-'));
  const path = join(folder, 'tokens.json');
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  write(JSON.stringify(entries));
  const changes: TokenChanges[] = [];
  const problems: string[] = [];
  const file = new WatchedTokenFile({
    path,
    clock: systemSources.clock,
    onChange: (change) => changes.push(change),
    onProblem: (error) => problems.push(String(error)),
  });
  onTestFinished(() => {
    file.close();
    rmSync(folder, { recursive: true });
  });
  return { file, write: (changed: object) => write(JSON.stringify(changed)), writeText: write, changes, problems };
}

test('a token that is taken out ends its sockets, streams and requests at once; those of others go on [ws.auth]', async () => {
  const { file, write, changes } = openFile({
    [stolen]: { speaker: 'ann', sessions: ['room'] },
    [bobs]: { speaker: 'bob', sessions: ['room'] },
  });
  const door = await httpOf({}, { authenticator: file });
  const [thief, bob] = [await connectRaw(door.url), await connectRaw(door.url)];
  await thief.hello(stolen);
  await thief.join('room');
  await bob.hello(bobs);
  await bob.join('room');
  const stream = await door.stream('/api/sessions/room/events', { token: stolen });
  const said = await door.stream('/api/sessions/room/say', { token: stolen, body: { text: 'call watch' } });
  await bob.waitFor('tool_started');

  write({ [fresh]: { speaker: 'ann', sessions: ['room'] }, [bobs]: { speaker: 'bob', sessions: ['room'] } });
  expect(await thief.closed()).toEqual({ code: 4401, reason: 'unauthorized' });
  await Promise.all([stream.ended, said.ended]);
  expect(changes).toEqual([{ added: 1, revoked: 1 }]);
  // a request that is lost stops its turn, as ever
  expect(await bob.waitFor('cancel_settled')).toMatchObject({ cause: { source: 'disconnect', by: 'ann' } });

  const again = await connectRaw(door.url);
  again.send({ type: 'HELLO', token: stolen });
  expect(await again.closed()).toEqual({ code: 4401, reason: 'unauthorized' });
  expect((await door.ask('/api/sessions', { token: stolen })).status).toBe(401);
  expect((await door.ask('/api/sessions', { token: fresh })).status).toBe(200);
  expect(bob.frames.some(({ type }) => type === 'left')).toBe(false);
  await until(() => door.gateway.size === 1);
});

test('a token whose roles or sessions change ends; its holder comes back with the new ones [ws.auth]', async () => {
  const { file, write } = openFile({ [stolen]: { speaker: 'ann', roles: ['moderator'] } });
  const { url } = await httpOf({}, { authenticator: file });
  const client = await connectRaw(url);
  expect(await client.hello(stolen)).toMatchObject({ roles: ['moderator'] });
  write({ [stolen]: { speaker: 'ann' } });
  expect(await client.closed()).toEqual({ code: 4401, reason: 'unauthorized' });
  expect(await (await connectRaw(url)).hello(stolen)).toMatchObject({ roles: ['member'] });
});

test('a file that cannot be used changes nothing, and is reported without a token; the next good one counts', async () => {
  const { file, write, writeText, changes, problems } = openFile({ [stolen]: { speaker: 'ann' } });
  writeText(`{ "${fresh}": { "speaker": `);
  await until(() => problems.length > 0);
  expect(problems[0]).toMatch(/tokens\.json cannot be used\. It is not JSON\./);
  expect(problems[0]).not.toContain(fresh);
  expect(file.lookUp(stolen)).not.toBeNull();
  expect(file.lookUp(fresh)).toBeNull();
  write({ [fresh]: { speaker: 'ann' } });
  await until(() => changes.length > 0);
  expect(file.lookUp(stolen)).toBeNull();
  expect(await file.verify(fresh)).toMatchObject({ speaker: { id: 'ann' } });
});
