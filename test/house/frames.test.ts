// Every frame has its place in docs/protocol.md, and every place its frame.
import { expect, test } from 'vitest';
import { clientSchemas, withheldFacts } from '../../src/protocol/frames.ts';
import { codeHeadings } from './headings.ts';
import { codeTokens } from './tokens.ts';
import { read } from './tree.ts';

/** The `type: '…'` of the interfaces in a file: what servers send is types, which leave nothing at run time. */
function typesDeclaredIn(path: string): string[] {
  const tokens = codeTokens(read(path));
  return tokens.flatMap((token, index) => {
    const before = tokens.slice(Math.max(0, index - 3), index).map(({ text }) => text);
    return token.kind === 'string' && before.join(' ') === 'readonly type :' ? [token.text] : [];
  });
}

const documented = codeHeadings(read('docs/protocol.md'));
const withheld: readonly string[] = withheldFacts;
const facts = typesDeclaredIn('machines/facts.ts').filter((type) => !withheld.includes(type));
const frames = [...clientSchemas.keys(), ...typesDeclaredIn('src/protocol/frames.ts'), ...facts];

test('every frame has a heading in docs/protocol.md', () => {
  expect(frames.length).toBeGreaterThan(20);
  expect(frames.filter((type) => !documented.includes(type))).toEqual([]);
});

test('every heading of docs/protocol.md is a frame, once', () => {
  expect(documented.filter((type) => !frames.includes(type))).toEqual([]);
  expect(documented.filter((type, index) => documented.indexOf(type) !== index)).toEqual([]);
});
