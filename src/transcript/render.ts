// From the transcript to the messages of a model request, at every prefix of the log.
//
// 1. A model call is one assistant message; behind it stands exactly one tool message for each of its calls, in their order.
// 2. A call without a result gets the one that recovery would write: a crash changes nothing of what was rendered.
// 3. The calls of a request bear Belay's own ids: a provider's may repeat.
// 4. Only whole turns are left out, the oldest first; the turn that asks never is.
import type { Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { note, noteAfter, noteOfOpen, noteOfTask, type Telling } from './notes.ts';
import { type CallOutline, causesIn, outlineOf, type Round, type TurnOutline, textOf } from './outline.ts';
import { resultsIn } from './recover.ts';
import { resultText } from './wording.ts';

export interface MessageCall {
  readonly callId: string;
  readonly name: string;
  /** A JSON object as text, whatever the model wrote. */
  readonly arguments: string;
}

/** As in src/model/provider.ts: the compiler compares both where they meet. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly MessageCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

export interface RenderOptions {
  /** Who asks. */
  readonly turn: NodeId;
  /** The system message; none where it is empty. */
  readonly instructions: string;
  /** Turns, with the one that asks. */
  readonly contextTurns?: number;
  /** Bytes (UTF-8) of the contents and arguments of these turns. */
  readonly contextBytes?: number;
}

const cutOffMark = '… [cut off here]';
const maxNameChars = 64; // the endpoints' limit for the name of a function

/** What was said in a turn, the answer, and what is to be noted before anybody speaks again. */
interface Passage {
  readonly turn: TurnOutline;
  readonly words: string;
  readonly answer: readonly Message[];
  readonly after: string | null;
}

/** Throws when `turn` is not in the transcript. */
export function render(facts: readonly Recorded[], options: RenderOptions): Message[] {
  const { turn, instructions, contextTurns = 50, contextBytes = 262_144 } = options;
  const outline = outlineOf(facts);
  const telling: Telling = { resultOf: resultsIn(outline), causeOf: causesIn(outline) };
  const asking = outline.turns.get(turn);
  if (!asking) throw new Error(`the transcript has no turn ${turn}`);
  const passageOf = (one: TurnOutline): Passage => ({
    turn: one,
    words: one === asking || isSaid(one) ? wordsOf(one) : noteOfTask(one),
    answer: one.rounds.flatMap((round) => messagesOf(round, telling)),
    after: one.ended ? noteAfter(one, telling) : null,
  });
  const own = passageOf(asking);
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  // an agent is told its task and nothing else, whether it is waited for or not
  const summed = lastSummary(facts);
  const others = isSaid(asking)
    ? [...outline.turns.values()].filter((one) => one.opened && one !== asking && !summed.covers.has(one.id))
    : [];
  const beside = noteOfOpen(others.filter(({ ended }) => ended === null));
  const before: Passage[] = [];
  let bytes = bytesOf(own) + Buffer.byteLength(`${beside ?? ''}\n\n${summed.note ?? ''}\n\n`);
  for (const other of others.filter(({ ended }) => ended !== null).toReversed()) {
    const passage = passageOf(other);
    bytes += bytesOf(passage);
    if (bytes > contextBytes || before.length + 2 > contextTurns) break;
    before.unshift(passage);
  }
  const summary = isSaid(asking) ? summed.note : null;
  return [...system, ...conversation([...before, own], { beside, summary })].map(wellFormed);
}

const isSaid = ({ opened }: TurnOutline): boolean => opened?.kind === 'say';

const wordsOf = ({ opened, started }: TurnOutline): string => opened?.text || started?.text || '(no words)';

/** What is told before the first words, and before the last. */
interface Notes {
  readonly summary: string | null;
  readonly beside: string | null;
}

/** The turns that a summary stands for, and what is told instead of them. */
function lastSummary(facts: readonly Recorded[]): {
  readonly covers: ReadonlySet<NodeId>;
  readonly note: string | null;
} {
  const compacted = facts.findLast((fact) => fact.type === 'history_compacted');
  if (compacted?.type !== 'history_compacted') return { covers: new Set(), note: null };
  const from = facts.findIndex((fact) => fact.type === 'turn_opened' && fact.turn === compacted.upTo);
  const covers = facts.slice(0, Math.max(0, from)).flatMap((fact) => (fact.type === 'turn_opened' ? fact.turn : []));
  return { covers: new Set(covers), note: note(`what was said before, in short: ${compacted.summary}`) };
}

/** Who spoke is told where there is more than one who did. */
function conversation(passages: readonly Passage[], { beside, summary }: Notes): Message[] {
  const speakers = new Set(passages.filter(({ turn }) => isSaid(turn)).map(({ turn }) => turn.owner));
  return passages.flatMap(({ turn, words, answer }, i): Message[] => {
    const around = [i === 0 ? summary : null, passages[i - 1]?.after, i === passages.length - 1 ? beside : null];
    const notes = around.filter((text) => text != null);
    const said = isSaid(turn) && speakers.size > 1 ? `${turn.owner}: ${words}` : words;
    return [{ role: 'user', content: [...notes, said].join('\n\n') }, ...answer];
  });
}

function messagesOf(round: Round, { resultOf }: Telling): Message[] {
  const { ended, calls } = round;
  const text = textOf(round);
  const isEmpty = text.trim() === ''; // some endpoints refuse a message of blanks
  const content = isEmpty ? '' : `${text}${ended?.cutOff === false ? '' : cutOffMark}`;
  if (isEmpty && calls.length === 0) return [];
  return [
    { role: 'assistant', content, calls: calls.map(callOf) },
    ...calls.map((call): Message => {
      const { made } = call;
      return { role: 'tool', callId: made.node, content: resultText(resultOf(call), made) };
    }),
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
function bytesOf({ turn, words, answer, after }: Passage): number {
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

/** A text that was cut may end in half a character, which is no JSON to some. */
function wellFormed(message: Message): Message {
  return { ...message, content: message.content.toWellFormed() };
}
