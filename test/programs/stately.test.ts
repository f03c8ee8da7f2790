// `npm start -- --stately`: inspectors may connect to its port, and to none without it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/programs/config.ts';
import { ConfigError } from '../../src/programs/config-error.ts';
import { connectChecked } from '../support/checked-client.ts';
import { type Child, startChild } from '../support/child.ts';
import { connectRaw, refusedUpgrade } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

describe('the setting', () => {
  test('is off by default, 8080 by its bare flag, and any port by name', () => {
    expect(readConfig([], {})).not.toHaveProperty('stately');
    expect(readConfig(['--stately'], {})).toMatchObject({ stately: 8_080 });
    expect(readConfig(['--stately', '--port', '0'], {})).toMatchObject({ stately: 8_080, port: 0 });
    expect(readConfig(['--stately=0'], { BELAY_STATELY: '9000' })).toMatchObject({ stately: 0 });
    expect(readConfig([], { BELAY_STATELY: '9000' })).toMatchObject({ stately: 9_000 });
  });

  test.each(['--stately=x', '--stately=70000'])('%s is rejected, and the error names the flag', (flag) => {
    expect(() => readConfig([flag], {})).toThrow(ConfigError);
    expect(() => readConfig([flag], {})).toThrow(/stately/);
  });
});

async function start(...args: string[]): Promise<{ serve: Child; url: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'belay-stately-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const serve = startChild('src/programs/serve.ts', { args: ['--port', '0', '--store', 'memory', ...args], cwd });
  const [, url = ''] = await serve.untilPrinted(/listens at (\S+)/, 30_000);
  return { serve, url };
}

test('an inspector sees a turn of the gateway and its shutdown, without any of its text', async () => {
  const { serve, url } = await start('--stately=0');
  const [, page = ''] = await serve.untilPrinted(/inspector +(http:\/\/127\.0\.0\.1:\d+\/#key=\S+)/, 5_000);
  const socket = page.replace('http:', 'ws:').replace('#', '?');
  expect(await refusedUpgrade(socket.replace(/\?.*/, ''), { protocols: [] })).toBe(401);
  const inspector = await connectRaw(socket, { protocols: [] });
  const client = await connectChecked({ url });
  const session = client.session('demo');
  const started: unknown[] = [];
  session.on('tool_started', (frame) => started.push(frame));
  session.say('research this and run the build');
  await until(() => started.length > 0, { ms: 20_000 });
  serve.signal('SIGTERM');
  expect(await serve.ended(20_000)).toBe(0);
  const cancel = inspector.frames.find(({ event }) => (event as { type?: string } | undefined)?.type === 'CANCEL');
  expect(cancel).toMatchObject({ type: '@xstate.event', event: { source: 'shutdown' } });
  expect(inspector.all('@xstate.actor').map(({ name }) => name)).toContain('session demo');
  expect(JSON.stringify(inspector.frames)).not.toContain('research this');
  expect(serve.stderr()).toBe('');
});

test('without the flag no inspector may connect', async () => {
  const { serve } = await start();
  expect(serve.stdout()).not.toContain('inspector');
  serve.signal('SIGTERM');
  expect(await serve.ended(20_000)).toBe(0);
});

test('with tokens an inspector needs the key also where no client does [access.join]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'belay.json');
  const tokens = join(folder, 'tokens.json');
  const token = 'a-token-of-ann-0001';
  writeFileSync(tokens, JSON.stringify({ [token]: { speaker: 'ann' } }), { mode: 0o600 });
  writeFileSync(config, JSON.stringify({ tokens: { file: tokens } }));
  const { serve } = await start('--stately=0', '--no-key', '--config', config);
  const [, page = ''] = await serve.untilPrinted(/inspector +(http:\/\/127\.0\.0\.1:\d+\/#key=\S+)/, 5_000);
  const socket = page.replace('http:', 'ws:').replace('#', '?');
  expect(await refusedUpgrade(socket.replace(/\?.*/, ''), { protocols: [] })).toBe(401);
  // a token lets its speaker read its own sessions; the inspector shows all of them
  expect(await refusedUpgrade(socket.replace(/key=.*/, `key=${token}`), { protocols: [] })).toBe(401);
  const headers = { authorization: `Bearer ${token}` };
  expect(await refusedUpgrade(socket.replace(/\?.*/, ''), { protocols: [], headers })).toBe(401);
  await connectRaw(socket, { protocols: [] });
  serve.signal('SIGTERM');
  expect(await serve.ended(20_000)).toBe(0);
});
