// Finds the stopped turn that words like "continue" resume. They are a RESUME of it if all of this holds; otherwise they are an ordinary message:
//
// 1. The newest turn of the speaker was stopped, and the speaker may resume it.
// 2. Since then the speaker has said nothing, and nothing of the speaker runs. Where the command says what its sender had seen, it had seen the end of each turn
//    of the speaker: words that were said before the stop are not about it.
// 3. The whole text is such a phrase, in a language of the session; words of a recognizer only if it is sure of them, and no words that are known to be for
//    somebody else.
import type { RecordedFact, SequencedFact, TurnEnded } from '../../../machines/facts.ts';
import { resumeRefusal } from '../../../machines/resume.ts';
import { defaultAddressedFrom } from '../../../machines/standing.ts';
import { defaultResumePhrases, type NodeId, type ResumePhrases, type SpeakerId } from '../../../machines/vocabulary.ts';
import { defaultVoiceRules, isSure, type VoiceSettings } from '../../../machines/voice.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { PhraseReading } from '../intent/phrase-grammar.ts';
import { resumePhraseReader } from '../intent/resume-intent.ts';
import type { StopPhraseOptions } from '../intent/stop-phrase-options.ts';
import type { LiveTree } from '../live/tree.ts';
import type { History } from '../transcript/history.ts';
import { findResumedTurn } from '../transcript/resumed-turns.ts';
import type { SayMessage } from './inbox-messages.ts';
import type { FactReader } from './recover-session.ts';
import { preparePhrases, readingsOfTranscript } from './said-content.ts';

export interface GoOnParts {
  /** The rule of the configuration; undefined: it says nothing, and the session keeps the rule that it was opened with. */
  readonly rule: ResumePhrases | undefined;
  /** The languages and the names that count are those of stop phrases. */
  readonly phrases: StopPhraseOptions | undefined;
  /** Words that are known to be directed at the bot less surely are said to somebody else, unless they name it. */
  readonly addressedFrom: number | undefined;
  readonly tree: LiveTree;
  readonly history: Pick<History, 'facts' | 'roots'>;
  /** The rules of what is spoken, as far as the session sets them. */
  readonly voice: VoiceSettings | undefined;
}

export class GoOn implements FactReader {
  readonly #parts: GoOnParts;
  #rule: ResumePhrases;

  constructor(parts: GoOnParts) {
    this.#parts = parts;
    this.#rule = parts.rule ?? defaultResumePhrases;
    if (this.#rule === 'on') void preparePhrases(resumePhraseReader, parts.phrases);
  }

  /** Reads the rule with which the session was opened. An earlier version has written none: `off`, until the configuration says `on`. */
  add(events: readonly SequencedFact[]): void {
    if (events.length === 0) return;
    const opened = events.map(({ fact }) => fact).find((fact) => fact.type === 'session_opened');
    this.#rule = this.#parts.rule ?? opened?.resumePhrases ?? 'off';
  }

  /** Returns the turn that the words resume; undefined: they are an ordinary message. Called only if the newest turn of the speaker was stopped. */
  findTurn(said: SayMessage, by: SayMessage['by']): NodeId | undefined {
    const { tree, history, voice, phrases, addressedFrom = defaultAddressedFrom } = this.#parts;
    const { turn, phrase, steer, spoken, addressed = 1, seen = Number.POSITIVE_INFINITY } = said;
    const { text, parts } = turn;
    if (this.#rule === 'off' || phrase || parts || steer?.target !== undefined) return undefined;
    if (spoken && !isSure(spoken, { ...defaultVoiceRules, ...dropUndefined(voice ?? {}) })) return undefined;
    if (tree.below('mine', by.id).some(({ acknowledges, kind }) => acknowledges === null && kind !== 'speech'))
      return undefined;
    const isUnseen = history.roots.some(
      ({ kind, owner, end }) => kind === 'say' && owner === by.id && end !== null && end.seq > seen,
    );
    if (isUnseen) return undefined;
    const facts = history.facts();
    const stopped = findStoppedTurn(facts, by.id);
    if (stopped === null || resumeRefusal({ by, turn: findResumedTurn(facts, stopped) }) !== null) return undefined;
    const readings = spoken ? readingsOfTranscript(text) : [text];
    const isForBot = ({ isNamed }: PhraseReading) => isNamed || addressed >= addressedFrom;
    return readings.map((one) => resumePhraseReader.read(one, phrases)).some((one) => one && isForBot(one))
      ? stopped
      : undefined;
  }
}

/** Whether a fact records words of a speaker, other than those that stop. */
const isSaidBy = (fact: RecordedFact, speaker: SpeakerId): boolean =>
  fact.type === 'question_closed'
    ? fact.by === speaker && fact.answer === 'answered'
    : (fact.type === 'input_deferred' || (fact.type === 'turn_opened' && fact.kind === 'say')) &&
      fact.owner === speaker;

/**
 * Returns the newest turn of a speaker, if it was stopped and the speaker has said nothing since. If that turn had waited for another one that was stopped as
 * well, returns the other one: it has the work to resume.
 */
export function findStoppedTurn(facts: readonly RecordedFact[], speaker: SpeakerId): NodeId | null {
  const opened = facts.flatMap((fact, at) =>
    fact.type === 'turn_opened' && fact.kind === 'say' && fact.owner === speaker ? { turn: fact.turn, at } : [],
  );
  const ends = new Map<NodeId, { readonly end: TurnEnded; readonly at: number }>();
  for (const [at, fact] of facts.entries()) if (fact.type === 'turn_ended') ends.set(fact.turn, { end: fact, at });
  const newest = opened.at(-1);
  if (!newest) return null;
  const stopped = ends.get(newest.turn);
  if (stopped?.end.outcome !== 'cancelled') return null;
  const spokenAt = facts.findLastIndex((fact) => isSaidBy(fact, speaker));
  if (spokenAt > stopped.at) return null;
  for (const { turn } of opened.toReversed()) {
    const ended = ends.get(turn);
    if (ended?.end.outcome !== 'cancelled' || ended.at < newest.at) break;
    if (ended.end.effect !== 'not_started') return turn;
  }
  return newest.turn;
}
