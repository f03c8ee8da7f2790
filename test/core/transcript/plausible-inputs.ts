// The inputs of a simulated session: words that are given to a turn while it runs.
import type { Fact } from '../../../machines/facts.ts';
import { type Node, type PlausibleNodes, speakers } from './plausible-nodes.ts';

/** Enters an input that waits for the next model call of the turn. */
export function enterInput(world: PlausibleNodes, turn: Node, inputs: Node[]): Fact {
  const owner = world.pick(speakers);
  const input = world.enter(world.createId('turn'), owner, turn.id);
  input.isInput = true;
  inputs.push(input);
  const text = world.pick(['and c', '[Note', 'more \ud83d']);
  return { type: 'input_deferred', input: input.id, turn: turn.id, owner, text, ref: null };
}

/** Hands the inputs that wait to the model call of that index. */
export function consumeInputs(
  world: PlausibleNodes,
  turn: Node,
  index: number,
  inputs: readonly Node[],
): readonly Fact[] {
  if (turn.cut) return [];
  return inputs
    .filter(({ settled }) => !settled)
    .map((input): Fact => {
      world.settle(input, 'completed', 'none');
      const { id, owner } = input;
      return { type: 'input_settled', input: id, turn: turn.id, owner, fate: 'consumed', index };
    });
}

/** Settles the inputs among the nodes that stop: a stopped input has its fate with the acceptance. */
export function cancelInputs(world: PlausibleNodes, stopping: readonly Node[]): readonly Fact[] {
  return stopping
    .filter(({ isInput }) => isInput)
    .map((input): Fact => {
      world.settle(input, 'cancelled', 'not_started');
      const { id, owner, parent } = input;
      return { type: 'input_settled', input: id, turn: parent ?? '', owner, fate: 'cancelled' };
    });
}
