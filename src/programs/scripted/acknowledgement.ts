// Replies to a request for an acknowledgement in the script's own words: reads in the request what was stopped.
import { messageText, type WireMessage } from './reply.ts';

/** A stop, as the runtime describes it to the model: see src/core/transcript/acknowledgement-request.ts. */
interface Stop {
  readonly by: string;
  /** The words for which the stopped turns were started, in quotes. */
  readonly requests: readonly string[];
  readonly completed: readonly string[];
  readonly uncertain: readonly string[];
}

/** The pattern of a text in quotes, as notes of the runtime have it. */
export const quotedText = '"(?:[^"\\\\]|\\\\.)*"';

/** Returns the words of the script for a request that asks for an acknowledgement; null: it asks for something else. */
export function playAcknowledgement(messages: readonly WireMessage[]): string | null {
  const stop = readStop(messageText(messages.at(-1)));
  if (!stop) return null;
  const { by, requests, completed, uncertain } = stop;
  const what = requests[0] === undefined ? 'it' : `what I did on ${requests[0].replaceAll('\\n', ' ')}`;
  const done = completed.length > 0 ? ` Done by then: ${completed.join(', ')}.` : '';
  const halfDone = uncertain.length > 0 ? ` Stopped half way: ${uncertain.join(', ')}.` : '';
  return `All right, ${by}, I have stopped ${what}.${done}${halfDone}`;
}

function readStop(text: string): Stop | null {
  const by = /^\[Note by the runtime, not by a speaker: (.*?) has just stopped work of yours/s.exec(text)?.[1];
  if (by === undefined) return null;
  return {
    by,
    requests: [...text.matchAll(new RegExp(`had said (${quotedText})\\.`, 'g'))].flatMap(([, quoted]) => quoted ?? []),
    completed: namesUnder('Completed', text),
    uncertain: namesUnder('May have had effects', text),
  };
}

/** Returns the names of the calls under a heading of a note, each once: neither those in quotes nor the sub-agents that had called them. */
export function namesUnder(heading: string, text: string): readonly string[] {
  const plain = text.replaceAll(new RegExp(quotedText, 'g'), '""').replaceAll(/ of [\w-]+ \([^)]*\)/g, '');
  const lists = [...plain.matchAll(new RegExp(` ${heading}: ([^.]*)\\.`, 'g'))].flatMap(([, list]) => list ?? []);
  return [...new Set(lists.flatMap((list) => [...list.matchAll(/([\w-]+) \(/g)].flatMap(([, name]) => name ?? [])))];
}
