// Signing in to MCP servers: `belay mcp login` at a real authorization server, tokens that are refreshed, and what is said where they are missing.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../../support/child.ts';
import { refusedRequests, resetEach } from '../../support/reset-connections.ts';
import { playServer } from './http-server.ts';
import { connected } from './mcp.ts';
import { type OAuthServer, startOAuthServer } from './oauth-server.ts';

/** A folder with a configuration that names the server `tracker`. */
function newFolder(server: Pick<OAuthServer, 'url'>) {
  const folder = mkdtempSync(join(tmpdir(), 'belay-oauth-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'belay.json');
  const mcpServers = { tracker: { url: server.url }, files: { command: 'x' } };
  writeFileSync(config, JSON.stringify({ store: join(folder, 'belay.sqlite'), mcpServers }), { mode: 0o600 });
  return { config, tokenFile: join(folder, 'mcp-tokens.json') };
}

type Folder = ReturnType<typeof newFolder>;

const run = ({ config }: Folder, ...args: string[]) =>
  startChild('src/programs/belay.ts', { args: ['mcp', ...args, '--config', config] });

async function startLogin(folder: Folder) {
  const child = run(folder, 'login', 'tracker');
  const [, address = ''] = await child.untilPrinted(/\n\s+(http:\S+)\n/, 10_000);
  return { child, address };
}

/** Signs in as a browser does. */
async function logIn(folder: Folder): Promise<string> {
  const { child, address } = await startLogin(folder);
  const page = await (await fetch(address)).text();
  expect(page).toContain('You may close this page.');
  expect(await child.ended()).toBe(0);
  return child.stdout() + child.stderr() + page;
}

test('login prints an address, its page may be closed, and the tokens are kept for this user alone [tool.mcp] [access.secrets]', async () => {
  const server = await startOAuthServer();
  const folder = newFolder(server);
  const shown = await logIn(folder);
  expect(shown).toMatch(/Signed in to tracker\./);
  expect(statSync(folder.tokenFile).mode & 0o777).toBe(0o600);
  const [token = ''] = server.accessTokens;
  expect(readFileSync(folder.tokenFile, 'utf8')).toContain(token);
  expect(shown).not.toContain(token);

  const { call, warnings } = await connected({ tracker: { url: server.url } }, {}, { tokenFile: folder.tokenFile });
  expect(warnings).toEqual([]);
  const end = await call('tracker__whoami').end;
  expect(end, 'a server that repeats the token').toEqual({ kind: 'completed', output: 'called with [secret]' });
});

test('login goes on after requests for another page, and after connections that are reset [tool.mcp] [ws.limits.reset]', async () => {
  const { child, address } = await startLogin(newFolder(await startOAuthServer()));
  const callback = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
  await resetEach(Number(callback.port), refusedRequests(Number(callback.port)), async (what) => {
    const response = await fetch(new URL('/other', callback)).catch(() => null);
    expect(response?.status, `after ${what}: ${child.stderr()}`).toBe(404);
  });
  await (await fetch(address)).text();
  expect(await child.ended()).toBe(0);
});

test('without a sign-in the server is not used, and the command is named [tool.mcp]', async () => {
  const server = await startOAuthServer();
  const { tokenFile } = newFolder(server);
  const { mcp, warnings } = await connected({ tracker: { url: server.url } }, {}, { tokenFile });
  expect(mcp.states()).toMatchObject([{ phase: 'failed' }]);
  expect(warnings).toEqual(['the MCP server tracker wants a sign-in: sign in with `belay mcp login tracker`']);
});

test('tokens that are over are refreshed once for all calls, and kept [tool.mcp]', async () => {
  const server = await startOAuthServer();
  const folder = newFolder(server);
  await logIn(folder);
  const { call } = await connected({ tracker: { url: server.url } }, {}, { tokenFile: folder.tokenFile });
  server.expire();
  const ends = await Promise.all([1, 2, 3].map(() => call('tracker__whoami').end));
  expect(ends.map(({ kind }) => kind)).toEqual(['completed', 'completed', 'completed']);
  expect(server.refreshes).toBe(1);
  expect(readFileSync(folder.tokenFile, 'utf8')).toContain(server.accessTokens.at(-1));
  expect(statSync(folder.tokenFile).mode & 0o777).toBe(0o600);
});

test('where they cannot be refreshed, the call says what to do; a new sign-in is used at once [tool.mcp] [history.effect]', async () => {
  const server = await startOAuthServer();
  const folder = newFolder(server);
  await logIn(folder);
  const { call } = await connected({ tracker: { url: server.url } }, {}, { tokenFile: folder.tokenFile });
  server.expire();
  server.revoke();
  expect(await call('tracker__whoami').end).toMatchObject({
    kind: 'failed',
    code: 'mcp_unavailable',
    effect: 'none',
    message: 'The MCP server tracker does not accept the sign-in any more: sign in with `belay mcp login tracker`.',
  });
  await logIn(folder);
  expect(await call('tracker__whoami').end).toMatchObject({ kind: 'completed' });
});

test('an answer for another sign-in is not taken; a refused one ends the command with words [access.secrets]', async () => {
  const server = await startOAuthServer();
  const folder = newFolder(server);
  const { child, address } = await startLogin(folder);
  const { searchParams } = new URL(address);
  const page = searchParams.get('redirect_uri') ?? '';
  expect((await fetch(`${page}?code=stolen&state=other`)).status).toBe(400);
  expect((await fetch(new URL('/', page))).status).toBe(404);
  const state = searchParams.get('state') ?? '';
  const refused = await fetch(`${page}?${new URLSearchParams({ error: 'access_denied', state })}`);
  expect(await refused.text()).toContain('The sign-in was refused. You may close this page.');
  expect(await child.ended()).toBe(1);
  expect(child.stderr()).toContain('The sign-in was refused: access_denied.');
  expect(() => readFileSync(folder.tokenFile)).toThrow(/ENOENT/);
});

test('logout forgets the sign-in; names that are wrong are refused', async () => {
  const server = await startOAuthServer();
  const folder = newFolder(server);
  await logIn(folder);
  const out = run(folder, 'logout', 'tracker');
  expect(await out.ended()).toBe(0);
  expect(readFileSync(folder.tokenFile, 'utf8')).not.toContain('access-');
  const unknown = run(folder, 'login', 'nothing');
  expect(await unknown.ended()).toBe(1);
  expect(unknown.stderr()).toContain('There is no MCP server nothing. There are tracker, files');
  const process = run(folder, 'login', 'files');
  expect(await process.ended()).toBe(1);
  expect(process.stderr()).toContain('only one with a url has a sign-in');
});

test.for(['tools/list', 'tools/call'] as const)(
  'a server that wants a token only from %s on is signed in to [tool.mcp]',
  async (guardedFrom) => {
    const server = await startOAuthServer({ guardedFrom });
    const folder = newFolder(server);
    const { tokenFile } = folder;
    const before = await connected({ tracker: { url: server.url } }, {}, { tokenFile });
    const refused =
      guardedFrom === 'tools/list' ? before.warnings[0] : (await before.call('tracker__whoami').end).output;
    expect(refused).toContain('wants a sign-in: sign in with `belay mcp login tracker`');
    await logIn(folder);
    const { call } = await connected({ tracker: { url: server.url } }, {}, { tokenFile });
    expect(await call('tracker__whoami').end).toEqual({ kind: 'completed', output: 'called with [secret]' });
  },
);

test('a server that wants no token needs no sign-in [tool.mcp]', async () => {
  const server = await playServer({ tools: {} });
  const child = run(newFolder(server), 'login', 'tracker');
  expect(await child.ended()).toBe(0);
  expect(child.stdout()).toContain('tracker needs no sign-in.');
});
