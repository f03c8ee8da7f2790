// The words for a stop that has not stopped everything, as the page's list of sessions shows them: each reason, once.
import { expect, test } from 'vitest';
import { standingCodes } from '../../../machines/codes.ts';
import { namesOf } from '../../../src/core/collections/fields.ts';
import { refusalsText, refusalText } from '../../../src/core/words/receipt-words.ts';

test('a stop that has stopped everything says nothing', () => {
  expect(refusalsText([])).toBeNull();
});

test('a stop that has not says each reason once', () => {
  for (const reason of namesOf(standingCodes))
    expect(refusalsText([{ reason }, { reason }])).toBe(`Not everything has stopped: ${refusalText(reason, null)}.`);
  expect(refusalsText([{ reason: 'not_owner' }, { reason: 'not_allowed' }])).toBe(
    'Not everything has stopped: it belongs to another speaker; the rule of this session does not allow it.',
  );
});
