// The keys and secrets of a gateway at its start: from files and descriptors, who could read them, and the permissions of its own files.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/programs/config.ts';
import type { Config } from '../../src/programs/settings.ts';
import { startWarnings } from '../../src/programs/start-warnings.ts';
import { startChild } from '../support/child.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'belay-secrets-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function fileOf(text: string, mode = 0o600, path = join(folder(), 'file')): string {
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function configOf(settings: object, environment: Readonly<Record<string, string>> = {}): Config {
  const config = readConfig(['--config', fileOf(JSON.stringify(settings))], environment);
  if (!config) throw new Error('the configuration is one');
  return config;
}

const secret = 'a secret of 32 bytes, and a few.';

describe('a secret in a file', () => {
  test('is read without the line break at its end', () => {
    const key = fileOf('sk-from-a-file\n');
    expect(configOf({ model: { apiKeyFile: key } }).model.apiKey).toBe('sk-from-a-file');
    expect(configOf({}, { OPENAI_API_KEY_FILE: key }).model.apiKey).toBe('sk-from-a-file');
    const jwt = fileOf(secret);
    expect(configOf({ tokens: { jwtSecretFile: jwt } }).tokens.jwtSecret).toBe(secret);
    expect(configOf({}, { BELAY_JWT_SECRET_FILE: jwt }).tokens.jwtSecret).toBe(secret);
  });

  test('that is empty, or cannot be read, is an error that names the setting', () => {
    expect(() => configOf({ model: { apiKeyFile: fileOf('\n') } })).toThrow(
      /model\.apiKeyFile is invalid: .* is empty/,
    );
    expect(() => configOf({ tokens: { jwtSecretFile: '/no/such/file' } })).toThrow(
      /tokens\.jwtSecretFile is invalid: \/no\/such\/file cannot be read/,
    );
  });

  test('and one beside it are refused', () => {
    expect(() => configOf({ model: { apiKeyFile: fileOf('x') } }, { OPENAI_API_KEY: 'y' })).toThrow(
      'model is invalid: apiKey and apiKeyFile are set, and only one of them may be',
    );
    expect(() => configOf({ tokens: { jwtSecretFile: fileOf(secret) } }, { BELAY_JWT_SECRET: secret })).toThrow(
      'jwtSecret and jwtSecretFile are set',
    );
  });

  test('may come by a descriptor, which is closed then', async () => {
    const descriptor = openSync(fileOf('sk-by-descriptor'), 'r');
    const config = join(import.meta.dirname, '..', '..', 'src', 'programs', 'config.ts');
    const script = `
      import { readConfig } from ${JSON.stringify(config)};
      import { fstatSync } from 'node:fs';
      const { apiKey } = readConfig([], process.env).model;
      let state = 'open';
      try { fstatSync(3); } catch { state = 'closed'; }
      console.log(apiKey, state);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { PATH: process.env['PATH'], OPENAI_API_KEY_FILE: '/dev/fd/3' },
      stdio: ['ignore', 'pipe', 'inherit', descriptor],
    });
    let printed = '';
    for await (const chunk of child.stdout ?? []) printed += chunk;
    expect(printed).toBe('sk-by-descriptor closed\n');
  });
});

describe('the start says in one line', () => {
  const roots = [tmpdir()];
  const environment = { OPENAI_API_KEY: 'sk-1', BELAY_JWT_SECRET: secret };

  test('that commands can read the keys in its environment', () => {
    expect(startWarnings(configOf({ roots, allow: ['shell', 'run_code'] }), environment)).toEqual([
      'OPENAI_API_KEY and BELAY_JWT_SECRET are in the environment of this process, and shell and run_code may read them there: give them by OPENAI_API_KEY_FILE and BELAY_JWT_SECRET_FILE, and commands a user of their own (tools.user).',
    ]);
    expect(startWarnings(configOf({ roots, allow: ['shell'] }), { OPENAI_API_KEY: 'sk-1' })).toEqual([
      'OPENAI_API_KEY is in the environment of this process, and shell may read it there: give it by OPENAI_API_KEY_FILE, and commands a user of their own (tools.user).',
    ]);
  });

  test('nothing where no command runs, or the environment has no key', () => {
    expect(startWarnings(configOf({ roots, allow: ['write_file'] }), environment)).toEqual([]);
    expect(startWarnings(configOf({ roots, allow: ['shell'] }), { OPENAI_API_KEY: '' })).toEqual([]);
  });

  test('which files with tokens and keys others can read', () => {
    const tokens = fileOf('{}', 0o644);
    const key = fileOf('sk-1', 0o640);
    const config = fileOf(JSON.stringify({ tokens: { file: tokens }, model: { apiKeyFile: key } }), 0o644);
    const read = readConfig(['--config', config], {});
    expect(read && startWarnings(read, {})).toEqual([
      `The token file ${tokens} can be read by other users of this machine: chmod 600 ${tokens}`,
      `The file with the key of the model ${key} can be read by other users of this machine: chmod 600 ${key}`,
    ]);
    const inside = fileOf(JSON.stringify({ mcpServers: { s: { command: 'true', env: { KEY: 'x' } } } }), 0o644);
    const other = readConfig(['--config', inside], {});
    expect(other && startWarnings(other, {})).toEqual([
      `The configuration file, which has secrets in it, ${inside} can be read by other users of this machine: chmod 600 ${inside}`,
    ]);
  });
});

test('a configuration file that is no JSON is an error without a part of the file', () => {
  const path = fileOf('{"model": {"apiKey": "sk-secret" "name": "x"}}');
  expect(() => readConfig(['--config', path], {})).toThrow(/cannot be used: it is not JSON/);
  expect(() => readConfig(['--config', path], {})).not.toThrow(/sk-secret/);
  const short = fileOf('sk-secret');
  expect(() => readConfig(['--config', short], {})).not.toThrow(/sk-/);
});

test('the files of a gateway can be read by its user only [access.secrets]', async () => {
  const cwd = folder();
  const env = { OPENAI_API_KEY: 'sk-1' };
  const serve = startChild('src/programs/serve.ts', {
    args: ['--port', '0', '--root', cwd, '--allow', 'shell'],
    cwd,
    env,
  });
  await serve.untilPrinted('listens at', 30_000);
  const modeOf = (...path: string[]) => (statSync(join(cwd, '.belay', ...path)).mode & 0o777).toString(8);
  expect(modeOf()).toBe('700');
  for (const name of ['belay.sqlite', 'belay.sqlite-wal', 'belay.sqlite-shm', 'belay.sqlite.lock'])
    expect(modeOf(name), name).toBe('600');
  expect(serve.stderr()).toMatch(/^belay: OPENAI_API_KEY is in the environment .*\n$/);
  serve.signal('SIGTERM');
  expect(await serve.ended(20_000)).toBe(0);
});
