// A gateway loads what sound needs with the first connection that asks for it, and not before.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const recorder = join(import.meta.dirname, '..', 'children', 'record-modules.ts');
const parts = ['audible-session', 'connection-sound', 'paced-sound', 'sound-codec', 'sound-relay'];
/** The parts of a model that hears and speaks, which this gateway does not have. */
const partsOfModel = ['realtime-model', 'realtime-link', 'spoken-room', 'spoken-rooms', 'response'];

test('a gateway that is not asked for sound loads nothing of it [voice.sound]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-sound-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const modules = join(folder, 'modules');
  const serve = startChild('src/programs/serve.ts', {
    args: ['--port', '0', '--store', 'memory'],
    cwd: folder,
    env: { NODE_OPTIONS: `--import ${recorder}`, RECORD_MODULES: modules },
  });
  const [, url = ''] = await serve.untilPrinted(/(ws:\/\/\S+key=\S+)/, 30_000);
  const loaded = (names = parts) => {
    const all = readFileSync(modules, 'utf8')
      .split('\n')
      .map((one) => /\/(?:src|machines)\/(?:.*\/)?([^/]+)\.ts$/.exec(one)?.[1] ?? '');
    return names.filter((part) => all.includes(part));
  };
  const text = await connectRaw(url);
  await text.hello();
  await text.join('standup');
  text.send({ type: 'SAY', ref: 's', session: 'standup', text: 'hello' });
  await text.waitFor('turn_opened');
  text.send(new Uint8Array(100));
  await text.waitFor('error', { code: 'not_text' });
  text.send({ type: 'PLAYED', ref: 'p', session: 'standup', turn: 'turn', index: 0, offset: 0 });
  await text.waitFor('unknown_target');
  expect(loaded()).toEqual([]);
  const sound = await connectRaw(url);
  expect(await sound.hello(undefined, { receive: true })).toMatchObject({ sound: { send: false, receive: true } });
  await until(() => loaded().length === parts.length);
  expect(loaded(partsOfModel)).toEqual([]);
});
