// The usage of a session, folded from its facts: of all its turns, and of the last turn of a speaker.
import type { Fact, FactAbout, FactOf, FactSubjects } from '../../../machines/facts.ts';
import { addUsage } from '../../../machines/totals.ts';
import { type NodeId, noUsage, type SpeakerId, type Usage } from '../../../machines/vocabulary.ts';

/** What was used, of a session or of one turn. */
export interface UsedWork {
  /** Turns that speakers have opened. */
  readonly turns: number;
  readonly modelCalls: number;
  readonly calls: number;
  readonly usage: Usage;
}

export interface SessionUsage {
  readonly session: UsedWork;
  /** The usage of the speaker's last turn that called a model, with what is below it; null: there is none. */
  readonly lastTurn: UsedWork | null;
}

const nothingUsed: UsedWork = { turns: 0, modelCalls: 0, calls: 0, usage: noUsage };

/** Adds up the facts of a session. Each turn has a usage of its own; `from` and `parent` lead to the root turn of whatever is below one. */
export class UsageFold {
  readonly #speaker: SpeakerId;
  /** The root turn of each node that is known. */
  readonly #roots = new Map<NodeId, NodeId>();
  readonly #used = new Map<NodeId, UsedWork>();
  /** The root turns of the speaker. */
  readonly #own = new Set<NodeId>();
  #last: NodeId | null = null;

  constructor(speaker: SpeakerId) {
    this.#speaker = speaker;
  }

  /** Adds the next fact. */
  add(fact: Fact): void {
    switch (fact.type) {
      case 'turn_opened': {
        const { turn, kind, owner, from } = fact;
        this.#roots.set(turn, (from === undefined ? undefined : this.#roots.get(from)) ?? turn);
        if (kind === 'say' && owner === this.#speaker) this.#own.add(turn);
        if (kind === 'say') this.#count(turn, { turns: 1 });
        break;
      }
      case 'turn_started':
        if (fact.parent !== null) this.#roots.set(fact.turn, this.#roots.get(fact.parent) ?? fact.turn);
        break;
      case 'tool_call':
        this.#roots.set(fact.node, this.#rootOf(fact.turn));
        this.#count(fact.turn, { calls: 1 });
        break;
      case 'model_ended':
      case 'history_compacted':
        if (this.#own.has(this.#rootOf(fact.turn))) this.#last = this.#rootOf(fact.turn);
        this.#count(fact.turn, { modelCalls: 1, usage: fact.usage });
        break;
      default:
        fact satisfies
          | FactAbout<Exclude<keyof FactSubjects, 'turn' | 'call' | 'model' | 'history'>>
          | FactOf<'turn_ended' | 'model_started' | 'text_checkpoint' | 'model_state' | 'model_error'>
          | FactOf<'imported' | 'turns_left_out' | 'tool_started' | 'tool_result' | 'late_result' | 'abandoned_ended'>;
    }
  }

  read(): SessionUsage {
    const session = [...this.#used.values()].reduce(addWork, nothingUsed);
    return { session, lastTurn: this.#last === null ? null : (this.#used.get(this.#last) ?? nothingUsed) };
  }

  #rootOf(turn: NodeId): NodeId {
    return this.#roots.get(turn) ?? turn;
  }

  #count(turn: NodeId, more: Partial<UsedWork>): void {
    const root = this.#rootOf(turn);
    this.#used.set(root, addWork(this.#used.get(root) ?? nothingUsed, { ...nothingUsed, ...more }));
  }
}

const addWork = (a: UsedWork, b: UsedWork): UsedWork => ({
  turns: a.turns + b.turns,
  modelCalls: a.modelCalls + b.modelCalls,
  calls: a.calls + b.calls,
  usage: addUsage(a.usage, b.usage),
});
