// From the transcript to the messages of a model request, at every prefix of the log.
//
// Only whole turns are left out, the oldest first; the turn that asks never is.
import type { Recorded } from '../../machines/facts.ts';
import type { Message } from '../../machines/messages.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { bytesOf, bytesOfNotes, conversation, type Passage, viewOf } from './passages.ts';

export interface RenderOptions {
  /** Who asks. */
  readonly turn: NodeId;
  /** The system message; none where it is empty. */
  readonly instructions: string;
  /** Turns, with the one that asks. */
  readonly contextTurns?: number;
  /** Bytes (UTF-8) of the contents and arguments of these turns. */
  readonly contextBytes?: number;
  /** How much time a model may ask for, as it is told after a timeout. */
  readonly toolTimeoutMaxMs?: number;
}

/** Throws when `turn` is not in the transcript. */
export function render(facts: readonly Recorded[], options: RenderOptions): Message[] {
  const { turn, instructions, contextTurns = 50, contextBytes = 262_144, toolTimeoutMaxMs } = options;
  const { own, before, notes, passageOf } = viewOf(facts, turn, toolTimeoutMaxMs);
  const system: Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
  const told: Passage[] = [own];
  let bytes = bytesOf(own) + bytesOfNotes(notes);
  for (const other of before.toReversed()) {
    const passage = passageOf(other);
    bytes += bytesOf(passage);
    if (bytes > contextBytes || told.length + 1 > contextTurns) break;
    told.unshift(passage);
  }
  return [...system, ...conversation(told, notes)];
}
