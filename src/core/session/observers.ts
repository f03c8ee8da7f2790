// Derives the observers' `started` and `ended`, and the interceptors' `afterTool`, from committed facts: each once, on every path.
//
// Of a session that ends without facts, because its store fails, the ends are reported without them.
import type { LateResult, RecordedFact, SequencedFact, ToolResult } from '../../../machines/facts.ts';
import type { NodeId, NodeKind } from '../../../machines/vocabulary.ts';
import type { Projection } from '../transcript/journal.ts';
import type { Interceptor } from '../workers/extensions.ts';
import type { Caller } from './api.ts';
import { callGuarded, notifyObservers } from './notify-observers.ts';
import type { ReportedEnds } from './reported-ends.ts';
import type { NodeEnded, NodeStarted, Observer } from './session-spec.ts';

export interface ObserversOptions {
  readonly session: string;
  readonly observers: readonly Observer[];
  readonly interceptors: readonly Interceptor[];
  readonly reportedEnds: ReportedEnds;
  warn(message: string, error?: unknown): void;
}

const isOutcome = (fact: RecordedFact): fact is RecordedFact & (ToolResult | LateResult) =>
  (fact.type === 'tool_result' || fact.type === 'late_result') && fact.outcome !== 'continues';

const signs = { acknowledged: 'text', reaction: 'reaction', earcon: 'earcon' } as const;

type Notify = (call: (observer: Observer) => unknown) => void;

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

  /** Adds facts of an earlier life of the session: what it left open may end in this one. An observer is notified from its cursor on. */
  add(events: readonly SequencedFact[]): void {
    const { session, observers, interceptors, reportedEnds } = this.#options;
    if (interceptors.length > 0) for (const { fact } of events) this.#nameOfEnded(fact);
    if (observers.length === 0) return;
    const cursors = new Map(observers.map((observer) => [observer, this.#cursorOf(observer, events)]));
    for (const event of events) {
      const behind = observers.filter((observer) => (cursors.get(observer) ?? 0) < event.seq);
      this.#observe(event, (call) => this.#notify(behind, call));
    }
    for (const node of reportedEnds.release(session)) this.#running?.delete(node);
  }

  onCommitted(event: SequencedFact): void {
    const { observers, interceptors, warn } = this.#options;
    const { fact } = event;
    const isAbandoned = fact.type === 'tool_result' && fact.outcome === 'abandoned';
    if (isAbandoned && !observers.some(({ reportsAbandoned }) => reportsAbandoned))
      warn(`${fact.node} could not be stopped in time.`);
    if (interceptors.length > 0) this.#intercept(fact);
    if (observers.length > 0) this.#observe(event, (call) => this.#notify(observers, call));
  }

  /** Notifies the observers of a connection that has joined. */
  reportJoin({ speaker, connection, via }: Caller): void {
    const { session, observers } = this.#options;
    this.#notify(observers, (observer) => observer.joined?.({ session, speaker: via ?? speaker.id, connection }));
  }

  /** The session has ended before its nodes had their facts: reports an end for each. `atWork`: nodes that could not be stopped. */
  endAll(atWork: ReadonlySet<NodeId>): void {
    const { session, observers, reportedEnds } = this.#options;
    const running = [...(this.#running ?? [])];
    this.#running = null;
    reportedEnds.keep(session, new Set(running.map(([node]) => node)));
    for (const [node, kind] of running) {
      const outcome = atWork.has(node) ? 'abandoned' : 'failed';
      this.#notify(observers, (observer) => observer.ended?.({ session, node, kind, outcome, seq: null }));
    }
  }

  /** Everything is old to an observer without a cursor. */
  #cursorOf(observer: Observer, events: readonly SequencedFact[]): number {
    if (!observer.cursor) return events.at(-1)?.seq ?? 0;
    let cursor = 0;
    const { session, warn } = this.#options;
    const ask = () => {
      cursor = observer.cursor?.(session) ?? 0;
    };
    callGuarded('The cursor of an observer', ask, warn);
    return cursor;
  }

  #observe({ seq, fact }: SequencedFact, notify: Notify): void {
    notify((observer) => observer.fact?.(this.#options.session, seq, fact));
    switch (fact.type) {
      case 'turn_opened':
      case 'turn_started':
        return this.#reportStart({ node: fact.turn, kind: 'turn', owner: fact.owner, seq }, notify);
      case 'tool_call':
        return this.#reportStart({ node: fact.node, kind: fact.kind, owner: fact.owner, seq }, notify);
      case 'tool_result':
      case 'late_result':
        return this.#reportEnd({ node: fact.node, outcome: fact.outcome, seq }, notify);
      case 'turn_ended':
        return this.#reportEnd({ node: fact.turn, outcome: fact.outcome, seq }, notify);
      case 'acknowledged':
      case 'reaction':
      case 'earcon': {
        const { cancel, to, ms } = fact;
        const stop = { session: this.#options.session, cancel, to, how: signs[fact.type], ms, seq };
        return notify((observer) => observer.acknowledged?.(stop));
      }
      default:
        return;
    }
  }

  #reportStart(started: Omit<NodeStarted, 'session'>, notify: Notify): void {
    this.#running ??= new Map();
    if (this.#running.has(started.node)) return;
    this.#running.set(started.node, started.kind);
    notify((observer) => observer.started?.({ session: this.#options.session, ...started }));
  }

  #reportEnd(ended: Omit<NodeEnded, 'session' | 'kind'>, notify: Notify): void {
    const kind = this.#running?.get(ended.node);
    if (!kind || ended.outcome === 'continues') return;
    this.#running?.delete(ended.node);
    notify((observer) => observer.ended?.({ session: this.#options.session, kind, ...ended }));
  }

  #intercept(fact: RecordedFact): void {
    const name = this.#nameOfEnded(fact);
    if (name === undefined || !isOutcome(fact)) return;
    const { session, interceptors, warn } = this.#options;
    const { node: call, outcome, effect } = fact;
    for (const interceptor of interceptors) {
      const notify = () => interceptor.afterTool?.({ session, call, name, outcome, effect });
      callGuarded('An interceptor', notify, warn);
    }
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

  #notify(observers: readonly Observer[], call: (observer: Observer) => unknown): void {
    notifyObservers(observers, call, this.#options.warn);
  }
}
