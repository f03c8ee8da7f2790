// Lines and streamed text of a chat without a live region.
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { PlainScreen } from '../../src/programs/plain-screen.ts';

function start() {
  let out = '';
  const output = new Writable({
    write(chunk, _, done) {
      out += chunk;
      done();
    },
  });
  return { screen: new PlainScreen(output), shown: () => out };
}

test('a line starts on a new line, also in the middle of a text', () => {
  const { screen, shown } = start();
  screen.writeText('It is');
  screen.writeLine('  > shell');
  screen.writeText(' noon.');
  screen.endOutput();
  expect(shown()).toBe('It is\n  > shell\n noon.\n');
});

test('the text of another answer starts on a new line', () => {
  const { screen, shown } = start();
  screen.startText();
  screen.writeText('It is noon.');
  screen.startText();
  screen.writeText('It is late.\n');
  screen.startText();
  screen.writeText('Bye.');
  expect(shown()).toBe('It is noon.\nIt is late.\nBye.');
});

test('what could steer a terminal is removed', () => {
  const { screen, shown } = start();
  screen.writeLine('red \u001b[31mapple');
  screen.writeText('\u0007bell\tand tab');
  expect(shown()).toBe('red [31mapple\nbell\tand tab');
});
