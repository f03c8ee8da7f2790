// The end of a node that no fact names is the same in every receipt that lists it.
import { expect, test } from 'vitest';
import type { CancelAccepted } from '../../../machines/facts.ts';
import { unnamedEnd } from '../../../src/core/receipt/unnamed-end.ts';

const acceptance = (fields: Partial<CancelAccepted>): CancelAccepted => ({
  type: 'cancel_accepted',
  cancel: 'cancel_1',
  ref: null,
  source: 'client',
  by: 'ann',
  reason: null,
  target: 'turn_1',
  force: false,
  stopping: [],
  pending: [],
  refused: [],
  detached: [],
  ...fields,
});

test('it is that of the first CANCEL that lists the node, whether stopping or pending [cancel.sources]', () => {
  const other = acceptance({ target: 'turn_0', stopping: ['turn_0'] });
  const first = acceptance({ target: 'tools:turn_1', pending: ['call_1'] });
  const second = acceptance({ source: 'deadline', by: null, stopping: ['turn_1', 'call_1'] });
  const receipts = [other, first, second].map((accepted) => ({ accepted, settled: null }));
  const call = { node: 'call_1', kind: 'tool-call', outcome: 'cancelled', effect: 'not_started', at: null };
  expect(unnamedEnd('call_1', first, receipts)).toEqual(call);
  expect(unnamedEnd('call_1', second, receipts)).toEqual(call);
  expect(unnamedEnd('turn_1', second, receipts)).toEqual({
    ...call,
    node: 'turn_1',
    kind: 'turn',
    outcome: 'timed_out',
  });
});
