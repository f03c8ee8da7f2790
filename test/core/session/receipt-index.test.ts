// The index of receipts: a session keeps the newest ones, and reads the others from the log.
import { expect, test, vi } from 'vitest';
import { startHarness, textResponse } from '../../support/harness.ts';

vi.mock('../../../src/core/session/receipt-index.ts', async (original) => {
  const real = await original<typeof import('../../../src/core/session/receipt-index.ts')>();
  class ReceiptIndex extends real.ReceiptIndex {
    constructor(capacity = 4) {
      super(capacity);
    }
  }
  return { ...real, ReceiptIndex };
});

test('the receipt of a target that the index has dropped is read from the log [cancel.exact] [cancel.idempotent]', async () => {
  const harness = await startHarness({ respond: () => textResponse('one ', 'two ') });
  const first = await harness.say('first');
  await harness.cancel({ target: first, ref: 'c1' });
  await harness.clock.advance(100);
  for (let i = 0; i < 8; i++) {
    await harness.say(`more ${i}`);
    await harness.clock.advance(100);
  }
  expect(await harness.cancel({ target: first })).toMatchObject({ type: 'already_settled', receipt: { ref: 'c1' } });
  expect(await harness.cancel({ target: first, ref: 'c1' })).toMatchObject({ type: 'cancel_accepted', repeated: true });
  expect(await harness.cancel({ target: 'turn_nowhere' })).toEqual({ type: 'unknown_target', target: 'turn_nowhere' });
});
