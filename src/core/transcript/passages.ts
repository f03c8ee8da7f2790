// The passages of a conversation: for each turn its prompt, the messages of its response, and a note on how it ended.
import { type ContentPart, tokensOfMedia } from '../../../machines/content.ts';
import type { RecordedFact } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import {
  markLines,
  type NoteSources,
  noteOfAcknowledgement,
  noteOfEnding,
  noteOfExternalCall,
  noteOfOpenTurns,
  noteOfSummary,
  noteOfTask,
  noteSourcesIn,
  quoteName,
  resemblesNote,
} from './notes.ts';
import {
  type CallOutline,
  drawOutline,
  isAcknowledgement,
  isExternalCall,
  resumedTurns,
  type TurnOutline,
  textOf,
} from './outline.ts';
import { noteOfResumption } from './resumed-turns.ts';
import { type ModelOrigin, messagesOf, type RoundReader } from './round-messages.ts';
import { withStoppedTools } from './stopped-tools.ts';
import { resultText } from './tool-result-text.ts';

export interface Passage {
  readonly turn: TurnOutline;
  /** A note on the turns that it has resumed, put before the prompt; null: it has resumed none. */
  readonly noteBefore: string | null;
  /** What the speaker said, or the task of an agent. Empty: nothing, it has resumed a turn without words. */
  readonly prompt: string;
  /** Present where the speaker said more than text: all of it, in its order. */
  readonly parts?: readonly ContentPart[];
  readonly response: readonly Message[];
  /** What speakers have said to the turn while it ran, in the order in which it was read. */
  readonly inputs: readonly PassageInput[];
  /** A note on how the turn ended. It is put before the next prompt; null: the messages are enough. */
  readonly noteAfter: string | null;
}

export interface PassageInput {
  /** The number of messages of the response that stand before it. */
  readonly at: number;
  readonly text: string;
  readonly parts?: readonly ContentPart[];
  readonly speaker: SpeakerId;
}

/** The notes of a request that belong to no single passage. */
export interface Notes {
  /** The summary of older turns: put before the first prompt. */
  readonly summary: string | null;
  /** A note on the other turns that are still open: put before the last prompt. */
  readonly openTurns: string | null;
}

/** The part of a transcript that the model sees in a request for one turn. */
export interface ConversationView {
  /** The turn that the request is for. */
  readonly current: Passage;
  /** The settled turns that the summary does not replace, in the order in which they were opened. */
  readonly earlier: readonly TurnOutline[];
  /** Those of them that the current one has resumed: no limit leaves them out. */
  readonly resumed: ReadonlySet<NodeId>;
  readonly notes: Notes;
  buildPassage(turn: TurnOutline): Passage;
}

/** Whether a speaker opened the turn by a SAY. */
export const isOpenedBySay = ({ opened }: TurnOutline): boolean => opened?.kind === 'say';

const wordsOf = ({ opened, started }: TurnOutline): string =>
  opened?.resumes === undefined ? opened?.text || started?.text || '(no words)' : opened.text;

/** The prompt of a turn in the request for another one. */
function promptOf(turn: TurnOutline, sources: NoteSources): string {
  if (isExternalCall(turn)) return noteOfExternalCall(turn, sources);
  if (isAcknowledgement(turn)) return noteOfAcknowledgement(turn);
  return isOpenedBySay(turn) ? wordsOf(turn) : noteOfTask(turn);
}

const defaultToolTimeoutMaxMs = 3_600_000;

/** Returns the messages of the rounds of a turn, and the inputs that they have consumed, each before the message of the model call that has read it. */
function responseOf(
  { rounds, inputs, ended }: TurnOutline,
  reader: RoundReader,
  sources: NoteSources,
): Pick<Passage, 'response' | 'inputs'> {
  const consumed = inputs.flatMap(({ fact, settled }) =>
    settled?.fate === 'consumed' ? [{ fact, index: settled.index ?? 0 }] : [],
  );
  const messages = rounds.map((round) => {
    const isAnswered = ended === null || round !== rounds.at(-1); // the note at the end of the turn covers the last round
    const written = messagesOf(round, reader);
    return { index: round.index, messages: isAnswered ? withStoppedTools(written, round, sources) : written };
  });
  const before = (index: number) => messages.filter((round) => round.index < index).flatMap((round) => round.messages);
  return {
    response: messages.flatMap((round) => round.messages),
    inputs: consumed.map(({ fact: { text, parts, owner: speaker }, index }) => ({
      at: before(index).length,
      text,
      speaker,
      ...dropUndefined({ parts }),
    })),
  };
}

export interface ViewOptions {
  /** The longest timeout that a model may ask for, in milliseconds. */
  readonly toolTimeoutMaxMs?: number | undefined;
  /** The provider and the model of the request. Provider state from elsewhere is left out. */
  readonly origin?: ModelOrigin | undefined;
}

/**
 * Builds the view for a turn. The view for an agent's turn has no other turns and no summary, also if the agent is detached.
 * Throws if `turn` is not in the transcript.
 */
export function buildConversationView(
  facts: readonly RecordedFact[],
  turn: NodeId,
  { toolTimeoutMaxMs = defaultToolTimeoutMaxMs, origin }: ViewOptions,
): ConversationView {
  const outline = drawOutline(facts);
  const current = outline.turns.get(turn);
  if (!current) throw new Error(`The transcript has no turn ${turn}.`);
  const sources = noteSourcesIn(outline);
  const textOfResult = (call: CallOutline): string => {
    const expiredTimeoutMs = call.timeout?.ms ?? null;
    const circumstances = { cause: sources.causeOf(call.fact.node), expiredTimeoutMs, maxTimeoutMs: toolTimeoutMaxMs };
    return resultText(sources.resultOf(call), call.fact, circumstances);
  };
  const buildPassage = (one: TurnOutline): Passage => ({
    turn: one,
    noteBefore: one.opened?.resumes === undefined ? null : noteOfResumption(one, resumedTurns(outline, one), sources),
    prompt: one === current ? wordsOf(one) : promptOf(one, sources),
    ...(isOpenedBySay(one) && dropUndefined({ parts: one.opened?.parts })),
    // no model has made the call of somebody else; the state of an acknowledgement belongs to a request of its own
    ...responseOf(
      isExternalCall(one) ? { ...one, rounds: [] } : one,
      { textOfResult, origin: isAcknowledgement(one) ? null : (origin ?? null) },
      sources,
    ),
    noteAfter: one.ended ? noteOfEnding(one, sources) : null,
  });
  const { covers, note } = isOpenedBySay(current) ? summaryIn(facts) : { covers: new Set(), note: null };
  const resumed = new Set(resumedTurns(outline, current).map(({ id }) => id));
  const isLeftOut = ({ id }: TurnOutline) => covers.has(id) && !resumed.has(id);
  const others = isOpenedBySay(current)
    ? [...outline.turns.values()].filter((one) => one.opened && one !== current && !isLeftOut(one) && isShown(one))
    : [];
  const open = others.filter(({ ended }) => ended === null);
  return {
    current: buildPassage(current),
    earlier: others.filter(({ ended }) => ended !== null),
    resumed,
    notes: { summary: note, openTurns: open.length > 0 ? noteOfOpenTurns(open) : null },
    buildPassage,
  };
}

/** Returns the turns that the summary of a conversation stands for, and the summary as the model reads it. Each one is made from the one before it, and stands for the turns of all of them. */
function summaryIn(facts: readonly RecordedFact[]): {
  readonly covers: ReadonlySet<NodeId>;
  readonly note: string | null;
} {
  const compactions = facts.filter((fact) => fact.type === 'history_compacted');
  const last = compactions.at(-1);
  // early logs have no `covers`: the model reads those turns twice rather than not at all
  const covers = new Set(compactions.flatMap((fact) => fact.covers ?? []));
  return { covers, note: last ? noteOfSummary(last.summary) : null };
}

/** Whether a turn is shown. An acknowledgement is one for its words: it is left out without any, and as long as it runs. */
const isShown = (turn: TurnOutline): boolean =>
  !isAcknowledgement(turn) || (turn.ended !== null && turn.rounds.some((round) => textOf(round).trim() !== ''));

/** Replaces half characters: a text that was cut may end in one, and some JSON parsers reject it. */
function makeWellFormed(message: Message): Message {
  const content = message.content.toWellFormed();
  if (message.role === 'assistant' || !message.parts) return { ...message, content };
  const parts = message.parts.map((part) =>
    part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part,
  );
  return { ...message, content, parts };
}

/** What is said to the model at once: a prompt or a note. */
interface Said {
  readonly text: string;
  readonly parts?: readonly ContentPart[] | undefined;
  /** The speaker to name before the words. Left out: nobody's, or the only speaker's, and nothing in it could be taken for a note. */
  readonly speaker?: string | undefined;
}

/** Joins what is said to one message. It has parts if one of what is said has. */
function joinSaid(said: readonly Said[]): Message {
  const content = said.map(({ text, speaker }) => markLines(text, speaker)).join('\n\n');
  if (said.every(({ parts }) => parts === undefined)) return { role: 'user', content };
  const parts = said.flatMap((one): readonly ContentPart[] => {
    const { speaker } = one;
    if (!one.parts) return [{ type: 'text', text: markLines(one.text, speaker) }];
    const name: readonly ContentPart[] =
      speaker === undefined || one.parts[0]?.type === 'text' ? [] : [{ type: 'text', text: `${quoteName(speaker)}:` }];
    const marked = one.parts.map((part) =>
      part.type === 'text' ? { ...part, text: markLines(part.text, speaker) } : part,
    );
    return [...name, ...marked];
  });
  return { role: 'user', content, parts };
}

/** The words of the model after the results of a turn that was ended before it could answer them. */
const noAnswer = '[no answer: the turn ended here]';

/** The words of the model between results and what a speaker has said meanwhile: some chat templates refuse a user after results. */
const moreWasSaid = '[before the answer, more was said:]';

/**
 * Joins passages to the messages of a request. Puts the speaker's name before each line of what was said if there is more than one speaker, or a line
 * could be taken for a note of the runtime.
 *
 * Speaker and model take turns, as the strictest chat templates ask: what is said with no response in between is one message, and the model has a
 * word between results and what is said next.
 */
export function joinPassages(passages: readonly Passage[], { openTurns, summary }: Notes): Message[] {
  const speakers = new Set<SpeakerId>();
  for (const { turn, inputs } of passages) {
    if (isOpenedBySay(turn)) speakers.add(turn.owner);
    for (const { speaker } of inputs) speakers.add(speaker);
  }
  const messages: Message[] = [];
  let said: Said[] = summary === null ? [] : [{ text: summary }];
  const mark = (text: string, parts: readonly ContentPart[] | undefined, speaker: SpeakerId): Said => {
    const words = parts ? parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') : text;
    return { text, parts, speaker: speakers.size > 1 || resemblesNote(words) ? speaker : undefined };
  };
  const flush = () => {
    if (said.length > 0) messages.push(joinSaid(said));
    said = [];
  };
  /** Says something in the middle of a passage, or between two. */
  const addWord = (content: string) => {
    if (said.length === 0 && messages.at(-1)?.role === 'tool') messages.push({ role: 'assistant', content, calls: [] });
  };
  for (const [i, { turn, noteBefore, prompt, parts, response, inputs, noteAfter }] of passages.entries()) {
    const isLast = i === passages.length - 1;
    if (isLast && openTurns !== null) said.push({ text: openTurns });
    if (noteBefore !== null) said.push({ text: noteBefore });
    if (noteBefore === null || prompt !== '')
      said.push(isOpenedBySay(turn) ? mark(prompt, parts, turn.owner) : { text: prompt, parts });
    for (const position of [...response.keys(), response.length]) {
      for (const input of inputs.filter(({ at }) => at === position)) {
        addWord(moreWasSaid);
        said.push(mark(input.text, input.parts, input.speaker));
      }
      const message = response[position];
      if (message) flush();
      if (message) messages.push(message);
    }
    if (isLast) flush();
    else addWord(noAnswer);
    if (noteAfter !== null) said.push({ text: noteAfter });
  }
  return messages.map(makeWellFormed);
}

/** Returns the largest size of a passage in UTF-8 bytes. It counts the speaker's name, even if the request will not contain it. */
export function bytesOfPassage({ turn, noteBefore, prompt, parts = [], response, inputs, noteAfter }: Passage): number {
  const texts = response.flatMap((message) =>
    message.role === 'assistant'
      ? [message.content, ...message.calls.flatMap((call) => [call.name, call.arguments])]
      : [message.content],
  );
  const before = noteBefore ? `${noteBefore}\n\n` : '';
  const words = inputs.map(({ text, speaker }) => `${markLines(text, speaker)}\n\n${moreWasSaid}`);
  const media = [
    ...parts,
    ...inputs.flatMap((input) => input.parts ?? []),
    ...response.flatMap((message) => (message.role === 'tool' ? (message.parts ?? []) : [])),
  ];
  return [
    before,
    `${markLines(prompt, turn.owner)}\n\n`,
    noteAfter ? `${noteAfter}\n\n` : '',
    noAnswer,
    ...texts,
    ...words,
  ].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    media.map(bytesOfMedia).reduce((sum, bytes) => sum + bytes, 0),
  );
}

/** English text that has as many tokens as an image is taken to have. */
const bytesOfMedia = (part: ContentPart): number => (part.type === 'text' ? 0 : bytesPerToken * tokensOfMedia(part));
const bytesPerToken = 4;

/** Returns the size of the notes in UTF-8 bytes, including the blank lines after them. */
export const bytesOfNotes = ({ summary, openTurns }: Notes): number =>
  Buffer.byteLength(`${openTurns ?? ''}\n\n${summary ?? ''}\n\n`);
