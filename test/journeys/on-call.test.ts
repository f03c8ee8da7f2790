// The commands for the one on call: on the store of a running gateway, and on one whose gateway was killed.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { newWorkspace, room, type ServedBelay, serveBelay, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();

interface Answer {
  readonly code: number | NodeJS.Signals;
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** Runs `belay`, with the store of the gateway. */
async function ask({ store }: Pick<ServedBelay, 'store'>, ...args: readonly string[]): Promise<Answer> {
  const child = startChild('src/programs/belay.ts', { args: [...args, '--store', store] });
  const code = await child.ended(20_000);
  return { code, lines: child.stdout().split('\n').slice(0, -1), stderr: child.stderr() };
}

const parsed = ({ lines }: Answer) => JSON.parse(lines[0] ?? '');

/** A gateway in which ann's and bob's shells run, and each may stop only what is theirs. */
async function twoAtWork() {
  const tokens = { ann: newToken(), bob: newToken() };
  const workspace = newWorkspace();
  const { a, b } = workspace.folder;
  await endpoint.script([
    { when: { user: 'for ann' }, reply: { calls: [shellCall(`sleep ${tokens.ann}`, a)] } },
    { when: { user: 'for bob' }, reply: { calls: [shellCall(`sleep ${tokens.bob}`, b)] } },
  ]);
  const belay = await serveBelay(endpoint, { workspace, config: { policy: 'owner' } });
  const [ann, bob] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob')];
  onTestFinished(() => {
    for (const pid of [...living(tokens.ann), ...living(tokens.bob)]) process.kill(pid, 'SIGKILL'); // what a killed gateway has left
  });
  ann.session.say('for ann');
  bob.session.say('for bob');
  await Promise.all([untilRunning(tokens.ann), untilRunning(tokens.bob)]);
  const stop = (token: string, ...args: readonly string[]) =>
    ask(belay, 'stop', ...args, '--url', belay.url, '--token', token);
  return { belay, workspace, tokens, stop };
}

describe('who stopped what, when, how long it took, what ran on [ops.ask]', () => {
  test('is answered by one command each, from a running gateway and from one that was killed', async () => {
    const { belay, tokens, stop } = await twoAtWork();
    const stopped = await stop(tokenOf('bob'), room, '--reason', 'wrong folder');
    expect(stopped.code, stopped.lines.join('\n')).toBe(2);
    expect(stopped.lines[0]).toMatch(
      /^2 nodes stopped in 1 session, within .*\. Refused in 1, abandoned or not settled in 0/,
    );
    expect(living(tokens.bob)).toEqual([]);
    expect(living(tokens.ann)).not.toEqual([]);

    for (const state of ['running', 'killed']) {
      const cancels = await ask(belay, 'cancels');
      expect(cancels.code, cancels.stderr).toBe(0);
      const top = cancels.lines.slice(0, 10).join('\n');
      expect(top, state).toMatch(
        /^\d{4}-\d\d-\d\d \S+Z {2}room {2}bob \(over HTTP\) stopped the whole session: 2 nodes in \d+ ms/,
      );
      expect(top).toContain('reason: wrong folder');
      expect(top).toMatch(
        /RAN ON {2}shell call_\S+ of ann: it belongs to ann \(not_owner\); no end is recorded: it may still run/,
      );
      const [cancel] = parsed(await ask(belay, 'cancels', '--json')).cancels;
      expect(cancel).toMatchObject({ session: room, by: 'bob', source: 'http', state: 'settled', target: 'session' });
      const receipt = await ask(belay, 'show', cancel.cancel);
      expect(receipt.lines.join('\n')).toMatch(/shell call_\S+ of bob: stopped in \d+ m?s; it may have had effects/);
      const { node } = cancel.ranOn.find(({ name }: { name: string }) => name === 'shell');
      expect((await ask(belay, 'show', node)).lines.slice(0, 5)).toEqual([
        expect.stringMatching(
          state === 'running' ? /^tool-call shell call_\S+ of ann: running, since/ : /open when its gateway died/,
        ),
        expect.stringMatching(/^in room > turn_\S+$/),
        expect.stringContaining(`asked: {"command":"sleep ${tokens.ann}"`),
        expect.stringMatching(/^process groups: \d+$/),
        expect.stringMatching(/bob \(over HTTP\) stopped the whole session/),
      ]);
      const sessions = await ask(belay, 'sessions');
      expect(sessions.lines[0]).toBe('1 session; in 1 something is open.');
      expect(sessions.lines[1]).toContain(
        state === 'running' ? `awake in a gateway (pid ${belay.child.process.pid})` : 'LEFT OPEN: its gateway',
      );
      expect((await ask(belay, 'show', room)).lines.slice(0, 10).join('\n')).toContain(
        'bob (over HTTP) stopped the whole session',
      );
      if (state === 'killed') break;
      belay.child.signal('SIGKILL');
      await belay.child.ended();
    }
    expect((await ask(belay, 'show', 'call_nothing')).code).toBe(1);
  });

  test('is answered from another machine, by the gateway alone, as far as the speaker may read', async () => {
    const { belay, stop } = await twoAtWork();
    expect((await stop(tokenOf('bob'), room, '--reason', 'wrong folder')).code).toBe(2);
    const { host } = new URL(belay.url);
    const remote = async (...args: readonly string[]) => {
      const child = startChild('src/programs/belay.ts', { args: [...args, '--url', host] }); // as `belay chat` takes it
      return {
        code: await child.ended(20_000),
        lines: child.stdout().split('\n').slice(0, -1),
        stderr: child.stderr(),
      };
    };
    const asAnn = ['--token', tokenOf('ann')];
    const sessions = await remote('sessions', ...asAnn);
    expect(sessions.lines.slice(0, 2), sessions.stderr).toEqual([
      '1 session; in 1 something is open.',
      expect.stringMatching(/^room\b.*: awake in a gateway; 2 turns, 1 cancel/),
    ]);
    const found = (...args: readonly string[]) => remote('sessions', ...asAnn, ...args);
    expect((await found('--speaker', 'bob', '--cause', 'http', '--state', 'cancelled')).lines[2]).toMatch(
      /turn turn_\S+ of bob/,
    );
    expect((await found('--tool', 'no_such_tool')).lines).toEqual(['0 sessions; in 0 something is open.']);
    expect((await found('--since', 'soon')).code).toBe(1);
    expect((await found('--words', 'FOR bo')).lines.slice(1)).toEqual([
      expect.stringMatching(/^room\b/),
      expect.stringMatching(/turn turn_\S+ of bob/),
    ]);
    expect((await found('--until', '1d', '--words', 'bob')).lines).toEqual(['0 sessions; in 0 something is open.']);
    expect((await found('--words', '?!')).code).toBe(1);
    const cancels = await remote('cancels', ...asAnn, '--json');
    const local = await ask(belay, 'cancels', '--json');
    expect(parsed(cancels)).toEqual(parsed(local));
    const [{ cancel, ranOn }] = parsed(cancels).cancels;
    for (const id of [cancel, room, ranOn[0].node])
      expect((await remote('show', id, ...asAnn)).lines.length, id).toBeGreaterThan(1);
    expect((await remote('sessions')).code, 'without a token').toBe(1);
    expect((await remote('sessions', '--token', tokenOf('emergency'))).lines).toEqual([
      '0 sessions; in 0 something is open.',
    ]);
  });

  test('is asked of the gateway with the filters: it sends the facts of no session that is not found', async () => {
    await endpoint.script([{ reply: { text: 'Noted.' } }]);
    const belay = await serveBelay(endpoint);
    const origin = belay.url.replace('ws://', 'http://');
    const asked: string[] = [];
    const relay = createServer(({ url = '/', method, headers }, response) => {
      asked.push(url);
      request(new URL(url, origin), { method, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(response);
      }).end();
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void relay.close());
    const ann = (await joinRoom(belay, 'ann')).client;
    for (const [session, words] of [
      ['one', 'the launch'],
      ['two', 'the weather'],
    ] as const)
      await ann.session(session).say(words).ended;
    const { port } = relay.address() as AddressInfo;
    const child = startChild('src/programs/belay.ts', {
      args: [
        'sessions',
        '--url',
        `127.0.0.1:${port}`,
        '--token',
        tokenOf('ann'),
        '--words',
        'launch',
        '--since',
        '1h',
        '--state',
        'completed',
      ],
    });
    expect(await child.ended(20_000), child.stderr()).toBe(0);
    expect(child.stdout()).toMatch(/^1 session; in 0 something is open\.\none\b/);
    expect(asked).toEqual([
      expect.stringMatching(/^\/api\/sessions\?outcome=completed&since=\d+&words=launch&limit=/),
      '/api/sessions/one/export',
    ]);
  });

  test('"stop everything, now" is one command, which ends with the receipts', async () => {
    const { belay, tokens, stop } = await twoAtWork();
    const all = await stop(tokenOf('emergency'), '--all', '--json'); // it is no member, and stops all the same
    expect(all.code, all.stderr).toBe(0);
    expect(parsed(all)).toMatchObject({ exitCode: 0, results: [{ session: room, result: 'stopped' }] });
    expect([...living(tokens.ann), ...living(tokens.bob)]).toEqual([]);
    expect(await stop(tokenOf('moderator'), 'no-such-id'), 'it opens no session').toMatchObject({
      code: 1,
      lines: [expect.anything(), expect.stringContaining('NOT REACHED  no-such-id: ')],
    });
    const again = await stop(tokenOf('moderator'), '--all');
    expect(again).toMatchObject({
      code: 0,
      lines: [expect.stringContaining('nothing ran in 1'), '    room: nothing runs'],
    });
    belay.child.signal('SIGKILL');
    await belay.child.ended();
  });

  test('also ends what a gateway has left that was killed', async () => {
    const { belay, tokens, stop } = await twoAtWork();
    belay.child.signal('SIGKILL');
    await belay.child.ended();
    expect([...living(tokens.ann), ...living(tokens.bob)]).not.toEqual([]);
    const all = await stop(tokenOf('moderator'), '--all');
    expect(all.code, all.stderr).toBe(0);
    expect(all.lines).toEqual([expect.stringMatching(/recovered 1 session, closed 2 turns, ended \d+ processes/)]);
    expect([...living(tokens.ann), ...living(tokens.bob)]).toEqual([]);
    expect((await ask(belay, 'sessions')).lines[0]).toBe('1 session; in 0 something is open.');
  });
});

test('a backup of a store at work is a whole store: restored, it is read, and a gateway starts on it', async () => {
  const { belay, workspace } = await twoAtWork();
  const log = createSqliteLog({ path: belay.store });
  const data = new Uint8Array([1, 2, 3]);
  const limits = { blobBytes: 10, sessionBlobBytes: 10, storeBlobBytes: 10 };
  await log.blobs?.put(room, [{ id: 'b1', data }], limits);
  await log.close();
  const copy = join(workspace.path, 'copy.sqlite');
  expect(await ask(belay, 'backup', copy)).toMatchObject({ code: 0, lines: [`${copy} has 1 session.`] });
  expect((await ask(belay, 'backup', copy)).code, 'it overwrites nothing').toBe(1);
  const exported = await ask({ store: copy }, 'export', room, '--blobs');
  const original = await ask(belay, 'export', room);
  expect(exported.lines.slice(0, -1)).toEqual(original.lines.slice(0, exported.lines.length - 1));
  expect(JSON.parse(exported.lines.at(-1) ?? '')).toEqual({ session: room, blob: 'b1', base64: 'AQID' });
  belay.child.signal('SIGTERM');
  await belay.child.ended(20_000);
  const restored = await serveBelay(endpoint, { workspace: { ...workspace, store: copy } });
  expect((await ask(restored, 'sessions')).lines[0]).toBe('1 session; in 0 something is open.');
});

test('a session of a store whose gateway was killed is deleted with what it has left', async () => {
  const { belay, tokens } = await twoAtWork();
  belay.child.signal('SIGKILL');
  await belay.child.ended();
  expect(await ask(belay, 'delete', room), 'stdout').toMatchObject({
    code: 0,
    lines: [`The session ${room} is deleted.`],
  });
  expect([...living(tokens.ann), ...living(tokens.bob)]).toEqual([]);
  expect((await ask(belay, 'sessions')).lines).toEqual(['0 sessions; in 0 something is open.']);
  expect((await ask(belay, 'delete', room)).code).toBe(1);
});

test('a session of a running gateway is deleted by its gateway, for a moderator, when nothing runs in it', async () => {
  const { belay, stop } = await twoAtWork();
  const remove = (speaker: 'bob' | 'moderator') =>
    ask(belay, 'delete', room, '--url', belay.url, '--token', tokenOf(speaker));
  const refused = await remove('moderator');
  expect(refused, 'it runs').toMatchObject({ code: 1, stderr: expect.stringContaining('did not delete') });
  expect((await stop(tokenOf('moderator'), '--all')).code).toBe(0);
  expect((await remove('bob')).code, 'ann opened it').toBe(1);
  expect(await remove('moderator')).toMatchObject({ code: 0, lines: [`The session ${room} is deleted.`] });
  expect((await ask(belay, 'sessions')).lines).toEqual(['0 sessions; in 0 something is open.']);
});

describe('a speaker who asks to be deleted [delete.person] [delete.person.who]', () => {
  test('is deleted by a request with their own token: what they have running is stopped, and what others have runs on', async () => {
    const { belay, tokens } = await twoAtWork();
    const remove = (token: string, ...args: readonly string[]) =>
      ask(belay, 'delete', '--speaker', 'bob', '--url', belay.url, '--token', token, ...args);
    for (const speaker of ['ann', 'moderator', 'emergency'] as const)
      expect((await remove(tokenOf(speaker))).stderr).toContain('with their own token');
    expect((await remove(tokenOf('bob'), '--quotes', 'all')).code).toBe(1);
    const first = await remove(tokenOf('bob'), '--json');
    expect(first.code, 'ann goes on in the room').toBe(2);
    expect(parsed(first)).toMatchObject({ left: [room], deleted: [] });
    expect([living(tokens.bob).length, living(tokens.ann).length > 0]).toEqual([0, true]);
    expect((await ask(belay, 'stop', '--all', '--url', belay.url, '--token', tokenOf('emergency'))).code).toBe(0);
    const second = await remove(tokenOf('bob'));
    expect(second, second.stderr).toMatchObject({ code: 0 });
    const text = second.lines.join('\n');
    expect(text).toMatch(
      /^The speaker is deleted, and is deleted_\S+ in what stays\.\n {2}redacted {3}room: \d+ facts\n/,
    );
    expect(text).toMatch(/ {2}removed {4}room #\d+ tool_call of turn_\S+: it may quote them/);
    const exported = (await ask(belay, 'export', room)).lines.join('\n');
    expect(exported).not.toMatch(/for bob|"bob"/);
    expect(exported).toContain('for ann');
    expect((await ask(belay, 'cancels')).lines.join('\n')).not.toContain('bob');
  });

  test('is deleted from the file of a gateway that was killed, whose processes are ended first', async () => {
    const { belay, tokens } = await twoAtWork();
    belay.child.signal('SIGKILL');
    await belay.child.ended();
    const removed = await ask(belay, 'delete', '--speaker', 'bob', '--quotes', 'all', '--json');
    expect(removed.code, removed.stderr).toBe(0);
    expect(parsed(removed)).toMatchObject({ left: [], deleted: [], remains: 'nothing' });
    expect([...living(tokens.ann), ...living(tokens.bob)]).toEqual([]);
    expect((await ask(belay, 'export', room)).lines.join('\n')).not.toMatch(/for bob|"bob"/);
    for (const args of [['--speaker'], ['--speaker', 'bob', room], ['--speaker', 'bob', '--quotes', 'some'], []])
      expect((await ask(belay, 'delete', ...args)).code, args.join(' ')).toBe(1);
  });
});
