// Receives the messages of an isolated call, up to its end or the first message that breaks a limit.
import type { ToolEnd } from '../tool.ts';
import { parseIsolateMessage } from './isolate-messages.ts';
import { LiveOutputBudget } from './live-output-limit.ts';

/** The end of an isolate. */
export interface IsolateResult {
  /** Null: the isolate ended without one, for the reason given in `reason`. */
  readonly end: ToolEnd | null;
  readonly reason: string;
  /** It had to be ended by force before it had reported its own end. */
  readonly forced: boolean;
  /** The last that it printed. */
  readonly printed: string;
}

export interface IsolateReportOptions {
  readonly kind: 'thread' | 'process';
  onOutput(text: string): void;
  /** The isolate has nothing more to report: it can be ended at once. */
  onOver(): void;
}

export class IsolateReport {
  readonly #options: IsolateReportOptions;
  readonly #budget = new LiveOutputBudget();
  #state: 'open' | 'over' = 'open';
  #end: ToolEnd | null = null;
  #reason = '';

  constructor(options: IsolateReportOptions) {
    this.#options = options;
  }

  get hasEnd(): boolean {
    return this.#end !== null;
  }

  /** Handles a message. No effect once the report is over. */
  receive(value: unknown): void {
    if (this.#state === 'over') return;
    const message = parseIsolateMessage(value);
    if (message === null) this.refuse('sent a message that is neither output nor the end of a call');
    else if ('end' in message) this.#finish(message.end);
    else if (this.#budget.spend(message.output.length) < message.output.length)
      this.refuse('sent more output than a call may show');
    else this.#options.onOutput(message.output);
  }

  /** Ends the report because of a message that breaks a limit. */
  refuse(breach: string): void {
    if (this.#state === 'over') return;
    this.addReason(`The ${this.#options.kind} ${breach}.`);
    this.#finish(null);
  }

  /** Records a reason for which there may be no end; the first one counts. */
  addReason(reason: string): void {
    this.#reason ||= reason;
  }

  result({ forced, printed }: Pick<IsolateResult, 'forced' | 'printed'>): IsolateResult {
    return { end: this.#end, reason: this.#reason, forced: forced && this.#end === null, printed };
  }

  #finish(end: ToolEnd | null): void {
    this.#state = 'over';
    this.#end = end;
    this.#options.onOver();
  }
}
