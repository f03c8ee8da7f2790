// A signal that is made when it is read: whoever reads it finds what has happened before.
import { expect, test } from 'vitest';
import { LateSignal } from '../../../src/core/sources/abort-signals.ts';

test('a signal that is read late has fired if it was aborted before, with the first reason [tool.signal]', () => {
  const late = new LateSignal();
  late.abort('first');
  late.abort('second');
  expect([late.signal.aborted, late.signal.reason]).toEqual([true, 'first']);
});

test('a signal that was read before fires once, and stays the same [tool.signal]', () => {
  const late = new LateSignal();
  const { signal } = late;
  let fired = 0;
  signal.addEventListener('abort', () => fired++);
  expect(signal.aborted).toBe(false);
  late.abort('why');
  late.abort('again');
  expect([late.signal === signal, fired, signal.reason]).toEqual([true, 1, 'why']);
});
