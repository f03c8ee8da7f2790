// Receives the messages of an isolated call, until its end or until the first message that breaks a rule.

import type { ToolEnd } from '../../../core/contracts/tool.ts';
import { maxLiveChars } from '../../processes/process-output.ts';
import { parseIsolateMessage } from './isolate-messages.ts';
import { LiveOutputBudget } from './live-output-limit.ts';

/** How an isolate ended. */
export interface IsolateResult {
  /** The end that the call reported; null: the isolate ended without one, and `reason` says why. */
  readonly end: ToolEnd | null;
  readonly reason: string;
  /** Whether it was killed before the call had reported its end. */
  readonly forced: boolean;
  /** The last part of what it printed to stdout and stderr. */
  readonly printed: string;
}

export interface IsolateReportOptions {
  readonly kind: 'thread' | 'process';
  onOutput(text: string): void;
  /** Called when the isolate has nothing more to report: it can be killed at once. */
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

  /** Handles a message. Has no effect when the report is over. */
  receive(value: unknown): void {
    if (this.#state === 'over') return;
    const message = parseIsolateMessage(value);
    if (message === null) this.refuse('sent a message that is neither output nor the end of a call');
    else if ('end' in message) this.#finish(message.end);
    else if (this.#budget.spend(message.output.length) < message.output.length)
      this.refuse(`sent more output than ${maxLiveChars} characters`);
    else this.#options.onOutput(message.output);
  }

  /** Ends the report because of a message that breaks a rule. */
  refuse(breach: string): void {
    if (this.#state === 'over') return;
    this.addReason(`The ${this.#options.kind} ${breach}.`);
    this.#finish(null);
  }

  /** Records why there may be no end. The first reason counts. */
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
