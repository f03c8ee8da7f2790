// Turns facts into the observers' started and ended: each once, on every path, since facts are written once.
import type { Recorded } from '../../machines/facts.ts';
import type { NodeId, NodeKind } from '../../machines/vocabulary.ts';
import type { Interceptor } from '../actors/plane.ts';
import type { Observer } from './config.ts';

export interface HooksOptions {
  readonly session: string;
  readonly observers: readonly Observer[];
  readonly interceptors: readonly Interceptor[];
  warn(message: string, error?: unknown): void;
}

export function createHooks({ session, observers, interceptors, warn }: HooksOptions) {
  /** What has started here and not ended. */
  const running = new Map<NodeId, NodeKind>();
  const each = (tell: (observer: Observer) => void) => {
    for (const observer of observers) {
      try {
        tell(observer);
      } catch (error) {
        warn('an observer threw', error);
      }
    }
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
  const intercept = (fact: Recorded) => {
    if (fact.type === 'tool_call') unseen.set(fact.node, fact.name);
    if ((fact.type !== 'tool_result' && fact.type !== 'late_result') || fact.outcome === 'continues') return;
    const { node: call, outcome, effect } = fact;
    const name = unseen.get(call);
    if (name === undefined) return;
    unseen.delete(call);
    for (const { afterTool } of interceptors) {
      try {
        afterTool?.({ session, call, name, outcome, effect });
      } catch (error) {
        warn('an interceptor threw', error);
      }
    }
  };

  return function hear(seq: number, fact: Recorded): void {
    if (fact.type === 'tool_result' && fact.outcome === 'abandoned') warn(`${fact.node} could not be stopped in time`);
    if (interceptors.length > 0) intercept(fact);
    if (observers.length === 0) return;
    each((observer) => observer.fact?.(session, seq, fact));
    if (fact.type === 'turn_opened' || fact.type === 'turn_started') started(fact.turn, 'turn', fact.owner);
    if (fact.type === 'tool_call') started(fact.node, fact.kind, fact.owner);
    if (fact.type === 'tool_result' || fact.type === 'late_result') ended(fact.node, fact.outcome);
    if (fact.type === 'turn_ended') ended(fact.turn, fact.outcome);
  };
}
