// Renders a transcript to the messages of a model request, at every prefix of the log.
//
// 1. Only whole turns are left out, those that ended first before the others. The turn that the request is for never is, nor are those that it has resumed.
// 2. A request depends on the log alone: the turns that earlier ones have left out are in it.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { byEnd, isAcknowledgement } from './outline.ts';
import {
  buildConversationView,
  bytesOfNotes,
  bytesOfPassage,
  joinPassages,
  type Passage,
  type ViewOptions,
} from './passages.ts';

export interface RenderOptions extends ViewOptions {
  /** The turn that the request is for. */
  readonly turn: NodeId;
  /** The system message; none if it is empty. */
  readonly instructions: string;
  /** How many turns the request may have, this one counted and acknowledgements not. */
  readonly contextTurns?: number | undefined;
  /** Bytes (UTF-8) of the contents and arguments of these turns. */
  readonly contextBytes?: number | undefined;
}

export interface RenderedRequest {
  readonly messages: Message[];
  /** The turns that this request is the first one to leave out. */
  readonly leftOut: readonly NodeId[];
}

const defaultContextTurns = 50;

/** Returns the messages of a request. Throws if `turn` is not in the transcript. */
export const render = (facts: readonly RecordedFact[], options: RenderOptions): Message[] =>
  renderRequest(facts, options).messages;

/** Returns a request. Its `leftOut` is to be appended in the tick in which it is rendered. Throws if `turn` is not in the transcript. */
export function renderRequest(facts: readonly RecordedFact[], options: RenderOptions): RenderedRequest {
  const { turn, instructions, contextTurns = defaultContextTurns, contextBytes = 262_144 } = options;
  const { current, earlier, resumed, notes, buildPassage } = buildConversationView(facts, turn, options);
  const gone = new Set(facts.flatMap((fact) => (fact.type === 'turns_left_out' ? fact.turns : []))); // by earlier requests
  const all = earlier.filter(({ id }) => resumed.has(id) || !gone.has(id)).map(buildPassage);
  const fixed = all.filter((passage) => resumed.has(passage.turn.id));
  const fixedBytes = [current, ...fixed].reduce((sum, one) => sum + bytesOfPassage(one), bytesOfNotes(notes));
  const rest = all.filter((passage) => !fixed.includes(passage));
  const turns = contextTurns - fixed.length;
  const bytes = contextBytes - fixedBytes;
  // When some have to be left out, only half of what the limits allow stays: the requests that follow have their front in common, which
  // endpoints keep in a cache.
  const fits = findExceeding(rest, turns, bytes).length === 0;
  const leftOut = fits ? [] : findExceeding(rest.toSorted(byEnd(facts)), Math.ceil(turns / 2), bytes / 2);
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
  const passages = all.filter((passage) => !leftOut.includes(passage));
  return {
    messages: [...system, ...joinPassages([...passages, current], notes)],
    leftOut: leftOut.map((passage) => passage.turn.id),
  };
}

/**
 * Returns the passages without which the others are within the limits, the first ones; none if all are.
 *
 * @param turns counts the turn that the request is for, and no acknowledgements
 */
function findExceeding(passages: readonly Passage[], turns: number, bytes: number): readonly Passage[] {
  let left = bytes;
  let counted = 0;
  const last = passages.findLastIndex((passage) => {
    left -= bytesOfPassage(passage);
    if (!isAcknowledgement(passage.turn)) counted++;
    return counted >= turns || left < 0;
  });
  return passages.slice(0, last + 1);
}
