// Derives the observers' `started` and `ended`, and the interceptors' `afterTool`, from committed facts: each once, on every path.
//
// Of a session that ends without facts, because its store fails, the ends are reported without them.
import type { RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type { NodeId, NodeKind } from '../../../machines/vocabulary.ts';
import { readEnd } from '../receipt/receipt.ts';
import type { Clock } from '../sources/sources.ts';
import type { AppendedFact, Projection } from '../transcript/journal.ts';
import { outcomeText } from '../words/receipt-words.ts';
import type { Interceptor } from '../workers/extensions.ts';
import type { AnswerReply, Caller, FinalWordsReply } from './api.ts';
import type { ReportedEnds } from './reported-ends.ts';
import type { CommandRefusal, FactMoments, NodeStarted, Observer } from './session-spec.ts';

export interface ObserversOptions {
  readonly session: string;
  readonly observers: readonly Observer[];
  readonly interceptors: readonly Interceptor[];
  readonly reportedEnds: ReportedEnds;
  readonly clock: Pick<Clock, 'elapsed'>;
  warn(message: string, error?: unknown): void;
}

const signs = { acknowledged: 'text', reaction: 'reaction', earcon: 'earcon' } as const;

type Notify = (call: (observer: Observer) => unknown) => void;

export class Observers implements Projection {
  readonly #options: ObserversOptions;
  /** The facts up to this one were copied from another session: nothing in them has started or ended here. */
  #copied = 0;
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
    const { session, observers, interceptors, reportedEnds, warn } = this.#options;
    if (interceptors.length > 0) for (const { fact } of events) this.#nameOfEnded(fact);
    if (observers.length === 0) return;
    const cursors = new Map(observers.map((observer) => [observer, this.#cursorOf(observer, events)]));
    for (const event of events) {
      const behind = observers.filter((observer) => (cursors.get(observer) ?? 0) < event.seq);
      this.#observe(event, null, (call) => notifyObservers(behind, call, warn));
    }
    for (const node of reportedEnds.release(session)) this.#running?.delete(node);
  }

  onCommitted(event: AppendedFact): void {
    const { observers, interceptors, clock, warn } = this.#options;
    const { fact, appendedAt } = event;
    const end = 'outcome' in fact && fact.outcome === 'abandoned' ? readEnd(fact) : null;
    if (end && !observers.some(({ reportsAbandoned }) => reportsAbandoned))
      warn(`${end.node} ${outcomeText(end.outcome)}.`);
    if (interceptors.length > 0) this.#intercept(fact);
    if (observers.length === 0) return;
    const moments = { appendedAt, committedAt: clock.elapsed() };
    this.#observe(event, moments, (call) => notifyObservers(observers, call, warn));
  }

  /** Notifies the observers of a connection that has joined. */
  reportJoin({ speaker, connection, via }: Caller): void {
    const { session, observers, warn } = this.#options;
    const joined = { session, speaker: via ?? speaker.id, connection };
    notifyObservers(observers, (observer) => observer.joined?.(joined), warn);
  }

  /** The session has ended before its nodes had their facts: reports an end for each. `atWork`: nodes that could not be stopped. */
  endAll(atWork: ReadonlySet<NodeId>): void {
    const { session, observers, reportedEnds, warn } = this.#options;
    const running = [...(this.#running ?? [])];
    this.#running = null;
    reportedEnds.keep(session, new Set(running.map(([node]) => node)));
    for (const [node, kind] of running) {
      const outcome = atWork.has(node) ? 'abandoned' : 'failed';
      const end = { session, node, kind, outcome, seq: null } as const;
      notifyObservers(observers, (observer) => observer.ended?.(end), warn);
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

  #observe({ seq, fact }: SequencedFact, moments: FactMoments | null, notify: Notify): void {
    notify((observer) => observer.fact?.(this.#options.session, seq, fact, moments));
    if (fact.type === 'session_opened') this.#copied = fact.forked?.copied ?? 0;
    if (seq <= this.#copied) return;
    switch (fact.type) {
      case 'turn_opened':
      case 'turn_started':
        return this.#reportStart({ node: fact.turn, kind: 'turn', owner: fact.owner, seq }, notify);
      case 'tool_call':
        return this.#reportStart({ node: fact.node, kind: fact.kind, owner: fact.owner, seq }, notify);
      case 'acknowledged':
      case 'reaction':
      case 'earcon': {
        const { cancel, to, ms } = fact;
        const stop = { session: this.#options.session, cancel, to, how: signs[fact.type], ms, seq };
        return notify((observer) => observer.acknowledged?.(stop));
      }
      default: {
        const end = readEnd(fact);
        const kind = end && this.#running?.get(end.node);
        if (!end || !kind) return;
        const { node, outcome } = end;
        this.#running?.delete(node);
        notify((observer) => observer.ended?.({ session: this.#options.session, node, kind, outcome, seq }));
      }
    }
  }

  #reportStart(started: Omit<NodeStarted, 'session'>, notify: Notify): void {
    this.#running ??= new Map();
    if (this.#running.has(started.node)) return;
    this.#running.set(started.node, started.kind);
    notify((observer) => observer.started?.({ session: this.#options.session, ...started }));
  }

  #intercept(fact: RecordedFact): void {
    const name = this.#nameOfEnded(fact);
    const end = readEnd(fact);
    if (name === undefined || !end) return;
    const { session, interceptors, warn } = this.#options;
    const { node: call, outcome, effect } = end;
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
    const end = readEnd(fact);
    if (!end) return undefined;
    const name = this.#calls?.get(end.node);
    this.#calls?.delete(end.node);
    return name;
  }
}

export type Warn = (message: string, error?: unknown) => void;

/** Calls every observer, which is third-party code: an exception, now or later, is reported. */
export function notifyObservers(
  observers: readonly Observer[],
  call: (observer: Observer) => unknown,
  warn: Warn,
): void {
  for (const observer of observers) callGuarded('An observer', () => call(observer), warn);
}

/** Calls third-party code: an exception, now or later, is reported. `what`: its name, as the beginning of a sentence. */
export function callGuarded(what: string, call: () => unknown, warn: Warn): void {
  const report = (error: unknown) => warn(`${what} threw.`, error);
  try {
    const result = call();
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}

/** Calls `notify` if the reply is a refusal. Returns the reply. */
export function reportRefusal<R extends FinalWordsReply | AnswerReply>(
  session: string,
  { speaker, via }: Caller,
  reply: Promise<R>,
  notify: (refusal: CommandRefusal) => void,
): Promise<R> {
  reply.then(
    (found: FinalWordsReply | AnswerReply) => {
      if (found.type !== 'say_refused' && found.type !== 'answer_refused') return;
      notify({ session, speaker: via ?? speaker.id, action: 'speak', code: found.code });
    },
    () => {}, // its errors are for the caller
  );
  return reply;
}
