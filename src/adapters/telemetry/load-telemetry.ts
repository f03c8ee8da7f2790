// Loads what observes a runtime: metrics if they are wanted, spans if the program has an OpenTelemetry SDK.
import type { Telemetry } from '../../core/runtime/config.ts';
import type { Clock } from '../../core/sources/sources.ts';
import type { Metrics } from './metrics-contract.ts';

export interface TelemetryOptions {
  /** Where the counts go; null: there are no metrics. */
  readonly metrics: Metrics | null;
  /** Whether there are spans. Left out: as soon as an OpenTelemetry SDK is registered. False: never. */
  readonly tracing?: boolean | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns how many sessions are awake. */
  readonly countSessions: () => number;
}

/** Resolves with the observers of the metrics and of the spans. */
export async function loadTelemetry({ metrics, tracing, clock, countSessions }: TelemetryOptions): Promise<Telemetry> {
  metrics?.watch('sessions', countSessions);
  const measured = metrics ? [metrics.observer] : [];
  if (tracing === false || !hasTracerProvider()) return { observers: measured };
  const { createTracing } = await import('./spans.ts');
  const spans = createTracing(clock.now);
  return { observers: [...measured, spans.observer], tracing: spans };
}

/** Under this symbol every copy of version 1 of @opentelemetry/api keeps what is registered, so that copies find each other. */
const registryKey: unique symbol = Symbol.for('opentelemetry.js.api.1') as typeof registryKey;

/** Whether an SDK has registered a tracer provider. Loads nothing: without one there are no spans, and no code for them. */
export function hasTracerProvider(): boolean {
  const registered = (globalThis as { [registryKey]?: { readonly trace?: unknown } })[registryKey]; // what that package puts there
  return registered?.trace !== undefined;
}
