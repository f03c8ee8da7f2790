// Every code has its heading in docs/errors.md with its message below, and every heading is a code.
import { expect, test } from 'vitest';
import { answerCodes, failureCodes, refusalCodes, standingCodes } from '../../machines/codes.ts';
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

/** Returns the codes of a table that another one does not have. */
const codesOf = (table: object, besides: object = {}): string[] =>
  Object.keys(table).filter((code) => !Object.hasOwn(besides, code));

test.each([
  ['Why a node failed or was denied', codesOf(failureCodes)],
  ['Why a speaker may not stop something', codesOf(standingCodes)],
  ['Why words were refused', codesOf(refusalCodes, standingCodes)],
  ['Why an answer was refused', codesOf(answerCodes)],
  ['Why a frame was rejected', codesOf(frameErrorCodes)],
  ['Why an HTTP request was refused', codesOf(httpErrorCodes)],
  ['Why a connection was closed', codesOf(closeCodes)],
])('the section "%s" has the codes of one table', (heading, wanted) => {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  expect(codeHeadings(section).sort()).toEqual([...wanted].sort());
});

test('the row of `say_refused` in docs/protocol.md has every code that is no reason of standing', () => {
  const row =
    read('docs/protocol.md')
      .split('\n### `say_refused`\n')[1]
      ?.match(/^\| `code` \| string \|.*$/m)?.[0] ?? '';
  const named = [...row.slice('| `code`'.length).matchAll(/`(\w+)`/g)].map(([, code]) => code);
  expect(named.sort()).toEqual(codesOf(refusalCodes, standingCodes).sort());
});
