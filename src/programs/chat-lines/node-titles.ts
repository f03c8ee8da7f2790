// Titles of turns, calls and waiting words in the lines of a chat: names, and never ids.
import { titleOf } from '../../client/view/call-title.ts';
import type { NodeStatus, StatusTone } from '../../client/view/node-status.ts';
import type { CallView, NodeView, TurnView } from '../../client/view/snapshot.ts';
import { clipText } from '../../core/text/display-width.ts';
import { makePrintable, writeOutHidden } from '../../core/text/printable.ts';
import { lineWidth } from './line-width.ts';
import { type StyledLine, span, type TextStyle } from './styled-text.ts';

/** Columns of the words of a person in a line. */
const maxWords = 48;

/** The style of each tone; its words say the same. */
export const toneStyles: Readonly<Record<StatusTone, TextStyle>> = {
  active: 'good',
  waiting: 'soft',
  stopping: 'warning',
  'runs-on': 'warning',
  done: 'good',
  stopped: 'soft',
  failed: 'bad',
};

/** Returns the owner of something, to be written before its name; empty for the viewer's own. */
export const ownerPrefix = (owner: string, speaker: string): string => (owner === speaker ? '' : `${owner}'s `);

/** Returns the words of a person in quotes, short and on one line. */
export function quoted(text: string): string {
  const line = makePrintable(text).replace(/\s+/g, ' ').trim();
  return `“${clipText(line, maxWords)}”`;
}

/** Returns the title of a call: its name, and what distinguishes it from its siblings. */
export function callTitle(call: CallView, speaker: string): StyledLine {
  const { name, detail } = titleOf(call);
  const named = span(`${ownerPrefix(call.node.owner, speaker)}${name}`, 'strong');
  return detail === '' ? [named] : [named, span(` ${detail}`)];
}

/** Returns the title of a turn: `your turn`, `bob's turn`, `the reply to the stop`, or an agent's name. */
export function turnTitle({ owner, name }: NodeView, kind: TurnView['kind'] | null, speaker: string): string {
  if (kind === 'acknowledgement') return owner === speaker ? 'reply to the stop' : `reply to ${owner}'s stop`;
  if (kind === 'call') return owner === speaker ? 'your call, run elsewhere' : `${owner}'s call, run elsewhere`;
  if (name !== null) return `${ownerPrefix(owner, speaker)}${name}`;
  return owner === speaker ? 'your turn' : `${owner}'s turn`;
}

/** Returns a line with its title cut so that the rest fits into the columns, too. */
export function fitTitle(head: StyledLine, title: StyledLine, rest: StyledLine, columns: number): StyledLine {
  let left = Math.max(8, columns - lineWidth(head) - lineWidth(rest));
  const fitted = title.map(({ text, style }) => {
    const clipped = left <= 0 ? '' : clipText(writeOutHidden(text), left);
    left -= lineWidth([{ text: clipped, style }]);
    return { text: clipped, style };
  });
  return [...head, ...fitted, ...rest];
}

/** The words of a status that is more than `running` or `done`. */
export const remarkOf = ({ tone, text }: NodeStatus): string => (tone === 'active' || tone === 'done' ? '' : text);
