// The structured log of a gateway, on standard output. No work waits for its lines: a timer writes them, and loads what writes them with the first one after the start.

import type { LogLine } from '../core/reports/log-lines.ts';
import type { Observer } from '../core/session/session-spec.ts';
import { systemSources } from '../core/sources/system.ts';
import { describeError } from '../core/text/error-text.ts';
import { printWarning } from '../core/text/print-line.ts';

/** `pretty`: for people. `json`: for programs, and nothing else on standard output. */
export const logFormats = ['pretty', 'json', 'off'] as const;
export type LogFormat = (typeof logFormats)[number];

type LoadedLog = Awaited<ReturnType<typeof loadLog>>;
type Entry = (log: LoadedLog) => void;

/** Entries wait for the start, then for a timer. */
type State = { readonly kind: 'starting' | 'started' } | { readonly kind: 'loaded'; readonly log: LoadedLog };

/** Entries that wait for the start; later ones are dropped. */
const maxWaiting = 10_000;

export class OperationsLog {
  readonly observer: Observer = {
    reportsAbandoned: true,
    fact: (...args) => this.#enter(({ observer }) => observer.fact?.(...args)),
    joined: (joined) => this.#enter(({ observer }) => observer.joined?.(joined)),
    refused: (refusal) => this.#enter(({ observer }) => observer.refused?.(refusal)),
    recovered: (recovered) => this.#enter(({ observer }) => observer.recovered?.(recovered)),
    deleted: (session) => this.#enter(({ observer }) => observer.deleted?.(session)),
  };
  readonly #format: LogFormat;
  #waiting: Entry[] = [];
  #state: State = { kind: 'starting' };
  #loading: Promise<void> | null = null;

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
    if (this.isForPrograms)
      return this.#enter(({ write, logLine }) => write(logLine('warning', problem, { problem, ...fields })));
    const { error: name, code, stack } = fields;
    const described = [[name, code].filter(Boolean).join(' '), stack].filter(Boolean).join('\n');
    printWarning(problem, process.stderr.isTTY ? error : described || undefined);
  };

  /** Says that the gateway listens: to programs, people have a banner. `url`: without its key. */
  noteListening(url: string): void {
    const { pid } = process;
    if (this.isForPrograms)
      this.#enter(({ write, logLine }) => write(logLine('listening', `Belay listens at ${url}`, { url, pid })));
  }

  /** Writes the line that `make` makes, by what is loaded with the first line. */
  note(make: (lines: Pick<LoadedLog, 'logLine' | 'refusalLine' | 'tokensLine'>) => LogLine): void {
    this.#enter((log) => log.write(make(log)));
  }

  noteShutdown(): void {
    if (this.isForPrograms)
      this.#enter(({ write, logLine }) => write(logLine('shutdown', 'shutting down: stopping all turns', {})));
  }

  /** Writes what waits and what comes. Resolves when what waited is written. */
  async start(): Promise<void> {
    if (this.#format === 'off') return;
    if (this.#state.kind === 'starting') this.#state = { kind: 'started' };
    if (this.#waiting.length > 0) await this.#loadOnce(this.#format);
    this.#writeWaiting();
  }

  #enter(entry: Entry): void {
    const { kind } = this.#state;
    if (this.#format === 'off' || (kind === 'starting' && this.#waiting.length === maxWaiting)) return;
    this.#waiting.push(entry);
    if (kind === 'started') void this.#loadOnce(this.#format);
    else if (kind === 'loaded' && this.#waiting.length === 1) systemSources.clock.after(0, () => this.#writeWaiting());
  }

  #loadOnce(format: 'pretty' | 'json'): Promise<void> {
    this.#loading ??= loadLog(format).then((log) => {
      this.#state = { kind: 'loaded', log };
      this.#writeWaiting();
    });
    return this.#loading;
  }

  #writeWaiting(): void {
    if (this.#state.kind !== 'loaded') return;
    for (const entry of this.#waiting.splice(0)) entry(this.#state.log);
  }
}

async function loadLog(format: 'pretty' | 'json') {
  const [{ createLogWriter }, { createLogObserver, refusalLine, tokensLine }, { logLine }] = await Promise.all([
    import('./log-writer.ts'),
    import('./log-observer.ts'),
    import('../core/reports/log-lines.ts'),
  ]);
  const write = createLogWriter(format);
  return { write, logLine, refusalLine, tokensLine, observer: createLogObserver(write) };
}
