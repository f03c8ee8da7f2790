// The activity of a turn in a word or two, and the tokens that it has used so far.
import type { SessionSnapshot, TextBlockView, TurnView } from './snapshot.ts';

/** Characters of a token, about. */
const charsOfToken = 4;

/** Says what a turn that runs is doing: `thinking`, `writing`, `running 3 tools`. */
export function activityOf({ nodes }: Pick<SessionSnapshot, 'nodes'>, { node, blocks, calls }: TurnView): string {
  const block = blocks.at(-1);
  if (block?.state === 'streaming') return responseActivity(block);
  const own = new Set(calls.map((call) => call.node.id));
  const running = nodes.filter(({ id, state }) => own.has(id) && state !== 'settled');
  const [only] = running;
  if (only && running.length === 1) return `running ${only.name ?? 'a tool'}`;
  if (running.length > 1) return `running ${running.length} tools`;
  return node.state === 'waiting' ? 'queued' : 'waiting for the model';
}

function responseActivity({ text, reasoning, inputs }: TextBlockView): string {
  if (inputs.length > 0) return `preparing ${inputs.at(-1)?.name || 'a call'}`;
  if (text !== '') return 'writing';
  return reasoning === '' ? 'waiting for the model' : 'thinking';
}

/** Estimates the tokens that the model has written in a turn: those of its ended calls are counted by the provider. */
export const outputTokens = ({ blocks }: Pick<TurnView, 'blocks'>): number =>
  blocks.reduce((sum, { usage, text, reasoning }) => {
    const counted = usage?.output ?? null;
    return sum + (counted ?? Math.ceil((text.length + reasoning.length) / charsOfToken));
  }, 0);
