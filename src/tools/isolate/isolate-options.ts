// Options of an isolated call that its thread and its process share.
import { maxLiveChars, type OutputLimits } from '../../process/process-output.ts';
import type { Clock } from '../../sources/sources.ts';

export interface IsolateOptions {
  readonly signal: AbortSignal;
  /** Skips the grace when it fires. */
  readonly kill: AbortSignal;
  readonly clock: Clock;
  /** From the request to stop to the end by force, in milliseconds. */
  readonly termGraceMs: number;
  /** The limit of its heap, in MiB. */
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  onOutput(text: string): void;
  onStarted(started: { readonly group: number; readonly startTime: string }): void;
}

/** Of what an isolate prints beside its messages. */
export const printedLimits: OutputLimits = { maxChars: 4_096, maxLiveChars };
