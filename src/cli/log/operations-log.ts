// The structured log of a gateway, on standard output. Lines wait until its library is loaded: no start waits for it.
import { type LogLine, logLine } from '../../reports/log-lines.ts';
import type { Observer } from '../../session/session-spec.ts';
import { printWarning } from '../../text/print-line.ts';
import { describeError } from './error-fields.ts';
import type { LogFormat } from './log-formats.ts';
import { createLogObserver } from './log-observer.ts';
import type { LogWriter } from './log-writer.ts';

/** Lines that wait; the oldest are dropped. */
const maxWaiting = 10_000;

export class OperationsLog {
  readonly observer: Observer = createLogObserver((line) => this.write(line));
  readonly #format: LogFormat;
  #waiting: LogLine[] = [];
  #writer: LogWriter | null = null;

  constructor(format: LogFormat) {
    this.#format = format;
  }

  /** Whether standard output is for the lines of the log alone. */
  get isForPrograms(): boolean {
    return this.#format === 'json';
  }

  /**
   * Reports a problem: as a line for programs, on standard error at once for people. The message of an error is shown to a person at a terminal only: it may
   * repeat words of a conversation.
   */
  readonly warn = (problem: string, error?: unknown): void => {
    const fields = describeError(error);
    if (this.isForPrograms) return this.write(logLine('warning', problem, { problem, ...fields }));
    const { error: name, code, stack } = fields;
    const described = [[name, code].filter(Boolean).join(' '), stack].filter(Boolean).join('\n');
    printWarning(problem, process.stderr.isTTY ? error : described || undefined);
  };

  write(line: LogLine): void {
    if (this.#writer) return this.#writer.write(line);
    this.#waiting.push(line);
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
  }

  /** Loads its library, and writes what waits and what comes. */
  async start(): Promise<void> {
    if (this.#writer) return;
    const { createLogWriter } = await import('./log-writer.ts');
    const writer = createLogWriter(this.#format);
    for (const line of this.#waiting) writer.write(line);
    this.#waiting = [];
    this.#writer = writer;
  }
}
