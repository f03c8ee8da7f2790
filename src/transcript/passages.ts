// Turns as passages of a conversation: what was said, what was answered, what is noted behind. Passages become messages here.
//
// 1. A model call is one assistant message; behind it stands exactly one tool message for each of its calls, in their order.
// 2. A call without a result gets the one that recovery would write: a crash changes nothing of what was rendered.
// 3. The calls of a request bear Belay's own ids: a provider's may repeat.
import type { Recorded } from '../../machines/facts.ts';
import type { Message, MessageCall } from '../../machines/messages.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { noteAfter, noteOfOpen, noteOfTask, type Telling } from './notes.ts';
import { type CallOutline, causesIn, outlineOf, type Round, type TurnOutline, textOf } from './outline.ts';
import { resultsIn } from './recover.ts';
import { summaryIn } from './summary.ts';
import { resultText } from './wording.ts';

const cutOffMark = '… [cut off here]';
const maxNameChars = 64; // the endpoints' limit for the name of a function

/** What was said in a turn, the answer, and what is to be noted before anybody speaks again. */
export interface Passage {
  readonly turn: TurnOutline;
  readonly words: string;
  readonly answer: readonly Message[];
  readonly after: string | null;
}

/** What a turn that asks can be told. */
export interface View {
  readonly own: Passage;
  /** The settled turns that no summary stands for, in the order in which they were opened. */
  readonly before: readonly TurnOutline[];
  readonly notes: Notes;
  passageOf(turn: TurnOutline): Passage;
}

/** An agent is told its task and nothing else, whether it is waited for or not. Throws when `turn` is not in the transcript. */
export function viewOf(facts: readonly Recorded[], turn: NodeId, toolTimeoutMaxMs = 3_600_000): View {
  const outline = outlineOf(facts);
  const telling: Telling = { resultOf: resultsIn(outline), causeOf: causesIn(outline) };
  const told: Told = (call) => {
    const { made, timeout } = call;
    const circumstances = {
      cause: telling.causeOf(made.node),
      timeoutMs: timeout?.ms ?? null,
      maxTimeoutMs: toolTimeoutMaxMs,
    };
    return resultText(telling.resultOf(call), made, circumstances);
  };
  const asking = outline.turns.get(turn);
  if (!asking) throw new Error(`the transcript has no turn ${turn}`);
  const passageOf = (one: TurnOutline): Passage => ({
    turn: one,
    words: one === asking || isSaid(one) ? wordsOf(one) : noteOfTask(one),
    answer: one.rounds.flatMap((round) => messagesOf(round, told)),
    after: one.ended ? noteAfter(one, telling) : null,
  });
  const { covers, note } = isSaid(asking) ? summaryIn(facts) : { covers: new Set(), note: null };
  const others = isSaid(asking)
    ? [...outline.turns.values()].filter((one) => one.opened && one !== asking && !covers.has(one.id))
    : [];
  return {
    own: passageOf(asking),
    before: others.filter(({ ended }) => ended !== null),
    notes: { summary: note, beside: noteOfOpen(others.filter(({ ended }) => ended === null)) },
    passageOf,
  };
}

const isSaid = ({ opened }: TurnOutline): boolean => opened?.kind === 'say';

const wordsOf = ({ opened, started }: TurnOutline): string => opened?.text || started?.text || '(no words)';

/** What is told before the first words, and before the last. */
export interface Notes {
  readonly summary: string | null;
  readonly beside: string | null;
}

/** Who spoke is told where there is more than one who did. */
export function conversation(passages: readonly Passage[], { beside, summary }: Notes): Message[] {
  const speakers = new Set(passages.filter(({ turn }) => isSaid(turn)).map(({ turn }) => turn.owner));
  return passages.flatMap(({ turn, words, answer }, i): Message[] => {
    const around = [i === 0 ? summary : null, passages[i - 1]?.after, i === passages.length - 1 ? beside : null];
    const notes = around.filter((text) => text != null);
    const said = isSaid(turn) && speakers.size > 1 ? `${turn.owner}: ${words}` : words;
    return [{ role: 'user' as const, content: [...notes, said].join('\n\n') }, ...answer].map(wellFormed);
  });
}

/** What the model reads of a call. */
type Told = (call: CallOutline) => string;

function messagesOf(round: Round, told: Told): Message[] {
  const { ended, calls } = round;
  const text = textOf(round);
  const isEmpty = text.trim() === ''; // some endpoints refuse a message of blanks
  const content = isEmpty ? '' : `${text}${ended?.cutOff === false ? '' : cutOffMark}`;
  if (isEmpty && calls.length === 0) return [];
  return [
    { role: 'assistant', content, calls: calls.map(callOf) },
    ...calls.map((call): Message => ({ role: 'tool', callId: call.made.node, content: told(call) })),
  ];
}

function callOf({ made }: CallOutline): MessageCall {
  // what an endpoint would refuse in the history, the call was refused for as well: its result says so
  const name = made.name.replaceAll(/[^\w-]/g, '_').slice(0, maxNameChars) || '_';
  return { callId: made.node, name, arguments: asObject(made.arguments) };
}

function asObject(written: string): string {
  try {
    const value: unknown = JSON.parse(written || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return written.toWellFormed() || '{}';
  } catch {
    // told below
  }
  return JSON.stringify({ malformed: written });
}

/** An upper bound: with the speaker's name, whether it will stand there or not. */
export function bytesOf({ turn, words, answer, after }: Passage): number {
  const texts = answer.flatMap((message) =>
    message.role === 'assistant'
      ? [message.content, ...message.calls.flatMap((call) => [call.name, call.arguments])]
      : [message.content],
  );
  return [`${turn.owner}: ${words}`, after ? `${after}\n\n` : '', ...texts].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
}

/** Of the notes, with what parts them from the words. */
export const bytesOfNotes = ({ summary, beside }: Notes): number =>
  Buffer.byteLength(`${beside ?? ''}\n\n${summary ?? ''}\n\n`);

/** A text that was cut may end in half a character, which is no JSON to some. */
function wellFormed(message: Message): Message {
  return { ...message, content: message.content.toWellFormed() };
}
