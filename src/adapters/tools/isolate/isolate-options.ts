// The options of an isolated call: the same for a thread and for a process.

import type { Clock } from '../../../core/sources/sources.ts';
import { maxLiveChars, type OutputLimits } from '../../processes/process-output.ts';

export interface IsolateOptions {
  readonly signal: AbortSignal;
  /** Skips the grace when it fires. */
  readonly kill: AbortSignal;
  readonly clock: Clock;
  /** Time from the request to stop until the kill, in milliseconds. */
  readonly termGraceMs: number;
  /** The limit of its heap, in MiB. */
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  onOutput(text: string): void;
  onStarted(started: { readonly group: number; readonly startTime: string }): void;
}

/** The limits of what an isolate prints to stdout and stderr, beside its messages. */
export const printedLimits: OutputLimits = { maxChars: 4_096, maxLiveChars };
