// A stored log as laws read it: its facts by type, and the tree that they describe. It shares no code with the runtime.
import type { FactOf, FactType, RecordedFact } from '../../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';

/** The node, block, question or receipt that a fact is about. */
export function subjectOf(fact: RecordedFact): string {
  if ('speech' in fact) return fact.speech;
  if ('input' in fact) return fact.input;
  if ('question' in fact) return fact.question ?? '';
  if ('node' in fact) return fact.node;
  if ('turn' in fact) return 'index' in fact ? `${fact.turn}/${fact.index}` : fact.turn;
  return 'cancel' in fact ? (fact.cancel ?? '') : '';
}

export class LogView {
  readonly log: readonly RecordedFact[];
  /** The speakers who may stop and resume what others own. */
  readonly moderators: readonly SpeakerId[];
  readonly owners = new Map<NodeId, SpeakerId>();
  /** The node above each node; above a detached agent it is the turn that has detached it. */
  readonly #parents = new Map<NodeId, NodeId>();

  constructor(log: readonly RecordedFact[], moderators: readonly SpeakerId[]) {
    this.log = log;
    this.moderators = moderators;
    for (const fact of log) {
      if (fact.type === 'tool_call') this.#add(fact.node, fact.owner, fact.turn);
      if (fact.type === 'turn_started') this.#add(fact.turn, fact.owner, fact.parent);
      if (fact.type === 'speech_queued' || fact.type === 'speech_started')
        this.#add(fact.speech, fact.owner, fact.turn);
      if (fact.type === 'input_deferred') this.#add(fact.input, fact.owner, fact.turn);
      if (fact.type === 'input_settled' && fact.fate === 'queued') this.#parents.delete(fact.input); // it becomes a turn
      if (fact.type === 'turn_opened') this.#add(fact.turn, fact.owner, fact.from);
    }
    // a call whose host died before it was written: only the decision of the CANCEL names it
    for (const fact of log)
      for (const { node, owner } of fact.type === 'cancel_decided' ? fact.nodes : [])
        if (!this.owners.has(node)) this.owners.set(node, owner);
  }

  readonly of = <T extends FactType>(type: T): readonly (FactOf<T> & RecordedFact)[] =>
    this.log.filter((fact): fact is FactOf<T> & RecordedFact => fact.type === type);

  readonly indexOf = (match: (fact: RecordedFact) => boolean): number => this.log.findIndex(match);

  /** The sequence number of the first fact that matches; infinite: there is none. */
  seqOf(match: (fact: RecordedFact) => boolean): number {
    const index = this.indexOf(match);
    return index < 0 ? Number.POSITIVE_INFINITY : index + 1;
  }

  /** The node and all above it; a detached agent lies below the turn that has detached it. */
  readonly pathOf = (id: NodeId): readonly NodeId[] => {
    const path: NodeId[] = [];
    for (let at: NodeId | undefined = id; at !== undefined; at = this.#parents.get(at)) path.push(at);
    return path;
  };

  #add(id: NodeId, owner: SpeakerId, parent: NodeId | null | undefined): void {
    this.owners.set(id, owner);
    if (typeof parent === 'string') this.#parents.set(id, parent);
  }
}

/** Returns the nodes that an emergency has stopped: with `force`, no shield holds for them. */
export function stoppedByEmergency(view: LogView): ReadonlySet<NodeId> {
  const decisions = view.of('cancel_decided').filter(({ roles }) => roles.includes('emergency'));
  return new Set(decisions.flatMap(({ nodes }) => nodes.map(({ node }) => node)));
}
