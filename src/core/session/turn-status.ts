// The status of a turn for its own model: the calls so far, in the turn and in the session, the nodes that are running, and the health of the host.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { TurnStatus } from '../contracts/tool.ts';
import { activityOf } from '../live/node-activity.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import { msSince } from '../sources/monotonic-time.ts';
import type { Clock } from '../sources/sources.ts';
import { readEventLoopLag } from '../sources/system.ts';
import type { History } from '../transcript/history.ts';
import type { TurnStatusReader } from '../workers/services.ts';
import type { Presence } from './presence.ts';

type CallStatus = TurnStatus['calls'][number];
type KeptHistory = Pick<History, 'facts' | 'omittedTurns'>;

export class StatusReader implements TurnStatusReader {
  readonly #history: KeptHistory;
  readonly #tree: LiveTree;
  readonly #presence: Pick<Presence, 'speakers'>;
  readonly #clock: Clock;

  constructor(history: KeptHistory, tree: LiveTree, presence: Pick<Presence, 'speakers'>, clock: Clock) {
    this.#history = history;
    this.#tree = tree;
    this.#presence = presence;
    this.#clock = clock;
  }

  statusOf(turn: NodeId): TurnStatus {
    const describe = ({ id: node, name, addedAt, waitsFor }: NodeEntry) => ({
      node,
      name,
      ms: msSince(this.#clock, addedAt),
      ...(waitsFor && { waitsFor }),
    });
    const entries = this.#tree.entries();
    const running = entries
      .filter(({ isSettled }) => !isSettled)
      .map((entry) => ({ ...describe(entry), state: activityOf(entry) }));
    // a settled parent does no work of its own: the nodes that it waits for are in one of the lists
    const abandoned = entries.filter(({ isSettled, workers }) => isSettled && workers > 0).map(describe);
    return {
      ...this.#callsOf(turn),
      session: this.#sessionCounts(),
      running,
      abandoned,
      speakers: this.#presence.speakers(),
      health: readEventLoopLag(),
    };
  }

  #callsOf(turn: NodeId): Pick<TurnStatus, 'calls' | 'modelCalls' | 'timeouts'> {
    const calls = new Map<NodeId, CallStatus>();
    let modelCalls = 0;
    let timeouts = 0;
    for (const fact of this.#history.facts()) {
      if (fact.type === 'model_started' && fact.turn === turn) modelCalls++;
      if (fact.type === 'tool_call' && fact.turn === turn) {
        const entry = this.#tree.get(fact.node);
        const state = entry ? activityOf(entry) : 'running';
        calls.set(fact.node, { call: fact.node, name: fact.name, state, ms: null });
      }
      if (fact.type === 'tool_timeout' && calls.has(fact.node)) timeouts++;
      if (fact.type !== 'tool_result') continue;
      const call = calls.get(fact.node);
      if (call) calls.set(fact.node, { ...call, state: fact.outcome, ms: fact.ms ?? null });
    }
    return { calls: [...calls.values()], modelCalls, timeouts };
  }

  #sessionCounts(): TurnStatus['session'] {
    const facts = this.#history.facts();
    const countOf = (wanted: RecordedFact['type']) => facts.filter(({ type }) => type === wanted).length;
    const names = new Map(
      facts.flatMap((fact) => (fact.type === 'tool_call' ? [[fact.node, fact.name] as const] : [])),
    );
    const timedOut = new Map<string, number>();
    for (const fact of facts) {
      const name = fact.type === 'tool_timeout' ? names.get(fact.node) : undefined;
      if (name !== undefined) timedOut.set(name, (timedOut.get(name) ?? 0) + 1);
    }
    return {
      calls: countOf('tool_call'),
      modelCalls: countOf('model_started'),
      timeouts: countOf('tool_timeout'),
      timedOut: [...timedOut].map(([name, timeouts]) => ({ name, timeouts })).sort((a, b) => b.timeouts - a.timeouts),
      omittedTurns: this.#history.omittedTurns,
    };
  }
}
