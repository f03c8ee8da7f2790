// The request that asks a model for a summary: the earlier summary, the turns in their order with how the last one ended, and the task.
import type { Message } from '../../../machines/messages.ts';
import { note } from './notes.ts';
import { bytesOfPassage, joinPassages, type Passage } from './passages.ts';

export interface SummaryRequestLimits {
  /** UTF-16 code units that the summary may have. */
  readonly summaryChars: number;
  /** Bytes (UTF-8) that the request may have. */
  readonly contextBytes: number;
}

const gap = '\n\n';

const taskOf = (chars: number): string =>
  `Summarize this conversation for yourself, in at most ${chars} characters: what was asked, what was done with which result, what was stopped or left undone, and what is still to be kept in mind. Write the summary only.`;

const noteOfLeftOut = (turns: number): string =>
  note(`${turns === 1 ? '1 turn is' : `${turns} turns are`} left out here, being too long to be shortened at once`);

const byUser = (content: string): Message => ({ role: 'user', content });

/** A request without tools has its calls and their results as plain text, and words for what is no text. */
function asText(message: Message): Message {
  if (message.role === 'tool') return byUser(`[result] ${message.content}`);
  if (message.role !== 'assistant') return message;
  const calls = message.calls.map((call) => `[called ${call.name} ${call.arguments}]`);
  const content = [message.content, ...calls].filter((text) => text !== '').join('\n');
  return { role: 'assistant', content, calls: [] };
}

/** Joins what a user says in a row to one message: some chat templates reject two. */
function joinUserMessages(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== 'user' || message.role !== 'user') joined.push(message);
    else joined.splice(-1, 1, byUser(last.content + gap + message.content));
  }
  return joined;
}

/** Returns the messages that ask for a summary of the passages and of the summary before them; null if all of it would have to be left out. */
export function summaryRequest(
  passages: readonly Passage[],
  summary: string | null,
  { summaryChars, contextBytes }: SummaryRequestLimits,
): readonly Message[] | null {
  const task = taskOf(summaryChars);
  const around = [summary ?? '', noteOfLeftOut(passages.length), task, ''].join(gap);
  let left = contextBytes - Buffer.byteLength(around);
  const texts = passages.map(
    ({ parts: _, ...passage }): Passage => ({
      ...passage,
      response: passage.response.map(asText),
      inputs: passage.inputs.map(({ parts: __, ...input }) => input),
    }),
  );
  const leftOut = texts.findLastIndex((passage) => {
    left -= bytesOfPassage(passage) + gap.length * (passage.response.length + passage.inputs.length);
    return left < 0;
  });
  const included = texts.slice(leftOut + 1);
  if (included.length === 0 && summary === null) return null;
  const notes = [summary, leftOut < 0 ? null : noteOfLeftOut(leftOut + 1)].filter((text) => text !== null);
  const last = [included.at(-1)?.noteAfter, task].filter((text) => text != null);
  const conversation = joinPassages(included, { summary: null, openTurns: null });
  return joinUserMessages([...notes.map(byUser), ...conversation, ...last.map(byUser)]);
}
