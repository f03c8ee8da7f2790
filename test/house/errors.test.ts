// Every code has its heading in docs/errors.md, and every heading is a code.
import { expect, test } from 'vitest';
import { answerCodes, failureCodes, refusalCodes } from '../../machines/codes.ts';
import { closeCodes } from '../../src/protocol/close-codes.ts';
import { frameErrorCodes } from '../../src/protocol/errors.ts';
import { codeHeadings } from './headings.ts';
import { read } from './tree.ts';

const documented = codeHeadings(read('docs/errors.md'));
const codes = [failureCodes, refusalCodes, answerCodes, frameErrorCodes, closeCodes].flatMap((table) =>
  Object.keys(table),
);

test('every code has a heading in docs/errors.md', () => {
  expect(codes.filter((code) => !documented.includes(code))).toEqual([]);
});

test('every heading of docs/errors.md is a code, once', () => {
  expect(documented.filter((code) => !codes.includes(code))).toEqual([]);
  expect(documented.filter((code, index) => documented.indexOf(code) !== index)).toEqual([]);
});
