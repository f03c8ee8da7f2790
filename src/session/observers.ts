// Derives the observers' `started` and `ended`, and the interceptors' `afterTool`, from committed facts: each once, on every path.
import type { LateResult, RecordedFact, SequencedFact, ToolResult } from '../../machines/facts.ts';
import type { NodeId, NodeKind, OutcomeKind } from '../../machines/vocabulary.ts';
import type { Projection } from '../transcript/journal.ts';
import type { Interceptor } from '../workers/extensions.ts';
import type { Observer } from './session-spec.ts';

export interface ObserversOptions {
  readonly session: string;
  readonly observers: readonly Observer[];
  readonly interceptors: readonly Interceptor[];
  warn(message: string, error?: unknown): void;
}

const isOutcome = (fact: RecordedFact): fact is RecordedFact & (ToolResult | LateResult) =>
  (fact.type === 'tool_result' || fact.type === 'late_result') && fact.outcome !== 'continues';

export class Observers implements Projection {
  readonly #options: ObserversOptions;
  /** Nodes that have started and not ended. */
  #running: Map<NodeId, NodeKind> | null = null;
  /** Names of the calls whose outcome no interceptor has seen. */
  #calls: Map<NodeId, string> | null = null;

  constructor(options: ObserversOptions) {
    this.#options = options;
  }

  /** Nodes whose end is still to come. */
  get size(): number {
    return (this.#running?.size ?? 0) + (this.#calls?.size ?? 0);
  }

  /** Adds facts of an earlier life of the session: their calls may end in this one. */
  add(events: readonly SequencedFact[]): void {
    if (this.#options.interceptors.length === 0) return;
    for (const { fact } of events) this.#nameOfEnded(fact);
  }

  onCommitted({ seq, fact }: SequencedFact): void {
    const { session, observers, interceptors, warn } = this.#options;
    if (fact.type === 'tool_result' && fact.outcome === 'abandoned') warn(`${fact.node} could not be stopped in time.`);
    if (interceptors.length > 0) this.#intercept(fact);
    if (observers.length === 0) return;
    this.#notify((observer) => observer.fact?.(session, seq, fact));
    this.#observe(fact);
  }

  #observe(fact: RecordedFact): void {
    if (fact.type === 'turn_opened' || fact.type === 'turn_started') this.#notifyStarted(fact.turn, 'turn', fact.owner);
    if (fact.type === 'tool_call') this.#notifyStarted(fact.node, fact.kind, fact.owner);
    if (fact.type === 'tool_result' || fact.type === 'late_result') this.#notifyEnded(fact.node, fact.outcome);
    if (fact.type === 'turn_ended') this.#notifyEnded(fact.turn, fact.outcome);
  }

  #notifyStarted(node: NodeId, kind: NodeKind, owner: string): void {
    this.#running ??= new Map();
    if (this.#running.has(node)) return;
    this.#running.set(node, kind);
    const { session } = this.#options;
    this.#notify((observer) => observer.started?.({ session, node, kind, owner }));
  }

  #notifyEnded(node: NodeId, outcome: OutcomeKind): void {
    const kind = this.#running?.get(node);
    if (!kind || outcome === 'continues') return;
    this.#running?.delete(node);
    const { session } = this.#options;
    this.#notify((observer) => observer.ended?.({ session, node, kind, outcome }));
  }

  #intercept(fact: RecordedFact): void {
    const name = this.#nameOfEnded(fact);
    if (name === undefined || !isOutcome(fact)) return;
    const { session, interceptors } = this.#options;
    const { node: call, outcome, effect } = fact;
    for (const interceptor of interceptors)
      this.#guard('An interceptor', () => interceptor.afterTool?.({ session, call, name, outcome, effect }));
  }

  /** The name of the call whose outcome this is, the first time. */
  #nameOfEnded(fact: RecordedFact): string | undefined {
    if (fact.type === 'tool_call') {
      this.#calls ??= new Map();
      this.#calls.set(fact.node, fact.name);
    }
    if (!isOutcome(fact)) return undefined;
    const name = this.#calls?.get(fact.node);
    this.#calls?.delete(fact.node);
    return name;
  }

  #notify(call: (observer: Observer) => unknown): void {
    for (const observer of this.#options.observers) this.#guard('An observer', () => call(observer));
  }

  /** Runs third-party code: an exception, now or later, is reported and goes no further. */
  #guard(what: string, call: () => unknown): void {
    const report = (error: unknown) => this.#options.warn(`${what} threw.`, error);
    try {
      const result = call();
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  }
}
