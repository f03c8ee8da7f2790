// The commands with a ref that a session has decided: the facts that record them, and the keys under which a log finds them. A ref counts once
// for its speaker, for as long as the log of the session.
//
// The facts of the last ones are in memory. Of all others the hashes of their keys are, so that a new ref needs no lookup in the log.
import type { CancelCommand } from '../../../machines/cancel.ts';
import type {
  CancelAccepted,
  CancelUnmatched,
  FactOf,
  FactType,
  InputDeferred,
  SequencedFact,
  TurnOpened,
} from '../../../machines/facts.ts';
import type { Speaker, SpeakerId, WordsCommand } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { Log } from '../contracts/log.ts';
import { handlersOf, type Projection, passFact } from './journal.ts';

export const commandFacts = [
  'turn_opened',
  'input_deferred',
  'cancel_accepted',
  'cancel_refused',
  'cancel_unmatched',
  'approval_closed',
  'question_closed',
] as const satisfies readonly FactType[];

export type CommandFact = FactOf<(typeof commandFacts)[number]>;

/** A command's idempotency key. Of a command that a bridge relays, `speaker` is the bridge. */
export interface CommandKey {
  readonly speaker: SpeakerId;
  readonly ref: string;
}

const recorded: ReadonlySet<string> = new Set(commandFacts);

/** Whether a fact records a command. */
export const isCommandFact = (fact: { readonly type: string }): fact is CommandFact => recorded.has(fact.type);

/** The types of commands whose refs are idempotency keys. */
export type CommandType = WordsCommand | 'OPEN_CALL' | 'CANCEL' | 'APPROVE' | 'DENY' | 'ANSWER';

/** Returns the type of the command that a fact records; null: the fact is of no command. */
export function commandTypeOf(fact: CommandFact): CommandType | null {
  switch (fact.type) {
    case 'cancel_refused':
      return 'CANCEL';
    case 'question_closed':
      return fact.answer === 'answered' ? 'ANSWER' : null;
    case 'approval_closed':
      return fact.answer === 'approved' ? 'APPROVE' : fact.answer === 'denied' ? 'DENY' : null;
    default:
      return fact.command ?? impliedType(fact);
  }
}

type WordsFact = TurnOpened | InputDeferred | CancelAccepted | CancelUnmatched;

/** The type of the command of a fact without the field `command`: every fact of a version that did not write it has none. */
function impliedType(fact: WordsFact): CommandType {
  switch (fact.type) {
    case 'turn_opened':
      if (fact.kind === 'call') return 'OPEN_CALL';
      return fact.resumes !== undefined ? 'RESUME' : fact.spoken ? 'TRANSCRIPT' : 'SAY';
    case 'input_deferred':
      return fact.spoken ? 'TRANSCRIPT' : 'STEER';
    case 'cancel_accepted':
      return fact.source === 'phrase' ? 'SAY' : 'CANCEL';
    case 'cancel_unmatched':
      return fact.phraseOf === undefined ? 'CANCEL' : 'SAY';
  }
}

/** Returns the fact with the type of its command, where the rest of it does not imply that. */
export const withCommand = <F extends WordsFact>(fact: F, command: WordsCommand | undefined): F =>
  command === undefined || impliedType(fact) === command ? fact : { ...fact, command };

/** Returns the key as one text. JSON, because a speaker's id and a ref may contain any separator. */
export const commandName = ({ speaker, ref }: CommandKey): string => JSON.stringify([speaker, ref]);

/** Returns the key of the command that a fact records; null: it has no ref. */
export function commandKeyOf(fact: CommandFact): CommandKey | null {
  if (fact.ref === null) return null;
  const speaker = fact.via ?? ('owner' in fact ? fact.owner : fact.by);
  return speaker === null ? null : { speaker, ref: fact.ref };
}

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

/** The sender of a command, as far as its key is concerned. */
interface Sender {
  readonly speaker: Pick<Speaker, 'id'>;
  /** The bridge that speaks for the speaker. */
  readonly via?: SpeakerId | undefined;
}

/** A ref belongs to the speaker of the connection: to a bridge, not to the one whom it speaks for. */
export const commandKeyFor = ({ speaker, via }: Sender, ref: string): CommandKey => ({
  speaker: via ?? speaker.id,
  ref,
});

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
