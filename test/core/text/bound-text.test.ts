// Bounded texts keep head and tail, and count what is missing.
import { expect, test } from 'vitest';
import { BoundedText, boundText } from '../../../src/core/text/bound-text.ts';
import { fc } from '../../support/property.ts';

test('a text within the limit stays as it is', () => {
  expect(boundText('x'.repeat(200), 200)).toEqual({ output: 'x'.repeat(200), omitted: 0 });
  expect(boundText('', 200)).toEqual({ output: '', omitted: 0 });
});

test('of a longer text head and tail stay, together within the limit [history.bounded]', () => {
  const { output, omitted } = boundText(`first ${'x'.repeat(1_000)} last`, 200);
  expect(output).toMatch(/^first x+\n\[… \d+ characters omitted …\]\nx+ last$/);
  expect(output.length).toBeLessThanOrEqual(200);
  expect(output).toContain(` ${omitted} `);
});

test('in whatever pieces it comes, the result is the same, no character is cut in half, and the sum is right [history.bounded]', () => {
  const pieces = fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 60 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 0, max: 400 }), (texts, max) => {
      const text = texts.join('');
      const bounded = new BoundedText(max);
      for (const piece of texts) bounded.push(piece);
      const { output, omitted } = bounded.result();
      expect({ output, omitted }).toEqual(boundText(text, max));
      expect(output.length).toBeLessThanOrEqual(max);
      expect(output.isWellFormed()).toBe(true);
      if (text.length <= max) expect({ output, omitted }).toEqual({ output: text, omitted: 0 });
      else if (max >= 64) {
        const [head = '', tail = ''] = output.split(`\n[… ${omitted} characters omitted …]\n`);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length + omitted).toBe(text.length);
      }
    }),
  );
});
