// The commands with a ref that the session has decided: a ref counts once for its speaker, for as long as the log of the session.
//
// The facts of the last ones are in memory. Of all others the hashes of their keys are, so that a new ref needs no lookup in the log.
import type { CancelCommand } from '../../../machines/cancel.ts';
import type { CancelUnmatched, SequencedFact } from '../../../machines/facts.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { Log } from '../contracts/log.ts';
import {
  type CommandFact,
  type CommandKey,
  commandFacts,
  commandKeyOf,
  commandName,
  withCommand,
} from '../transcript/command-key.ts';
import { handlersOf, type Projection, passFact } from '../transcript/journal.ts';
import type { Caller } from './caller.ts';

/** A command that was decided: the fact that records it, and its sequence number. */
export interface DecidedCommand {
  readonly seq: number;
  readonly fact: CommandFact;
}

/**
 * Returns the facts that record a CANCEL which has no receipt of its own; none if it has no ref, or is the runtime's. `receipt`: the one that it
 * repeats.
 */
export function unmatchedCancel(
  { ref, by, via, target, source, command }: CancelCommand,
  receipt?: string,
): readonly CancelUnmatched[] {
  if (ref === null || by === null) return [];
  const phraseOf = source === 'phrase' ? receipt : undefined;
  const fact: CancelUnmatched = {
    type: 'cancel_unmatched',
    ref,
    by: by.id,
    target,
    ...dropUndefined({ via, phraseOf }),
  };
  return [withCommand(fact, command)];
}

/** A ref belongs to the speaker of the connection: to a bridge, not to the one whom it speaks for. */
export const commandKeyFor = ({ speaker, via }: Caller, ref: string): CommandKey => ({
  speaker: via ?? speaker.id,
  ref,
});

/** A CANCEL, as a message or as a command. */
interface CancelUnderRef extends Pick<CancelCommand, 'by' | 'via'> {
  readonly ref?: string | null | undefined;
}

/** Decided commands whose facts are kept in memory. */
const defaultCapacity = 500;

/** FNV-1a, as an integer that V8 stores without a heap object. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash & 0x3fffffff;
}

export class DecidedCommands implements Projection {
  static readonly #handlers = handlersOf(commandFacts, function (this: DecidedCommands, fact, seq) {
    const key = commandKeyOf(fact);
    if (!key) return;
    const name = commandName(key);
    this.#hashes ??= new Set();
    this.#recent ??= new BoundedMap(this.#capacity);
    this.#hashes.add(hashOf(name));
    // a CANCEL that came again may have been decided again: it dates from its first decision
    this.#recent.set(name, { seq: this.#recent.get(name)?.seq ?? seq, fact });
  });
  readonly appended = DecidedCommands.#handlers;
  readonly #log: Log;
  readonly #session: string;
  readonly #capacity: number;
  /** The decided commands by their refs; null until there is one. */
  #recent: BoundedMap<string, DecidedCommand> | null = null;
  #hashes: Set<number> | null = null;

  constructor(log: Log, session: string, capacity = defaultCapacity) {
    this.#log = log;
    this.#session = session;
    this.#capacity = capacity;
  }

  /** Adds facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const event of events) passFact(this, this.appended, event);
  }

  /** The command that is in memory under this key. */
  findRecent(key: CommandKey): DecidedCommand | null {
    return this.#recent?.get(commandName(key)) ?? null;
  }

  /** The command that is in memory under the ref of a CANCEL. */
  findBefore({ ref, by, via }: CancelUnderRef): DecidedCommand | null {
    const speaker = via ?? by?.id;
    return ref == null || speaker === undefined ? null : this.findRecent({ speaker, ref });
  }

  /** Whether a command under this key may be in the log, but is not in memory. */
  needsLookup(key: CommandKey): boolean {
    if (!this.#hashes) return false;
    const name = commandName(key);
    return !this.#recent?.has(name) && this.#hashes.has(hashOf(name));
  }

  /** Whether the command that a fact would record is recorded already. */
  isDecided(fact: CommandFact): boolean {
    const key = commandKeyOf(fact);
    return key !== null && (this.findRecent(key) !== null || this.needsLookup(key));
  }

  /**
   * Looks the command up in the log, and keeps it in memory again: should it be decided once more, it dates from its first decision.
   * Rejects when the store fails.
   */
  async findLogged(key: CommandKey): Promise<DecidedCommand | null> {
    const event = await this.#log.findCommand(this.#session, key.speaker, key.ref);
    if (!event) return null;
    const logged = { seq: event.seq, fact: event.body as CommandFact }; // the log finds such facts only
    const known = this.findRecent(key);
    if (!known) this.#recent?.set(commandName(key), logged);
    return known ?? logged;
  }
}
