// A session whose store fails while it is being opened.
import { describe, expect, test } from 'vitest';
import { Fenced, HeldElsewhere, StoreFailed } from '../../../src/core/contracts/log.ts';
import { startHarness } from '../../support/harness.ts';

describe('a store that claims a session and does not write its first facts', () => {
  test.each([
    { name: 'because it fails', error: () => new StoreFailed('disk full'), rejection: StoreFailed },
    { name: 'because another host has the session', error: () => new Fenced('another'), rejection: HeldElsewhere },
  ])(
    '$name: the command that opens the session rejects, and a later one opens it [store.durable]',
    async ({ error, rejection }) => {
      const { runtime, log, clock } = await startHarness();
      const { append } = log;
      log.append = () => Promise.reject(error());
      const opened = runtime.open('other').then(
        () => 'opened',
        (reason: unknown) => reason,
      );
      await clock.advance(10_000);
      expect(await Promise.race([opened, Promise.resolve('in flight')])).toBeInstanceOf(rejection);
      log.append = append;
      expect(await runtime.open('other')).toMatchObject({ session: 'other' });
    },
  );

  test('a shutdown does not wait for it [ops.shutdown]', async () => {
    const { runtime, log, clock } = await startHarness();
    log.append = () => Promise.reject(new StoreFailed('disk full'));
    const opened = runtime.open('other').catch(() => 'rejected');
    const closed = runtime.close().then(() => 'closed');
    await clock.advance(20_000);
    expect(await Promise.race([closed, Promise.resolve('in flight')])).toBe('closed');
    expect(await opened).toBe('rejected');
  });
});
