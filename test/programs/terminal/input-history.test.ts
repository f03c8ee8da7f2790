// The history of entered texts: over chats, bounded, readable by its user alone.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { historyPath, InputHistory } from '../../../src/programs/terminal/input-history.ts';

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-history-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'belay', 'chat-history');
}

test('earlier texts come one after the other, then again the one that was being typed, in the next chat too', () => {
  const path = newPath();
  const history = new InputHistory(path);
  for (const text of ['one', 'two\nlines', 'two\nlines', ' secret', '']) history.add(text);
  for (const one of [history, new InputHistory(path)]) {
    expect([one.older('dra'), one.older('x'), one.older('x')]).toEqual(['two\nlines', 'one', null]);
    expect([one.newer(), one.newer(), one.newer()]).toEqual(['two\nlines', 'dra', null]);
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('two chats at once keep the texts of both', () => {
  const path = newPath();
  const [one, two] = [new InputHistory(path), new InputHistory(path)];
  one.add('a');
  two.add('b');
  one.add('c');
  expect(new InputHistory(path).find('').toReversed()).toEqual(['a', 'b', 'c']);
});

test('the newest thousand are kept, and what is no text is passed over', () => {
  const path = newPath();
  new InputHistory(path).add('x');
  const lines = Array.from({ length: 1_200 }, (_, i) => JSON.stringify(`text ${i}`));
  writeFileSync(path, `${lines.join('\n')}\n`);
  appendFileSync(path, '{"no":1}\n"cut o');
  expect(new InputHistory(path).find('text ')).toHaveLength(1_000);
  expect(readFileSync(path, 'utf8').trim().split('\n')).toEqual(lines.slice(200));
});

test('a search finds the newest first, each once', () => {
  const history = new InputHistory(newPath());
  for (const text of ['run build', 'test', 'run tests', 'run build']) history.add(text);
  expect(history.find('run')).toEqual(['run build', 'run tests']);
  expect(history.find('nothing')).toEqual([]);
});

test('the file is in the folder of the state, of the home folder if there is none', () => {
  expect(historyPath({ XDG_STATE_HOME: '/state' })).toBe('/state/belay/chat-history');
  expect(historyPath({ XDG_STATE_HOME: 'relative' })).toMatch(/\/\.local\/state\/belay\/chat-history$/);
});

test('a history that cannot be written is kept for the chat', () => {
  const path = newPath();
  new InputHistory(path).add('x');
  const history = new InputHistory(join(path, 'below-a-file'));
  history.add('one');
  expect(history.older('')).toBe('one');
});
