// Turns facts into the observers' started and ended: each once, on every path, since facts are written once.
import type { Recorded } from '../../machines/facts.ts';
import type { NodeId, NodeKind } from '../../machines/vocabulary.ts';
import type { Observer } from './config.ts';

export function createHooks(
  session: string,
  observers: readonly Observer[],
  warn: (message: string, error: unknown) => void,
) {
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

  return function hear(seq: number, fact: Recorded): void {
    if (observers.length === 0) return;
    each((observer) => observer.fact?.(session, seq, fact));
    if (fact.type === 'turn_opened' || fact.type === 'turn_started') started(fact.turn, 'turn', fact.owner);
    if (fact.type === 'tool_call') started(fact.node, fact.kind, fact.owner);
    if (fact.type === 'tool_result' || fact.type === 'late_result') ended(fact.node, fact.outcome);
    if (fact.type === 'turn_ended') ended(fact.turn, fact.outcome);
  };
}
