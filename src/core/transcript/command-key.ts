// The facts that record a command of a speaker, and the key under which a log finds them: the speaker of the connection, and the ref.
import type { Fact, FactOf, FactType } from '../../../machines/facts.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';

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

/** Returns the key as one text. JSON, because a speaker's id and a ref may contain any separator. */
export const commandName = ({ speaker, ref }: CommandKey): string => JSON.stringify([speaker, ref]);

/** Returns the key of the command that a fact records; null: it records none, or one without a ref. */
export function commandKeyOf(fact: Fact): CommandKey | null {
  if (!isCommandFact(fact) || fact.ref === null) return null;
  const speaker = fact.via ?? ('owner' in fact ? fact.owner : fact.by);
  return speaker === null ? null : { speaker, ref: fact.ref };
}
