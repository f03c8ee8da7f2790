// The nodes of a session, folded from its facts: what each was, whose, when it started and how it ended.
import type { FactAbout, FactOf, FactSubjects, SequencedFact, ToolCall, TurnOpened } from '../../../machines/facts.ts';
import type { Effect, NodeId, NodeKind, OutcomeKind, SpeakerId } from '../../../machines/vocabulary.ts';
import { fieldsOf, type UntrustedFields } from '../collections/fields.ts';
import { readEnd } from '../receipt/receipt.ts';
import { ranOn } from '../words/receipt-words.ts';

/** Times are milliseconds since 1970. */
export interface NodeReport {
  readonly node: NodeId;
  readonly kind: NodeKind;
  /** The name of the tool or the agent; of a turn of a speaker: `turn`. */
  name: string;
  readonly owner: SpeakerId;
  /** The turn of a call; the sub-agent of a turn. Null: of a root turn. */
  readonly parent: NodeId | null;
  readonly openedAt: number;
  /** The time at which a call started to run, or its lane admitted a turn. Null: neither has happened. */
  startedAt: number | null;
  /** Whether a person has to answer before it goes on. */
  isAsking: boolean;
  /** When its outcome was recorded. Null: it has none. */
  settledAt: number | null;
  /** How it ended; null: it is open. `continues` and `abandoned`: it ran on, until `goneAt`. */
  outcome: OutcomeKind | null;
  effect: Effect | null;
  code: string | null;
  /** When nothing of it ran any more. Null: it may still run. */
  goneAt: number | null;
  /** How long it ran until its outcome, in milliseconds. Null: it has not started, or has none. */
  ms: number | null;
}

const titleOf = (kind: TurnOpened['kind']): string => (kind === 'acknowledgement' ? kind : 'turn');

/** Returns the nodes of a session in the order of their first facts. */
export function nodesOf(facts: Iterable<SequencedFact>): ReadonlyMap<NodeId, NodeReport> {
  const nodes = new Map<NodeId, NodeReport>();
  const agentOf = (call: NodeId | null) => nodes.get(call ?? '')?.name;
  for (const { fact } of facts) {
    switch (fact.type) {
      case 'turn_opened':
        nodes.set(fact.turn, openNode(fact.turn, 'turn', fact.agent ?? titleOf(fact.kind), fact.owner, null, fact.at));
        break;
      case 'turn_started': {
        const { turn, agent, owner, parent, at } = fact;
        const name = agent ?? agentOf(parent) ?? 'turn';
        const node = nodes.get(turn) ?? openNode(turn, 'turn', name, owner, parent, at);
        nodes.set(turn, node);
        node.startedAt ??= at;
        const call = nodes.get(parent ?? '');
        if (call && agent !== undefined) call.name = agent;
        break;
      }
      case 'tool_call':
        nodes.set(fact.node, openNode(fact.node, fact.kind, callName(fact), fact.owner, fact.turn, fact.at));
        break;
      case 'tool_started':
        startNode(nodes.get(fact.node), fact.at);
        break;
      case 'approval_requested':
      case 'question_asked':
        setAsking(nodes.get(fact.node), true);
        break;
      case 'approval_closed':
      case 'question_closed':
        setAsking(nodes.get(fact.node), false);
        break;
      case 'tool_result':
        settleNode(nodes.get(fact.node), fact); // a call that runs on has settled too: its turn has left it
        break;
      case 'abandoned_ended':
        endNode(nodes.get(fact.node), fact.at);
        break;
      case 'turn_ended':
        settleNode(nodes.get(fact.turn), fact);
        break;
      default: {
        fact satisfies FactAbout<Exclude<keyof FactSubjects, 'turn' | 'call' | 'question'>> | FactOf<'late_result'>;
        const end = readEnd(fact);
        if (end) settleNode(nodes.get(end.node), { ...end, at: fact.at });
      }
    }
  }
  return nodes;
}

const openNode = (
  node: NodeId,
  kind: NodeKind,
  name: string,
  owner: SpeakerId,
  parent: NodeId | null,
  openedAt: number,
): NodeReport => ({
  node,
  kind,
  name,
  owner,
  parent,
  openedAt,
  startedAt: null,
  isAsking: false,
  settledAt: null,
  outcome: null,
  effect: null,
  code: null,
  goneAt: null,
  ms: null,
});

/** Returns the name of a call. Until the turn of an agent has started, only the arguments of its call say which it is. */
function callName({ kind, name, arguments: text }: ToolCall): string {
  if (kind !== 'sub-agent') return name;
  const { agent } = argumentsIn(text);
  return typeof agent === 'string' && /^[\w-]{1,64}$/.test(agent) ? agent : name;
}

/** Returns the arguments of a call; none where the model has written no JSON. */
function argumentsIn(text: string): UntrustedFields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function startNode(node: NodeReport | undefined, at: number): void {
  if (node) node.startedAt ??= at;
}

function setAsking(node: NodeReport | undefined, isAsking: boolean): void {
  if (node) node.isAsking = isAsking;
}

interface End {
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly code?: string;
  readonly at: number;
  readonly ms?: number;
}

/** A late result says how a node ended that ran on. */
function settleNode(node: NodeReport | undefined, { outcome, effect, code, at, ms }: End): void {
  if (!node) return;
  node.settledAt ??= at;
  if (node.startedAt !== null) node.ms ??= ms ?? Math.max(0, at - node.startedAt); // older logs have times alone
  node.outcome = outcome;
  node.effect = effect;
  node.code = code ?? null;
  if (!ranOn(outcome)) node.goneAt ??= at;
}

function endNode(node: NodeReport | undefined, at: number): void {
  if (node) node.goneAt ??= at;
}
