// docs/charts holds the machines as one literal each, as they are, and a literal is all that Stately's editors can read.
import { expect, test } from 'vitest';
import { charts } from '../../scripts/draw-charts.ts';
import { codeTokens } from './tokens.ts';
import { filesBelow, read } from './tree.ts';

test('docs/charts is fresh (npm run draw)', () => {
  const drawn = charts();
  const names = [...drawn.keys()].map((name) => `docs/charts/${name}`);
  expect(filesBelow('docs/charts').toSorted()).toEqual(names.toSorted());
  for (const [name, text] of drawn) expect(read(`docs/charts/${name}`)).toBe(text);
});

test('a chart names nothing but itself and createMachine: there is no code in it to run', () => {
  for (const [, text] of charts()) {
    const [, literal = ''] = text.split('createMachine(');
    const words = codeTokens(literal).flatMap((token, i, all) =>
      token.kind === 'word' && token.text !== 'null' && all[i + 1]?.text !== ':' ? [token.text] : [],
    );
    expect(words).toEqual([]);
  }
});
