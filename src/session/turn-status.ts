// What a model may know of its own turn: the calls so far, what is running, and how the host is doing.
import type { Recorded } from '../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { Entry, Tree } from '../live/tree.ts';
import { readEventLoopLag } from '../sources/system.ts';
import type { TurnStatus } from '../tools/tool.ts';

export interface StatusSources {
  readonly facts: readonly Recorded[];
  readonly tree: Tree;
  readonly speakers: readonly SpeakerId[];
  readonly now: number;
}

export function statusOf(turn: NodeId, { facts, tree, speakers, now }: StatusSources): TurnStatus {
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
  const told = ({ id: node, name, since }: Entry) => ({ node, name, ms: now - since });
  const all = tree.all();
  const running = all
    .filter(({ state }) => state !== 'settled')
    .map((entry) => ({ ...told(entry), state: entry.cut ? ('stopping' as const) : ('running' as const) }));
  // a settled parent is at no work of its own: what it waits for stands in one of the lists
  const abandoned = all.filter(({ state, working }) => state === 'settled' && working > 0).map(told);
  return { calls: [...calls.values()], modelCalls, timeouts, running, abandoned, speakers, health: readEventLoopLag() };
}
