// Printable texts and names: what is removed, what is refused, what stays.
import { expect, test } from 'vitest';
import {
  makePrintable,
  maxNameChars,
  nameProblem,
  printableJson,
  repairName,
} from '../../../src/core/text/printable.ts';

test('controls and marks of the writing direction are removed, lines and tabs stay [access.names]', () => {
  expect(makePrintable('yes \u202etxet\u202c\u2066!')).toBe('yes txet!');
  expect(makePrintable('a\u001b[2Jb\u0007c\r\n\td\u009b1m\u2028e')).toBe('a[2Jbc\n\td1me');
});

const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
const persian = '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645';

test('joiners stay: emoji and Persian need them', () => {
  for (const text of [family, persian]) {
    expect(makePrintable(text)).toBe(text);
    expect(nameProblem(text)).toBeNull();
    expect(repairName(text)).toBe(text);
  }
});

test.each([
  ['', 'must have 1 to 128 characters, and has 0'],
  ['a'.repeat(maxNameChars + 1), 'must have 1 to 128 characters, and has 129'],
  ['ann\nben', 'must not hold control characters'],
  ['ann\u2028ben', 'must not hold control characters'],
  ['ann\u202eben', 'must not hold control characters'],
  ['ann\u0000', 'must not hold control characters'],
  ['ann\ud83d', 'must be well-formed Unicode'],
  ['   ', 'must not be blank'],
])('%j is no name [access.names]', (name, problem) => {
  expect(nameProblem(name)).toContain(problem);
});

test('a name that a model has made up is cut, and its controls are replaced [access.names]', () => {
  const repaired = repairName(`sh\u001b[2Jell\n${'x'.repeat(3_000_000)}`);
  expect(repaired.startsWith('sh_[2Jell_xx')).toBe(true);
  expect(repaired.length).toBeLessThanOrEqual(maxNameChars);
  expect(nameProblem(repaired)).toBeNull();
});

test('JSON for a program keeps every character, and none of them can move a cursor [access.names]', () => {
  const value = { text: 'a\u001b[2J\u009b1m\u2028\u202eb\n\t', [persian]: family };
  const json = printableJson(value);
  expect(json).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  expect(JSON.parse(json)).toEqual(value);
});
