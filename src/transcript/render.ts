// Renders a transcript to the messages of a model request, at every prefix of the log.
//
// Only whole turns are left out, the oldest first; the turn that the request is for never is.
import type { RecordedFact } from '../../machines/facts.ts';
import type { Message } from '../../machines/messages.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
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
  /** How many turns the request may have, this one counted. */
  readonly contextTurns?: number | undefined;
  /** Bytes (UTF-8) of the contents and arguments of these turns. */
  readonly contextBytes?: number | undefined;
}

/** Returns the messages of a request. Throws if `turn` is not in the transcript. */
export function render(facts: readonly RecordedFact[], options: RenderOptions): Message[] {
  const { turn, instructions, contextTurns = 50, contextBytes = 262_144 } = options;
  const { current, earlier, notes, buildPassage } = buildConversationView(facts, turn, options);
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
  const passages: Passage[] = [current];
  let bytes = bytesOfPassage(current) + bytesOfNotes(notes);
  for (const other of earlier.toReversed()) {
    const passage = buildPassage(other);
    bytes += bytesOfPassage(passage);
    if (bytes > contextBytes || passages.length + 1 > contextTurns) break;
    passages.unshift(passage);
  }
  return [...system, ...joinPassages(passages, notes)];
}
