// The user that commands run as: which names are refused, and a command that runs as another user and is stopped.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findCommandUser } from '../../../src/adapters/processes/command-user.ts';
import { passedEnvironment } from '../../../src/adapters/processes/environment.ts';
import { runProcess } from '../../../src/adapters/processes/started-command.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { startChild } from '../../support/child.ts';
import { until } from '../../support/until.ts';
import { living } from './processes.ts';

const isRoot = process.getuid?.() === 0;
/** `nobody` is there on every system. */
const testAsRoot = isRoot ? test : test.skip;
const whyNot = isRoot ? '' : ' (skipped: only root may start commands as another user)';
const nobody = 'nobody';

test('a user that there is not is refused, and so is what is no name', () => {
  expect(() => findCommandUser('no-such-user')).toThrow('there is no user "no-such-user" on this machine');
  expect(() => findCommandUser('$(id)')).toThrow('there is no user');
  expect(() => findCommandUser('-u')).toThrow('there is no user');
});

test('root and the user of this process are refused: they would separate nothing', () => {
  expect(() => findCommandUser('root')).toThrow('root is root, which may read everything');
  const own = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  expect(() => findCommandUser(own)).toThrow(own === 'root' ? 'may read everything' : 'the user that runs Belay');
});

testAsRoot(`a command of another user has its groups and its home, and nothing of it is left${whyNot}`, async () => {
  const user = findCommandUser(nobody);
  const token = 'sleep 71.25';
  const script = `id -u; id -G; echo "$HOME $USER"; trap '' TERM; echo deaf; (setsid ${token} >/dev/null 2>&1 &); ${token}`;
  let printed = '';
  const stopping = new AbortController();
  const ended = runProcess(
    {
      file: '/bin/sh',
      args: ['-c', script],
      cwd: '/',
      environment: passedEnvironment([], user),
      marker: 'call_of_nobody',
      user,
    },
    {
      signal: stopping.signal,
      kill: new AbortController().signal,
      clock: systemSources.clock,
      termGraceMs: 100,
      maxOutputChars: 1_000,
      onOutput: (text) => {
        printed += text;
      },
      onStarted: () => {},
    },
  );
  // the command line of the shell has the token too, before the shell is deaf
  await until(() => printed.includes('deaf') && living(token).length >= 3, {
    what: 'the deaf shell and both processes',
  });
  stopping.abort();
  expect(await ended).toMatchObject({ kind: 'stopped', forced: true });
  expect(living(token)).toEqual([]);
  expect(printed.split('\n').slice(0, 3)).toEqual([`${user.uid}`, `${user.gid}`, `${user.home} ${nobody}`]);
});

testAsRoot(`a command of another user has a terminal of its own${whyNot}`, async () => {
  const user = findCommandUser(nobody);
  const ended = await runProcess(
    {
      file: '/bin/sh',
      args: ['-c', 'test -t 1 && echo on a terminal'],
      cwd: '/',
      environment: passedEnvironment([], user),
      marker: 'call_at_terminal',
      terminal: { columns: 80, rows: 24 },
      user,
    },
    {
      signal: new AbortController().signal,
      kill: new AbortController().signal,
      clock: systemSources.clock,
      termGraceMs: 100,
      maxOutputChars: 1_000,
      onOutput: () => {},
      onStarted: () => {},
    },
  );
  expect(ended).toMatchObject({ kind: 'exited', exitCode: 0, output: expect.stringContaining('on a terminal') });
});

testAsRoot(`a process that may not signal the user does not start${whyNot}`, async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'belay-user-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const serve = startChild('test/children/without-kill.ts', { args: ['src/programs/serve.ts', '--port', '0'], cwd });
  expect(await serve.ended(30_000)).toBe(1);
  expect(serve.stderr()).toMatch(
    /^The setting tools\.user is invalid: this process may not signal processes of nobody, so it could not stop them\.\n$/,
  );
});
