// Sums of what model calls used and of what calls may have done.
import { expect, test } from 'vitest';
import { addEffect, addUsage } from '../../machines/totals.ts';
import { noUsage, unknownUsage } from '../../machines/vocabulary.ts';

test('a sum of usage is as good as its worst part, and never zero where nothing is known [history.usage]', () => {
  const exact = { kind: 'exact', input: 10, output: 5 } as const;
  const estimated = { kind: 'estimated', input: 7, output: 3 } as const;
  expect(addUsage(exact, estimated)).toEqual({ kind: 'estimated', input: 17, output: 8 });
  expect(addUsage(exact, unknownUsage)).toEqual({ kind: 'unknown', input: 10, output: 5 });
  expect(addUsage(noUsage, unknownUsage)).toEqual(unknownUsage);
  expect(addUsage(exact, noUsage)).toEqual(exact);
});

test('what two pieces of work may have done together is the graver of both [history.effect]', () => {
  expect(addEffect('none', 'not_started')).toBe('none');
  expect(addEffect('done', 'unknown')).toBe('unknown');
});
