// The content of a SAY or a STEER: its text form, whether it may be said, whether it is a stop phrase, and whether two commands under one ref say the same.
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ContentPart, textOfContent } from '../../../machines/content.ts';
import type { SpeakerId, WordsCommand } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import { stopPhraseReader } from '../intent/cancel-intent.ts';
import type { PhraseReader } from '../intent/phrase-grammar.ts';
import type { StopPhraseOptions } from '../intent/stop-phrase-options.ts';
import type { DecidedCommand } from '../transcript/decided-commands.ts';
import type { SessionBlobs } from '../transcript/session-blobs.ts';
import type { Limits } from '../workers/session-limits.ts';
import type { Caller, SayReply, SayRequest } from './api.ts';
import type { SayContent } from './idempotency-keys.ts';
import { refusedSay } from './inbox.ts';
import type { StopPhrase } from './inbox-messages.ts';

/** Returns the request with the text form of its parts; without parts, if it says text alone. */
export function withTextForm<Said extends SayRequest>(said: Said): Said {
  if (!said.parts) return said;
  const parts = said.parts.map((part): ContentPart => (part.type === 'text' ? part : dropUndefined(part)));
  const text = textOfContent(parts);
  return parts.every(({ type }) => type === 'text') ? { ...said, text, parts: undefined } : { ...said, text, parts };
}

/** Returns the type of the command that says this. */
export function wordsCommandOf({ resumes, spoken, steer }: SayRequest & SayContent): WordsCommand {
  if (resumes !== undefined) return 'RESUME';
  if (spoken) return 'TRANSCRIPT';
  return steer ? 'STEER' : 'SAY';
}

/** Returns the id of the receipt that the words were replied to with, if the fact records that they were taken as a CANCEL; else null. */
export function receiptOfPhrase(fact: DecidedCommand['fact'], { text, parts }: SayContent): string | null {
  if (parts) return null;
  if (fact.type === 'cancel_unmatched') return fact.phraseOf ?? null;
  const isPhrase = fact.type === 'cancel_accepted' && fact.source === 'phrase';
  return isPhrase && fact.reason !== null && text.startsWith(fact.reason) ? fact.cancel : null;
}

/** Returns what is said, without how and to which turn that runs. A RESUME has the options of the turn that it names. */
export const contentOf = ({ text, parts, options, resumes }: SayContent): SayContent =>
  resumes === undefined ? { text, parts, options } : { text, resumes };

/** Whether a command says the same as one before, for the same speaker. Words that go on name no turn: the one that they have resumed is not compared. */
export const isSameSay = (
  before: SayContent & { readonly owner: SpeakerId },
  { speaker }: Caller,
  said: SayContent,
): boolean =>
  before.owner === speaker.id &&
  isDeepStrictEqual(contentOf(before), contentOf({ ...said, resumes: said.resumes ?? before.resumes }));

/** Whether a command may be for the same turn as one before: it names that turn, or none. */
export const isSameSteer = (before: SayRequest['steer'], { steer }: Pick<SayRequest, 'steer'>): boolean =>
  steer?.target === undefined || steer.target === before?.target;

/** What the content of a SAY is checked against. */
export interface ContentChecks {
  readonly blobs: Pick<SessionBlobs, 'knows'>;
  /** The models that a SAY may ask for. */
  readonly models: readonly string[];
  readonly limits: Pick<Limits, 'sayChars'>;
}

/** Returns the refusal of a SAY for what it says: too much, bytes that the session does not have, a model that is not offered; null: it may be said. */
export function refusedContent({ text, parts, options }: SayContent, checks: ContentChecks): SayReply | null {
  const { blobs, models, limits } = checks;
  if (text.length > limits.sayChars) {
    const message = `text has ${text.length} characters; the limit is ${limits.sayChars}`;
    return { type: 'say_refused', code: 'text_too_long', message };
  }
  if (parts?.some((part) => part.type !== 'text' && !blobs.knows(part))) return refusedSay('unknown_blob');
  const model = options?.model;
  if (model === undefined || models.includes(model)) return null;
  const offered = models.length === 0 ? 'None may.' : `These may: ${models.join(', ')}.`;
  const message = `The model ${JSON.stringify(model)} may not be chosen here. ${offered}`;
  return { type: 'say_refused', code: 'unknown_model', message };
}

/** Returns the stop phrase that is said; null: the words are none, or more than text is said. The strongest evidence of addressing counts. */
export function stopPhraseIn(said: SayRequest, options: StopPhraseOptions | undefined): StopPhrase | null {
  const { text, parts, spoken, replyToBot, addressed } = said;
  if (parts !== undefined) return null;
  const readings = (spoken ? readingsOfTranscript(text) : [text]).map((reading) =>
    stopPhraseReader.read(reading, options),
  );
  const phrases = readings.filter((reading) => reading !== null);
  if (phrases.length === 0) return null;
  return { addressed: replyToBot || phrases.some(({ isNamed }) => isNamed) ? 1 : addressed };
}

/** Marks that end a question, and marks inside and around sentences, in the scripts of the lexicons. */
const questionMarks = /[?¿؟？❓❔‽]/gu;
const marks = /[.,;:!?…¡¿؟،؛।。、，．！？；：❓❔‽"“”„«»()]/gu;

/**
 * Returns the words of a transcript in the two ways in which they may have been spoken. The marks are the recognizer's guess: "Stop?" was a stop. A pause
 * may be real ("No, para") or not ("Never. Mind."), so both readings count.
 */
export const readingsOfTranscript = (text: string): readonly string[] => [
  text.replaceAll(questionMarks, '.'),
  text.replaceAll(marks, ' '),
];

/** Compiles the grammar of one language in each turn of the event loop. Resolves when all are ready; those that are cost nothing. */
export async function preparePhrases(reader: PhraseReader, options: StopPhraseOptions | undefined): Promise<void> {
  for (const _ of reader.grammars(options)) await nextTurnOfLoop();
}
