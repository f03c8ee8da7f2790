// The screen of a chat without a live region: its lines, and the text that streams between them.
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { PlainScreen } from '../../src/programs/plain-screen.ts';

function createScreen() {
  let out = '';
  const output = new Writable({
    write(chunk, _, done) {
      out += chunk;
      done();
    },
  });
  return { screen: new PlainScreen(output), shown: () => out };
}

test('a line starts at the left, also in the middle of a text', () => {
  const { screen, shown } = createScreen();
  screen.writeText('It is');
  screen.writeLine('  > shell');
  screen.writeText(' noon.');
  screen.endOutput();
  expect(shown()).toBe('It is\n  > shell\n noon.\n');
});

test('the text of another response starts on a new line, if the last one did not end its own', () => {
  const { screen, shown } = createScreen();
  screen.startText();
  screen.writeText('It is noon.');
  screen.startText();
  screen.writeText('It is late.\n');
  screen.startText();
  screen.writeText('Bye.');
  expect(shown()).toBe('It is noon.\nIt is late.\nBye.');
});

test('control characters are removed, so that no text steers the terminal', () => {
  const { screen, shown } = createScreen();
  screen.writeLine('red \u001b[31mapple');
  screen.writeText('\u0007bell\tand tab');
  expect(shown()).toBe('red [31mapple\nbell\tand tab');
});
