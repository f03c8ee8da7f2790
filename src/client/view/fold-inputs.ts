// Folds the frames of words that were said to a turn while it ran.
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import type { InputView, SessionSnapshot } from './snapshot.ts';
import { addSpeaker } from './speakers.ts';
import { changeTurn } from './turn-changes.ts';

/** An input of which only the node is known, from a JOIN. */
export const newInput = { text: null, parts: [], ref: null, fate: 'waiting', index: null } as const;

/** Adds an input to its turn; one that is known keeps its place. */
export function putInput(snapshot: SessionSnapshot, turn: string | null, input: InputView): SessionSnapshot {
  return changeTurn(snapshot, turn, (before) => {
    const at = before.inputs.findIndex(({ id }) => id === input.id);
    return { ...before, inputs: at === -1 ? [...before.inputs, input] : before.inputs.with(at, input) };
  });
}

/** The snapshot after words were said to a turn that runs. */
export function deferInput(snapshot: SessionSnapshot, frame: ServerFrameOf<'input_deferred'>): SessionSnapshot {
  const { input: id, turn, owner, text, parts = [], ref } = frame;
  return addSpeaker(putInput(snapshot, turn, { ...newInput, id, owner, text, parts, ref }), owner);
}

/** The snapshot after such words have their fate. */
export function settleInput(snapshot: SessionSnapshot, frame: ServerFrameOf<'input_settled'>): SessionSnapshot {
  const { input, turn, fate, index = null } = frame;
  return changeTurn(snapshot, turn, (before) => ({
    ...before,
    inputs: before.inputs.map((one) => (one.id === input ? { ...one, fate, index } : one)),
  }));
}
