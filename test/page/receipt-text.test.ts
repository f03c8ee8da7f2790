// The sentence of a receipt: it says no more than the receipt does.
import { expect, test } from 'vitest';
import type { ReceiptView } from '../../src/client/view/snapshot.ts';
import { receiptSentence } from '../../src/page/chat-view/receipt-text.ts';

const receipt: ReceiptView = {
  seq: 1,
  cancel: 'cancel_1',
  ref: null,
  source: 'client',
  by: 'ann',
  reason: null,
  target: 'turn_1',
  force: false,
  stopping: ['turn_1', 'call_1'],
  pending: [],
  refused: [],
  detached: [],
  queue: [],
  settled: null,
  acknowledged: null,
};

type Settled = NonNullable<ReceiptView['settled']>[number];
const settled = (outcome: Settled['outcome'], ms: number): Settled => ({
  node: 'call_1',
  kind: 'tool-call',
  outcome,
  effect: 'none',
  ms,
  forced: false,
});

test.each<[string, Partial<ReceiptView>, string]>([
  ['before it has settled', {}, 'You stopped this: 2 are stopping…'],
  [
    'of two',
    { settled: [settled('cancelled', 12), settled('cancelled', 40)] },
    'You stopped this: all 2 stopped in 40 ms.',
  ],
  ['of one', { settled: [settled('cancelled', 12)] }, 'You stopped this: stopped in 12 ms.'],
  [
    'with one that had completed',
    { settled: [settled('cancelled', 12), settled('completed', 900)] },
    'You stopped this: 1 of 2 stopped in 12 ms.',
  ],
  ['of what had completed', { settled: [settled('completed', 3)] }, 'You stopped this: it had ended before the stop.'],
  ['of what did not stop', { settled: [settled('abandoned', 9_000)] }, 'You stopped this: 1 did not stop in time.'],
  [
    'with one that did not stop',
    { settled: [settled('cancelled', 12), settled('abandoned', 9_000)] },
    'You stopped this: 1 of 2 stopped in 12 ms; 1 did not stop in time.',
  ],
  [
    'by somebody else, with a reason',
    { by: 'bob', reason: 'too loud' },
    'bob stopped this (too loud): 2 are stopping…',
  ],
  ['of a time limit', { by: null, source: 'deadline' }, 'A time limit stopped this: 2 are stopping…'],
  [
    'of what newer words replace',
    { source: 'superseded', reason: 'turn_2 takes its place' },
    'Something newer stopped this: 2 are stopping…',
  ],
])('a receipt %s', (_, fields, text) => {
  expect(receiptSentence({ ...receipt, ...fields }, 'ann')).toBe(text);
});
