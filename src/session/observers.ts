// Turns facts into the observers' started and ended: each once, on every path, since facts are written once.
import type { LateResult, Recorded, ToolResult } from '../../machines/facts.ts';
import type { NodeId, NodeKind } from '../../machines/vocabulary.ts';
import type { Interceptor } from '../workers/services.ts';
import type { Observer } from './session-spec.ts';

export interface HooksOptions {
  readonly session: string;
  readonly observers: readonly Observer[];
  readonly interceptors: readonly Interceptor[];
  warn(message: string, error?: unknown): void;
}

const isOutcome = (fact: Recorded): fact is Recorded & (ToolResult | LateResult) =>
  (fact.type === 'tool_result' || fact.type === 'late_result') && fact.outcome !== 'continues';

export function createHooks({ session, observers, interceptors, warn }: HooksOptions) {
  /** What has started here and not ended. */
  const running = new Map<NodeId, NodeKind>();
  /** A stranger's code: what it throws, now or later, is told and goes no further. */
  const guarded = (who: string, call: () => unknown) => {
    const threw = (error: unknown) => warn(`${who} threw`, error);
    try {
      const given = call();
      if (given instanceof Promise) given.catch(threw);
    } catch (error) {
      threw(error);
    }
  };
  const each = (tell: (observer: Observer) => unknown) => {
    for (const observer of observers) guarded('an observer', () => tell(observer));
  };
  const started = (node: NodeId, kind: NodeKind, owner: string) => {
    if (running.has(node)) return;
    running.set(node, kind);
    each((observer) => observer.started?.({ session, node, kind, owner }));
  };
  const ended = (node: NodeId, outcome: Parameters<NonNullable<Observer['ended']>>[0]['outcome']) => {
    const kind = running.get(node);
    if (!kind || outcome === 'continues') return;
    running.delete(node);
    each((observer) => observer.ended?.({ session, node, kind, outcome }));
  };

  /** Names of calls whose outcome no interceptor has seen. */
  const unseen = new Map<NodeId, string>();
  /** The name of the call whose outcome this is, the first time. */
  const nameOfEnded = (fact: Recorded): string | undefined => {
    if (fact.type === 'tool_call') unseen.set(fact.node, fact.name);
    if (!isOutcome(fact)) return undefined;
    const name = unseen.get(fact.node);
    unseen.delete(fact.node);
    return name;
  };
  const intercept = (fact: Recorded) => {
    const name = nameOfEnded(fact);
    if (name === undefined || !isOutcome(fact)) return;
    const { node: call, outcome, effect } = fact;
    for (const interceptor of interceptors)
      guarded('an interceptor', () => interceptor.afterTool?.({ session, call, name, outcome, effect }));
  };

  return {
    /** Facts of an earlier life: their calls may have their outcome in this one. */
    learn(facts: readonly Recorded[]): void {
      if (interceptors.length === 0) return;
      for (const fact of facts) nameOfEnded(fact);
    },
    hear(seq: number, fact: Recorded): void {
      if (fact.type === 'tool_result' && fact.outcome === 'abandoned')
        warn(`${fact.node} could not be stopped in time`);
      if (interceptors.length > 0) intercept(fact);
      if (observers.length === 0) return;
      each((observer) => observer.fact?.(session, seq, fact));
      if (fact.type === 'turn_opened' || fact.type === 'turn_started') started(fact.turn, 'turn', fact.owner);
      if (fact.type === 'tool_call') started(fact.node, fact.kind, fact.owner);
      if (fact.type === 'tool_result' || fact.type === 'late_result') ended(fact.node, fact.outcome);
      if (fact.type === 'turn_ended') ended(fact.turn, fact.outcome);
    },
  };
}
