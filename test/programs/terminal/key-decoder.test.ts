// Input of terminals in raw mode, decoded to keys, text and pastes.
import { expect, test } from 'vitest';
import { KeyDecoder } from '../../../src/programs/terminal/key-decoder.ts';

/** Returns short names, like `ctrl-left`, `text:ab`, `paste:a`. */
function decode(...chunks: readonly string[]): readonly string[] {
  const decoder = new KeyDecoder();
  return [...chunks.flatMap((chunk) => decoder.decode(chunk)), ...decoder.flush()].map((input) => {
    if (input.kind !== 'key') return `${input.kind}:${input.text}`;
    const { ctrl, alt, shift, name } = input;
    return `${ctrl ? 'ctrl-' : ''}${alt ? 'alt-' : ''}${shift ? 'shift-' : ''}${name}`;
  });
}

test.each([
  { keys: 'héllo 日本 👍', names: ['text:héllo 日本 👍'] },
  { keys: 'a\rb', names: ['text:a', 'enter', 'text:b'] },
  { keys: '\u0001\u0003\u001a\n\t\u007f', names: ['ctrl-a', 'ctrl-c', 'ctrl-z', 'ctrl-j', 'tab', 'backspace'] },
  {
    keys: '\u001b[A\u001bOB\u001b[1;5D\u001b[3~\u001b[H\u001b[4~',
    names: ['up', 'down', 'ctrl-left', 'delete', 'home', 'end'],
  },
  { keys: '\u001b[Z', names: ['backtab'] },
  { keys: '\u001b\r\u001bb\u001b\u007f', names: ['alt-enter', 'alt-b', 'alt-backspace'] },
  { keys: '\u001b', names: ['escape'] },
  { keys: '\u001b\u001b', names: ['escape', 'escape'] },
  { keys: '\u001b[', names: ['alt-['] },
])('$names', ({ keys, names }) => {
  expect(decode(keys)).toEqual(names);
});

test.each([
  {
    what: 'kitty',
    keys: '\u001b[13;2u\u001b[99;5u\u001b[27u\u001b[97;1u\u001b[122;5:1u',
    names: ['shift-enter', 'ctrl-c', 'escape', 'text:a', 'ctrl-z'],
  },
  { what: 'xterm', keys: '\u001b[27;2;13~\u001b[27;5;99~', names: ['shift-enter', 'ctrl-c'] },
])('keys by their number, as of $what', ({ keys, names }) => {
  expect(decode(keys)).toEqual(names);
});

test('a paste is one text with line feeds, and what is in it is no key', () => {
  expect(decode('x\u001b[200~one\rtwo\r\nthree\u0003\n\u001b[201~y')).toEqual([
    'text:x',
    'paste:one\ntwo\nthree\u0003\n',
    'text:y',
  ]);
});

test('a sequence may come in pieces of any size', () => {
  const all = 'a\u001b[1;5C\u001b[200~one\rtwo\u001b[201~\u001b[27;2;13~\u001b[13;2u';
  const names = ['text:a', 'ctrl-right', 'paste:one\ntwo', 'shift-enter', 'shift-enter'];
  for (let at = 1; at < all.length; at++) expect(decode(all.slice(0, at), all.slice(at)), `${at}`).toEqual(names);
  expect(decode(...all)).toEqual(names);
});

test('sequences that are no keys are dropped whole', () => {
  expect(decode('a\u001b[?62;4c\u001b[12;40R\u001b[Ib')).toEqual(['text:a', 'text:b']);
});
