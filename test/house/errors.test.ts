// Every code has its heading in docs/errors.md with its message below, and every heading is a code.
import { expect, test } from 'vitest';
import { answerCodes, failureCodes, refusalCodes } from '../../machines/codes.ts';
import { httpErrorCodes } from '../../src/gateway/http/http-codes.ts';
import { closeCodes } from '../../src/wire/close-codes.ts';
import { frameErrorCodes } from '../../src/wire/errors.ts';
import { codeHeadings } from './headings.ts';
import { read } from './tree.ts';

const page = read('docs/errors.md');
const documented = codeHeadings(page);
const messages = [failureCodes, refusalCodes, answerCodes, frameErrorCodes, httpErrorCodes, closeCodes].flatMap(
  (table) =>
    Object.entries<string | { readonly message: string }>(table).map(
      ([code, entry]) => [code, typeof entry === 'string' ? entry : entry.message] as const,
    ),
);
const codes = messages.map(([code]) => code);

/** Returns the text below the heading of a code. */
const textOf = (code: string): string => page.split(`\n### \`${code}\`\n`)[1]?.split('\n#')[0] ?? '';

/** Returns the first sentence of a message: it says what happened. */
const firstSentence = (message: string): string => message.split(/(?<=\.) /)[0] ?? '';

test('every code has a heading in docs/errors.md', () => {
  expect(codes.filter((code) => !documented.includes(code))).toEqual([]);
});

test('every heading of docs/errors.md is a code, once', () => {
  expect(documented.filter((code) => !codes.includes(code))).toEqual([]);
  expect(documented.filter((code, index) => documented.indexOf(code) !== index)).toEqual([]);
});

test('the text below each heading starts with the first sentence of the message', () => {
  const startsWith = (code: string, sentence: string) =>
    textOf(code)
      .replace(/^\s*(\d{4}\. )?/, '')
      .startsWith(sentence);
  const lost = messages.filter(([code, message]) => !startsWith(code, firstSentence(message)));
  expect(lost.map(([code, message]) => `${code}: ${firstSentence(message)}`)).toEqual([]);
});
