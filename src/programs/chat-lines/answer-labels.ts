// Lines that say who speaks: the words of others with their name, and answers with whom they are for, where that is not plain.
import { findTurn } from '../../client/view/node-names.ts';
import type { SessionSnapshot } from '../../client/view/snapshot.ts';
import { displayWidth } from '../../core/text/display-width.ts';
import { expandTabs } from '../../core/text/plain-output.ts';
import { makePrintable } from '../../core/text/printable.ts';
import { withMargin, wrapLine } from './line-width.ts';
import { quoted } from './node-titles.ts';
import { lineOf, type StyledLine, span } from './styled-text.ts';

/**
 * Returns the line above an answer; none above one to the words that the viewer has just said.
 * @param hasWaited Whether the turn has waited for others: its words do not stand directly above.
 */
export function answerLabel(
  snapshot: SessionSnapshot,
  id: string,
  speaker: string,
  hasWaited: boolean,
): readonly StyledLine[] {
  const turn = findTurn(snapshot, id);
  if (!turn) return [];
  const { owner, name } = turn.node;
  const isOwn = owner === speaker;
  const to = isOwn ? [] : [`to ${owner}`];
  const about = hasWaited && turn.kind === 'say' && turn.text ? [`${isOwn ? 'to ' : ''}${quoted(turn.text)}`] : [];
  const onStop = turn.kind === 'acknowledgement' ? ['on the stop'] : [];
  const parts = [...(name === null ? [] : [name]), ...to, ...about, ...onStop];
  return parts.length === 0 ? [] : [lineOf(`(${parts.join(', ')})`, 'soft')];
}

/** Returns the words of a speaker, with the name before them. */
export function saidLines(owner: string, text: string, columns: number): readonly StyledLine[] {
  const name = `${makePrintable(owner)}> `;
  const lines = expandTabs(makePrintable(text))
    .split('\n')
    .flatMap((line) => wrapLine(lineOf(line), columns - displayWidth(name)));
  return withMargin(lines, span(name, 'speaker'), span(' '.repeat(displayWidth(name))));
}
