// Calls third-party code so that its exceptions go no further.
import type { Observer } from './session-spec.ts';

export type Warn = (message: string, error?: unknown) => void;

/** Calls every observer: an exception, now or later, is reported. */
export function notifyObservers(
  observers: readonly Observer[],
  call: (observer: Observer) => unknown,
  warn: Warn,
): void {
  for (const observer of observers) callGuarded('An observer', () => call(observer), warn);
}

/** Calls third-party code: an exception, now or later, is reported. `what`: its name, as the beginning of a sentence. */
export function callGuarded(what: string, call: () => unknown, warn: Warn): void {
  const report = (error: unknown) => warn(`${what} threw.`, error);
  try {
    const result = call();
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}
