// The signal that a tool gets: whatever its listeners throw ends nothing but their call.
import { expect, test } from 'vitest';
import { guardSignal } from '../../src/workers/guard-signal.ts';

const guarded = () => {
  const source = new AbortController();
  const thrown: unknown[] = [];
  return { source, thrown, guard: guardSignal(source.signal, (error) => thrown.push(error)) };
};

test('a listener that throws is charged, the others run, nothing is uncaught [tool.signal]', async () => {
  const { source, thrown, guard } = guarded();
  const heard: string[] = [];
  guard.signal.addEventListener('abort', () => {
    throw new Error('first');
  });
  guard.signal.addEventListener('abort', async () => {
    throw new Error('later');
  });
  guard.signal.addEventListener('abort', { handleEvent: () => heard.push('object') });
  guard.signal.onabort = () => {
    heard.push('property');
    throw new Error('third');
  };
  source.abort('why');
  await new Promise(setImmediate);
  expect(heard).toEqual(['object', 'property']);
  expect(thrown.map(String)).toEqual(['Error: first', 'Error: third', 'Error: later']);
  expect(guard.thrown).toBe('first');
  expect(guard.signal.reason).toBe('why');
});

test('listeners can be taken away again, and one added twice runs once [tool.signal]', () => {
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

test('what Node builds on a signal works with it [tool.signal]', async () => {
  const { source, guard } = guarded();
  const { setTimeout: pause } = await import('node:timers/promises');
  const waiting = pause(60_000, undefined, { signal: guard.signal }).catch((error: Error) => error.name);
  const any = AbortSignal.any([guard.signal]);
  source.abort();
  expect(await waiting).toBe('AbortError');
  expect(any.aborted).toBe(true);
});
