// The facts that record a command of a speaker, the type of that command, and the key under which a log finds them: the speaker of the connection, and the ref.
import type {
  CancelAccepted,
  CancelUnmatched,
  Fact,
  FactOf,
  FactType,
  InputDeferred,
  TurnOpened,
} from '../../../machines/facts.ts';
import type { SpeakerId, WordsCommand } from '../../../machines/vocabulary.ts';

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
export const isCommandFact = <F extends { readonly type: string }>(fact: F): fact is F & CommandFact =>
  recorded.has(fact.type);

/** The types of commands whose refs are idempotency keys. */
export type CommandType = WordsCommand | 'CANCEL' | 'APPROVE' | 'DENY' | 'ANSWER';

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

/** Returns the key of the command that a fact records; null: it records none, or one without a ref. */
export function commandKeyOf(fact: Fact): CommandKey | null {
  if (!isCommandFact(fact) || fact.ref === null) return null;
  const speaker = fact.via ?? ('owner' in fact ? fact.owner : fact.by);
  return speaker === null ? null : { speaker, ref: fact.ref };
}
