// The signal of a tool call: an error in one of its listeners fails that call only.
import { expect, test } from 'vitest';
import { GuardedSignal } from '../../../src/core/workers/guard-signal.ts';

const guarded = () => {
  const source = new AbortController();
  const thrown: unknown[] = [];
  return { source, thrown, guard: new GuardedSignal(source.signal, (error) => thrown.push(error)) };
};

test('an error in a listener is reported, the other listeners run, and nothing is uncaught [tool.signal]', async () => {
  const { source, thrown, guard } = guarded();
  const received: string[] = [];
  guard.signal.addEventListener('abort', () => {
    throw new Error('first');
  });
  guard.signal.addEventListener('abort', async () => {
    throw new Error('later');
  });
  guard.signal.addEventListener('abort', { handleEvent: () => received.push('object') });
  guard.signal.onabort = () => {
    received.push('property');
    throw new Error('third');
  };
  source.abort('why');
  await new Promise(setImmediate);
  expect(received).toEqual(['object', 'property']);
  expect(thrown.map(String)).toEqual(['Error: first', 'Error: third', 'Error: later']);
  expect(guard.thrown).toBe('first');
  expect(guard.signal.reason).toBe('why');
});

test('listeners can be removed, and one that is added twice runs once [tool.signal]', () => {
  const { source, guard } = guarded();
  let runs = 0;
  const once = () => runs++;
  const never = () => runs++;
  guard.signal.addEventListener('abort', once);
  guard.signal.addEventListener('abort', once);
  guard.signal.addEventListener('abort', never);
  guard.signal.removeEventListener('abort', never);
  guard.signal.onabort = never;
  guard.signal.onabort = null;
  source.abort();
  expect(runs).toBe(1);
});

test('what a tool leaves on the signal does nothing after its call, and listeners that are added later run [tool.signal]', () => {
  const { source, thrown, guard } = guarded();
  const received: string[] = [];
  guard.signal.addEventListener('abort', () => received.push('left behind'));
  guard.signal.onabort = () => received.push('property');
  guard[Symbol.dispose]();
  source.signal.addEventListener('abort', () => received.push('later'));
  source.abort();
  expect([received, thrown]).toEqual([['later'], []]);
});

test('every function of Node that takes a signal works with it [tool.signal]', async () => {
  const { source, guard } = guarded();
  const { setTimeout: pause } = await import('node:timers/promises');
  const waiting = pause(60_000, undefined, { signal: guard.signal }).catch((error: Error) => error.name);
  const any = AbortSignal.any([guard.signal]);
  source.abort();
  expect(await waiting).toBe('AbortError');
  expect(any.aborted).toBe(true);
});
