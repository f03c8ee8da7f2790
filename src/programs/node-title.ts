// The title of a node in a plain line: a person reads names, and not ids.
import { findCall, findNode, nameOf } from '../client/view/node-names.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import { shorten } from './outcome-text.ts';
import { quotedWords } from './render-input.ts';
import type { Viewer } from './viewer.ts';

/** Characters of arguments in a title. */
const maxArgumentChars = 40;

/**
 * Returns the title of a node: `your turn`, `ann's turn`, or the name of its tool or agent.
 * @param listed The nodes that are listed together: calls of one tool among them are told apart by their arguments.
 */
export function nodeTitle(snapshot: SessionSnapshot, id: string, viewer: Viewer, listed: readonly string[]): string {
  const node = findNode(snapshot, id);
  if (!node) return quotedWords(snapshot, id);
  if (node.kind === 'turn' && node.name === null)
    return node.owner === viewer.speaker ? 'your turn' : `${node.owner}'s turn`;
  const name = nameOf(snapshot, id);
  const hasNamesake = listed.some((other) => other !== id && nameOf(snapshot, other) === name);
  const callArguments = hasNamesake ? (findCall(snapshot, id)?.arguments ?? null) : null;
  return callArguments === null ? name : `${name} ${shorten(callArguments, maxArgumentChars)}`;
}
