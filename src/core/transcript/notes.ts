// Notes of the runtime to the model, on the turns beside the one that the request is for: how one ended, and which are open.
//
// A note stands at the head of the next speaker's message. A message of its own would have to be a `system` one, which many
// endpoints accept in the first place only, or a second `user` one in a row, which some chat templates reject.
import type { ToolResult } from '../../../machines/facts.ts';
import type { Cause, NodeId } from '../../../machines/vocabulary.ts';
import { type CallHeading, callHeadings, failureSentence, headingOf } from '../words/model-words.ts';
import { causeClause, outcomeText } from '../words/receipt-words.ts';
import { missingResult } from './close-turns.ts';
import {
  type CallOutline,
  callsOf,
  causesIn,
  isAcknowledgement,
  isExternalCall,
  type Outline,
  type TurnOutline,
} from './outline.ts';

const maxQuoted = 300; // characters of another turn's prompt

/** What a note needs of the whole outline. */
export interface NoteSources {
  resultOf(call: CallOutline): ToolResult;
  causeOf(id: NodeId): Cause | null;
}

/** Returns the sources in an outline. The result of a call is as it was recorded, or as recovery would write it. */
export function noteSourcesIn(outline: Outline): NoteSources {
  const causeOf = causesIn(outline);
  return { resultOf: (call) => call.result ?? missingResult(call, { code: 'crash', causeOf }), causeOf };
}

/** Marks a text as the runtime's. */
export const note = (text: string): string => `[Note by the runtime, not by a speaker: ${text}]`;

/** Splits a text where a model could see the start of a line. */
const linesOf = (text: string): readonly string[] => text.split(/\r\n|[\n\r\u2028\u2029]/);

/** Letters that look like one of a note's, in a text that is in lower case and has no marks. */
const lookalikes: Readonly<Record<string, string>> = {
  b: 'ьвƅɓ',
  e: 'еεєҽɛᴇ℮ꓰⲉꭼɘǝэ',
  i: 'іιıɩӏ1|',
  m: 'мμᴍ',
  n: 'νηпոռɴŋɲꓠⲛƞиꮑ',
  o: 'οоօσøᴏ0ꓳⲟɵө',
  r: 'гʀᴦɾ',
  t: 'τтᴛŧꓔⲧƭꭲ',
  u: 'υսʋᴜ',
  y: 'уγүʏ',
};
const letterOf = new Map(Object.entries(lookalikes).flatMap(([letter, all]) => [...all].map((each) => [each, letter])));
const anyLookalike = new RegExp(`[${[...letterOf.keys()].join('')}]`, 'gu');

/** Returns what a text looks like: in the letters of a note, without marks, emphasis and what is not seen. */
const shapeOf = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[[\p{M}\p{C}]--\s]+/gv, '')
    .replace(anyLookalike, (letter) => letterOf.get(letter) ?? letter)
    .replace(/[*_~`]+/g, '')
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, ' ');

/**
 * The start of a note: in any bracket, as the runtime writes it or close to it: `[Note-by the runtime`, `[A note by the runtime`, `[Runtime note:`. JSON, code
 * and words in brackets are none: a name or a colon follows the bracket, or the word is in quotes.
 */
const startOfNote =
  /^ ?\p{Ps}\s*(?:note(?:[\s,.\p{Pd}]+by\b|(?:[\s,.\p{Pd}]|(?<!\{.*):)[^\]})"]{0,80}\bruntime\b)|(?:(?:a|an|the|this|new)\s)?(?:note[\s,.\p{Pd}][^\]})"]{0,80}\bruntime\b|runtime(?:['’]?s)?[\s\p{Pd}]+note\b))/u;
const startChars = 160;

/** Whether a line of the text could be taken for a note of the runtime, which may go on in the next lines. */
export function resemblesNote(text: string): boolean {
  const shape = shapeOf(linesOf(text).join('\n'));
  for (let at = 0; at >= 0; at = shape.indexOf('\n', at) + 1 || -1)
    if (startOfNote.test(shape.slice(at, at + startChars))) return true;
  return false;
}

/** Characters of a name that could end a note or begin one, and the ends of a name and of a quotation. */
const nameNeedsQuotes = /[\p{Ps}\p{Pe}"]|:\s/u;

/** Returns the name of a speaker as the model reads it: in quotes, if it could be taken for a note, for its end, or for what another one has said. */
export const quoteName = (name: string): string => (nameNeedsQuotes.test(name) ? JSON.stringify(name) : name);

/** Puts the speaker's name before each line. Undefined: nobody's. */
export const markLines = (text: string, speaker: string | undefined): string =>
  speaker === undefined
    ? text
    : linesOf(text)
        .map((line) => `${quoteName(speaker)}: ${line}`)
        .join('\n');

/** Quotes a text, cut to a length that a note can have. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…`.toWellFormed() : text);

/** Returns a clause that says how a turn ended and why: `was stopped by bob …`. */
export function describeEnding({ id, ended }: TurnOutline, { causeOf }: NoteSources): string {
  const cause = causeOf(id);
  if (ended?.outcome !== 'failed' && cause) {
    const { source, by, reason } = cause;
    const why = causeClause(source, by === null ? 'the runtime' : quoteName(by));
    const when = ended?.effect === 'not_started' ? 'before it had started' : 'before it was finished';
    return `${why}${reason ? ` (${quote(reason)})` : ''}, ${when}`;
  }
  const because = ended?.message || (ended?.code && failureSentence(ended.code));
  return `ended early (${outcomeText(ended?.outcome ?? 'failed')}${because ? `: ${because}` : ''})`;
}

/** Returns the heading of a call. One that was abandoned and has ended since is under its effect. */
function headingOfCall({ outcome, effect }: ToolResult, { abandonedEnded }: CallOutline): CallHeading {
  const hasEnded = outcome === 'abandoned' && abandonedEnded !== null;
  return headingOf(hasEnded ? null : outcome, effect);
}

/** Returns the name of a call as notes have it, with its id. */
export const callNameWithId = ({ fact }: CallOutline): string => `${fact.name} (${fact.node})`;

/** Lists calls under their headings. */
export function listCalls(
  calls: readonly CallOutline[],
  { resultOf }: NoteSources,
  describe: (call: CallOutline) => string = callNameWithId,
): string {
  const byHeading = Map.groupBy(calls, (call) => headingOfCall(resultOf(call), call));
  const suffixOf = (call: CallOutline) =>
    resultOf(call).outcome === 'continues' ? ` for ${quoteName(call.fact.owner)}` : '';
  return callHeadings
    .flatMap((heading) => {
      const names = byHeading.get(heading)?.map((call) => `${describe(call)}${suffixOf(call)}`);
      return names ? [` ${heading}: ${names.join(', ')}.`] : [];
    })
    .join('');
}

/** Lists the ends of calls that their turn had left running. */
export function listLateEnds(calls: readonly CallOutline[]): string {
  return calls
    .flatMap((call) => {
      const { lateResult, abandonedEnded } = call;
      const output = lateResult?.output ?? abandonedEnded?.output;
      const withOutput = output ? `, with this output: ${JSON.stringify(output)}` : '';
      if (lateResult && lateResult.outcome !== 'abandoned')
        return [` ${callNameWithId(call)} has ended since: ${outcomeText(lateResult.outcome)}${withOutput}.`];
      if (abandonedEnded) return [` ${callNameWithId(call)} has ended since${withOutput}.`];
      return [];
    })
    .join('');
}

/** Lists what was said to the turn while it ran, and was stopped before the model could read it. */
function listStoppedInputs({ inputs }: TurnOutline): string {
  return inputs
    .filter(({ settled }) => settled?.fate === 'cancelled')
    .map(
      ({ fact }) =>
        ` ${quoteName(fact.owner)} had said meanwhile, and it was stopped before you could read it: ${quote(fact.text)}.`,
    )
    .join('');
}

/** Returns how a settled turn ended, for those that come after it; null if its messages say all. An acknowledgement needs no note: it leaves nothing undone. */
export function noteOfEnding(turn: TurnOutline, sources: NoteSources): string | null {
  if (isAcknowledgement(turn) || isExternalCall(turn)) return null;
  const more = `${listStoppedInputs(turn)}${listLateEnds(callsOf(turn))}`;
  if (turn.ended?.outcome === 'completed') return more === '' ? null : note(more.trimStart());
  return note(
    `the turn above ${describeEnding(turn, sources)}.${listCalls(callsOf(turn), sources)}${more} Do not take any of it up again ` +
      'unasked: whether to try again, to go another way or to leave it is for the speakers to say.',
  );
}

/** Returns the task of a detached agent, in the place of a speaker's prompt. */
export const noteOfTask = ({ opened, owner }: TurnOutline): string =>
  note(
    `the agent ${opened?.agent ?? ''} was started in the background for ${quoteName(owner)}, and works by itself on: ${JSON.stringify(opened?.text ?? '')}`,
  );

/** Returns what is known of a call that somebody else runs, in the place of a speaker's prompt and of the messages of its turn. */
export function noteOfExternalCall(turn: TurnOutline, sources: NoteSources): string {
  const [call] = callsOf(turn);
  if (!call) return note(`${describeExternalCall(turn)}, and did not begin`);
  const result = sources.resultOf(call);
  const { output } = result;
  const withOutput = output ? ` Its output: ${JSON.stringify(output)}.` : '';
  const cause = sources.causeOf(call.fact.node);
  const who = cause && causeClause(cause.source, cause.by === null ? 'the runtime' : quoteName(cause.by));
  const why = cause && result.outcome !== 'completed' ? ` It ${who}.` : '';
  const late = listLateEnds([call]);
  return note(`${describeExternalCall(turn)}.${listCalls([call], sources)}${why}${withOutput}${late}`);
}

function describeExternalCall(turn: TurnOutline): string {
  const [call] = callsOf(turn);
  const what = call ? ` ${call.fact.name} with ${quote(call.fact.arguments)}` : '';
  return `outside of this conversation a call was run for ${quoteName(turn.owner)}:${what}`;
}

function describeOpenTurn(turn: TurnOutline): string {
  const { opened, owner } = turn;
  const who = quoteName(owner);
  if (opened?.kind === 'call') return `${describeExternalCall(turn)}; it is still running, and you cannot call it`;
  if (opened?.kind === 'agent')
    return `the agent ${opened.agent ?? ''} is working in the background for ${who} on ${quote(opened.text)}`;
  const what =
    opened?.resumes === undefined
      ? `${who} has said ${quote(opened?.text ?? '')}`
      : `${who} has resumed the turn ${opened.resumes}`;
  return `${what}, which is being answered by itself: do not answer it here`;
}

/** Returns to whom the words of an acknowledgement were said, in the place of a speaker's prompt. */
export const noteOfAcknowledgement = ({ owner }: TurnOutline): string =>
  note(`the words below told ${quoteName(owner)} that the stop was understood`);

/** Returns what the open turns beside the current one work on. */
export const noteOfOpenTurns = (turns: readonly TurnOutline[]): string => note(turns.map(describeOpenTurn).join('; '));

/** Returns a summary as the model reads it. */
export const noteOfSummary = (summary: string): string => note(`what was said before, in short: ${summary}`);
