// Shows that what is loaded once is loaded again after a failure, and only then.
import { expect, test, vi } from 'vitest';
import { loadOnce } from '../../../src/core/collections/load-once.ts';

test('calls share one load, also one that is under way', async () => {
  const load = vi.fn(async () => ({}));
  const get = loadOnce(load);
  const [first, second] = await Promise.all([get(), get()]);
  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(load).toHaveBeenCalledTimes(1);
});

test('a load that failed, for want of file descriptors for example, is tried again', async () => {
  const load = vi.fn(async () => 'loaded').mockRejectedValueOnce(new Error('EMFILE: too many open files'));
  const get = loadOnce(load);
  const both = await Promise.allSettled([get(), get()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await get()).toBe('loaded');
  expect(load).toHaveBeenCalledTimes(2);
});
