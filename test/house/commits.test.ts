// The subjects of the last commits: in the imperative, which no test sees, and at most 72 characters, which one does.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from './tree.ts';

const maxLength = 72;

const tooLong = (log: string): string[] => log.split('\n').filter((subject) => subject.length > maxLength);

test('no subject of the last hundred commits is longer than a line of a log', () => {
  const { status, stdout } = spawnSync('git', ['log', '-100', '--format=%s'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) return; // an unpacked archive has no history
  expect(tooLong(stdout)).toEqual([]);
});

test('a subject that is too long is seen', () => {
  expect(tooLong(`${'x'.repeat(72)}\n${'x'.repeat(73)}`)).toEqual(['x'.repeat(73)]);
});
