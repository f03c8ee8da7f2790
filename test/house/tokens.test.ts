// The tokens of TypeScript, where its scanner alone does not know what a slash or a brace is.
import { expect, test } from 'vitest';
import { tokensOf } from './tokens.ts';

const tokens = (source: string) => tokensOf(source).map(({ kind, text, line }) => `${line} ${kind} ${text}`);

test('the first line of a script is a comment', () => {
  expect(tokens('#!/usr/bin/env node\na')).toEqual(['1 comment #!/usr/bin/env node', '2 word a']);
});

test('a template is one token; the code in its holes follows, patterns and templates too', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
  expect(tokens('`a${/}`/.x}\nb${{ c: `d${e}` }}`;f')).toEqual([
    '1 template a{}\nb{}',
    '1 regex /}`/',
    '1 punctuation .',
    '1 word x',
    '2 punctuation {',
    '2 word c',
    '2 punctuation :',
    '2 template d{}',
    '2 word e',
    '2 punctuation }',
    '2 punctuation ;',
    '2 word f',
  ]);
});

test('a slash divides after a value, and starts a pattern after an operator or `return`', () => {
  expect(tokens('a / b / (c) / 1').some((token) => token.includes('regex'))).toBe(false);
  expect(tokens('x = /a/g; return /b/').filter((token) => token.includes('regex'))).toEqual([
    '1 regex /a/g',
    '1 regex /b/',
  ]);
});
