// Lines and streamed text around a prompt at which a person may be typing.
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Screen } from '../../src/cli/screen.ts';

function start() {
  let out = '';
  const show = () => {
    out += '> ';
  };
  const prompt = { isWanted: true, hasInput: false, show };
  const output = new Writable({
    write(chunk, _, done) {
      out += chunk;
      done();
    },
  });
  const screen = new Screen(output, prompt);
  // the sequence that clears a line is shown as #
  const shown = () => out.replaceAll('\u001b[2K\u001b[1G', '#');
  return { screen, prompt, shown };
}

test('a line starts on a new line, also in the middle of a text', () => {
  const { screen, prompt, shown } = start();
  prompt.isWanted = false;
  screen.writeText('It is');
  screen.writeLine('  > shell');
  screen.writeText(' noon.');
  screen.endOutput();
  expect(shown()).toBe('It is\n  > shell\n noon.\n');
});

test('a line that was not typed here, as from a pipe, does not end the text before it', () => {
  const { screen, prompt, shown } = start();
  prompt.isWanted = false;
  screen.writeText('It is noon.');
  screen.onLineTyped();
  screen.writeLine('You are ann');
  expect(shown()).toBe('It is noon.\nYou are ann\n');
});

test('the prompt is removed for output, and shown again afterwards', () => {
  const { screen, prompt, shown } = start();
  screen.endOutput();
  screen.writeLine('bob> hello');
  prompt.isWanted = false;
  screen.writeText('Hi');
  prompt.isWanted = true;
  screen.endOutput();
  expect(shown()).toBe('> #bob> hello\n> #Hi\n> ');
});

test('while a person types all output waits, and is written in order afterwards', () => {
  const { screen, prompt, shown } = start();
  prompt.isWanted = false;
  screen.writeText('It is');
  screen.onFirstKey();
  prompt.hasInput = true;
  screen.writeText(' no');
  screen.writeLine('  > shell');
  screen.writeText('on');
  expect(shown()).toBe('It is\n> ');
  prompt.hasInput = false;
  screen.onLineTyped();
  expect(shown()).toBe('It is\n>  no\n  > shell\non');
});

test('text comes again when the typed line is deleted; past the limit it is written above the line', () => {
  const { screen, prompt, shown } = start();
  prompt.isWanted = false;
  screen.onFirstKey();
  prompt.hasInput = true;
  screen.writeText('a');
  prompt.hasInput = false; // all of it deleted
  screen.writeText('b');
  expect(shown()).toBe('> #ab');
  screen.onFirstKey();
  prompt.hasInput = true;
  for (let i = 0; i <= 1_000; i++) screen.writeText('c');
  expect(shown()).toBe(`> #ab\n> #${'c'.repeat(1_001)}> `);
});

test('after its close there is no prompt, and output is written at once', () => {
  const { screen, prompt, shown } = start();
  screen.endOutput();
  prompt.hasInput = true;
  screen.writeLine('one');
  screen.close();
  screen.writeLine('two');
  expect(shown()).toBe('> #one\ntwo\n');
});
