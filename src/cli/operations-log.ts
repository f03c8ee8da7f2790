// The structured log of a gateway, on standard output. What writes it is loaded when the gateway listens: lines wait for it, the start does not.
import type { Observer } from '../session/session-spec.ts';
import { describeError } from '../text/error-text.ts';
import { printWarning } from '../text/print-line.ts';

/** `pretty`: for people. `json`: for programs, and nothing else on standard output. */
export const logFormats = ['pretty', 'json', 'off'] as const;
export type LogFormat = (typeof logFormats)[number];

type LoadedLog = Awaited<ReturnType<typeof loadLog>>;
type Entry = (log: LoadedLog) => void;

/** Entries that wait; later ones are dropped. */
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
  #loaded: LoadedLog | null = null;

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

  /** Says that the gateway listens. `url`: without its key. */
  noteListening(url: string): void {
    const { pid } = process;
    this.#enter(({ write, logLine }) => write(logLine('listening', `Belay listens at ${url}`, { url, pid })));
  }

  noteShutdown(): void {
    this.#enter(({ write, logLine }) => write(logLine('shutdown', 'shutting down: stopping all turns', {})));
  }

  /** Loads what writes lines, and writes what waits and what comes. */
  async start(): Promise<void> {
    if (this.#format === 'off' || this.#loaded) return;
    const loaded = await loadLog(this.#format);
    for (const entry of this.#waiting) entry(loaded);
    this.#waiting = [];
    this.#loaded = loaded;
  }

  #enter(entry: Entry): void {
    if (this.#loaded) entry(this.#loaded);
    else if (this.#format !== 'off' && this.#waiting.length < maxWaiting) this.#waiting.push(entry);
  }
}

async function loadLog(format: 'pretty' | 'json') {
  const [{ createLogWriter }, { createLogObserver }, { logLine }] = await Promise.all([
    import('./log-writer.ts'),
    import('./log-observer.ts'),
    import('../reports/log-lines.ts'),
  ]);
  const write = createLogWriter(format);
  return { write, logLine, observer: createLogObserver(write) };
}
