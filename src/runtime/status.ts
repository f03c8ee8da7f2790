// What a model may know of its own turn: the calls so far, what is running, and how the host is doing.
import type { Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Tree } from '../live/tree.ts';
import { loopLag } from '../sources/system.ts';
import type { TurnStatus } from '../tools/tool.ts';

export function statusOf(turn: NodeId, facts: readonly Recorded[], tree: Tree, now: number): TurnStatus {
  const calls = new Map<NodeId, TurnStatus['calls'][number]>();
  let modelCalls = 0;
  let timeouts = 0;
  for (const fact of facts) {
    if (fact.type === 'model_started' && fact.turn === turn) modelCalls++;
    if (fact.type === 'tool_call' && fact.turn === turn) {
      const { node: call, name } = fact;
      calls.set(call, { call, name, state: 'running', ms: null });
    }
    if (fact.type === 'tool_timeout' && calls.has(fact.node)) timeouts++;
    if (fact.type !== 'tool_result') continue;
    const made = calls.get(fact.node);
    if (made) calls.set(fact.node, { ...made, state: fact.outcome, ms: fact.ms ?? null });
  }
  const running = tree.all().map(({ id: node, name, state, cut, since }) => ({
    node,
    name,
    state: state === 'settled' ? 'settled' : cut ? 'stopping' : 'running',
    ms: now - since,
  }));
  return { calls: [...calls.values()], modelCalls, timeouts, running, health: loopLag() };
}
