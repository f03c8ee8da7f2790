// Renders a transcript to the messages of a model request, at every prefix of the log.
//
// Only whole turns are left out, the oldest first; the turn that the request is for never is, nor are those that it has resumed.
import type { RecordedFact } from '../../machines/facts.ts';
import type { Message } from '../../machines/messages.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { isAcknowledgement } from './outline.ts';
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
  /** Of the session. Left out: each request has as many turns as the limits allow. */
  readonly window?: ContextWindow | undefined;
}

/**
 * The turn with which the last request of a session began. Requests that begin with the same turn have their front in common, which
 * endpoints keep in a cache.
 */
export interface ContextWindow {
  /** Null: there was none before the turn itself. */
  first: NodeId | null;
}

const defaultContextTurns = 50;

/** Returns the messages of a request. Throws if `turn` is not in the transcript. */
export function render(facts: readonly RecordedFact[], options: RenderOptions): Message[] {
  const { turn, instructions, window } = options;
  const { current, earlier, resumed, notes, buildPassage } = buildConversationView(facts, turn, options);
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
  const all = earlier.map(buildPassage);
  const fixed = all.filter((passage) => resumed.has(passage.turn.id));
  const fixedBytes = [current, ...fixed].reduce((sum, one) => sum + bytesOfPassage(one), bytesOfNotes(notes));
  const rest = all.filter((passage) => !fixed.includes(passage));
  const contextTurns = (options.contextTurns ?? defaultContextTurns) - fixed.length;
  const selected = selectPassages(rest, fixedBytes, { ...options, contextTurns });
  if (window) window.first = selected[0]?.turn.id ?? null;
  const passages = all.filter((passage) => fixed.includes(passage) || selected.includes(passage));
  return [...system, ...joinPassages([...passages, current], notes)];
}

/**
 * Selects the last turns that are within the limits. Begins where the last request began, as long as that is possible; when something has to be
 * left out, leaves out half of what the limits allow.
 */
function selectPassages(
  earlier: readonly Passage[],
  fixedBytes: number,
  { contextTurns = defaultContextTurns, contextBytes = 262_144, window }: RenderOptions,
): readonly Passage[] {
  const lastWithin = (turns: number, maxBytes: number): readonly Passage[] => {
    let bytes = fixedBytes;
    let counted = 0;
    const last = earlier.toReversed().findIndex((passage) => {
      bytes += bytesOfPassage(passage);
      if (!isAcknowledgement(passage.turn)) counted++;
      return counted >= turns || bytes > maxBytes;
    });
    return last === -1 ? earlier : earlier.slice(earlier.length - last);
  };
  const all = lastWithin(contextTurns, contextBytes);
  const first = window?.first ?? null;
  const from = all.findIndex((passage) => passage.turn.id === first);
  if (from !== -1) return all.slice(from);
  if (all.length === earlier.length || window === undefined) return all;
  return lastWithin(Math.ceil(contextTurns / 2), fixedBytes + (contextBytes - fixedBytes) / 2);
}
