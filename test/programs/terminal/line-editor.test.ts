// Changes of a typed text: by characters as a person sees them, by words, and by lines.
import { expect, test } from 'vitest';
import { LineEditor } from '../../../src/programs/terminal/line-editor.ts';

/** The text with `|` at the cursor. */
const shown = ({ text, cursor }: LineEditor) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

/** An editor of the text, with the cursor at its `|`. */
function editorOf(marked: string): LineEditor {
  const editor = new LineEditor();
  const [before = '', after = ''] = marked.split('|');
  editor.set(before + after);
  while (editor.cursor > before.length) editor.moveLeft();
  return editor;
}

test.each([
  ['ab|c', 'moveLeft', 'a|bc'],
  ['👨‍👩‍👧‍👦|', 'moveLeft', '|👨‍👩‍👧‍👦'],
  ['|e\u0301x', 'moveRight', 'e\u0301|x'],
  ['a|', 'moveRight', 'a|'],
  ['run the build|', 'moveWordLeft', 'run the |build'],
  ['run  |the', 'moveWordLeft', '|run  the'],
  ['|run the', 'moveWordRight', 'run| the'],
  ['one\ntw|o', 'moveToLineStart', 'one\n|two'],
  ['|one\ntwo', 'moveToLineEnd', 'one|\ntwo'],
  ['|\none', 'moveToLineStart', '|\none'],
  ['one\ntwo thr|ee', 'moveUp', 'one|\ntwo three'],
  ['on|e\ntwo\nthree', 'moveDown', 'one\ntw|o\nthree'],
  ['👍👍|x\nabcd', 'moveDown', '👍👍x\nab|cd'],
  ['x👍🏽|', 'deleteBackward', 'x|'],
  ['|👍🏽x', 'deleteForward', '|x'],
  ['run the build|', 'killWordBackward', 'run the |'],
  ['run| the build', 'killWordForward', 'run| build'],
  ['one\ntwo| three', 'killToLineStart', 'one\n| three'],
  ['one\n|two', 'killToLineStart', 'one|two'],
  ['on|e\ntwo', 'killToLineEnd', 'on|\ntwo'],
  ['one|\ntwo', 'killToLineEnd', 'one|two'],
] as const)('%j %s %j', (before, change, after) => {
  const editor = editorOf(before);
  editor[change]();
  expect(shown(editor)).toBe(after);
});

test('what was deleted last, or cleared, comes back', () => {
  const editor = editorOf('run the build|');
  editor.killWordBackward();
  editor.moveToLineStart();
  editor.insertKilled();
  expect(shown(editor)).toBe('build|run the ');
  editor.clear();
  expect(editor.text).toBe('');
  editor.insertKilled();
  expect(shown(editor)).toBe('buildrun the |');
});

test('there is no line above the first and below the last', () => {
  expect(editorOf('one|').moveUp()).toBe(false);
  expect(editorOf('one|').moveDown()).toBe(false);
});
