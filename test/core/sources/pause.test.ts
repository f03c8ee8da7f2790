// A wait that an abort ends.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { pause } from '../../../src/core/sources/pause.ts';
import { createVirtualClock, settlePromises } from '../../../src/core/sources/virtual.ts';

test('a pause ends in time or at the abort, and leaves nothing behind [cancel.clean]', async () => {
  const clock = createVirtualClock();
  for (const abortAt of [null, 40, 0]) {
    const controller = new AbortController();
    if (abortAt === 0) controller.abort();
    let over = false;
    void pause(clock, 100, controller.signal).then(() => {
      over = true;
    });
    await clock.advance(40);
    if (abortAt === 40) controller.abort();
    await settlePromises();
    expect(over).toBe(abortAt !== null);
    await clock.advance(60);
    expect(over).toBe(true);
    expect(clock.pending).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  }
});
