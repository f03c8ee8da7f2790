// Renders reports as lines of a terminal: what happened first, details below it.
import type { SpeakerId } from '../../machines/vocabulary.ts';
import type { CancelReport, RunningOn, StoppedNode } from '../core/reports/cancel-report.ts';
import type { NodeReport } from '../core/reports/node-report.ts';
import { countText } from '../core/words/count-text.ts';
import { durationText } from '../core/words/durations.ts';
import {
  causeText,
  effectText,
  lateText,
  notStoppedText,
  outcomeText,
  ranOn,
  refusalText,
  settledText,
} from '../core/words/receipt-words.ts';
import { showNames } from '../wire/shown-names.ts';
import { shorten } from './line-text.ts';

/** Formats a time in milliseconds since 1970, like `2026-11-22 19:01:44.123Z`. */
export const timeText = (at: number): string => new Date(at).toISOString().replace('T', ' ');

/** Formats a cancel: who stopped what, when, how long it took, what ran on. */
export function cancelLines(session: string, written: CancelReport): readonly string[] {
  const report = showNames(written);
  const { at, cancel, reason, via, force, ranOn } = report;
  const id = cancel === null ? '' : `  (${cancel})`;
  const title = `${timeText(at)}  ${session}  ${causeText(report.source, report.by)} ${stopText(report)}${id}`;
  const details = [
    ...(reason === null ? [] : [`reason: ${shorten(reason)}`]),
    ...(via === null ? [] : [`relayed by ${via}`]),
    ...(force ? ['by force: without a grace'] : []),
    ...ranOn.map((node) => `RAN ON  ${ranOnText(node, at)}`),
  ];
  return [title, ...details.map(indent)];
}

/** Formats what became of each node of a cancel. */
export const stoppedLines = (report: CancelReport): readonly string[] =>
  showNames(report).nodes.map(stoppedText).map(indent);

/** Formats a node: what it is, whose, since when, and how it ended. `isDead`: its host has died. */
export function nodeText(node: NodeReport, isDead: boolean): string {
  const { startedAt, openedAt, settledAt, outcome, effect, code, ms } = node;
  const from = startedAt ?? openedAt;
  const name = nameText(showNames(node));
  if (outcome === null || settledAt === null) {
    return `${name}: ${openText(node, isDead)}, since ${timeText(from)}`;
  }
  const why = code === null ? '' : ` (${code})`;
  const after = ms === null ? '' : ` after ${durationText(ms)}`;
  return `${name}: ${outcomeText(outcome)}${why}${after} at ${timeText(settledAt)}${consequenceText(effect)}${aftermathText(node)}`;
}

function openText({ isAsking, startedAt }: NodeReport, isDead: boolean): string {
  if (isDead) return 'open when its gateway died';
  if (isAsking) return 'asking';
  return startedAt === null ? 'has not started' : 'running';
}

/** Indents a line by one level. */
export const indent = (line: string): string => `    ${line}`;

function stopText(report: CancelReport): string {
  const { state, nodes, ms } = report;
  const target = targetText(report);
  if (state === 'refused') return `was REFUSED to stop ${target}: nothing was stopped`;
  if (state === 'stopping') return `is stopping ${target}: ${countText(nodes.length, 'node')} not settled yet`;
  const ends = nodes.flatMap(({ end }) => end ?? []);
  const late = lateText(ends);
  const count = nodes.length - ends.filter(({ outcome }) => ranOn(outcome)).length;
  return `stopped ${target}: ${countText(count, 'node')} in ${durationText(ms ?? 0)}${late === null ? '' : `; ${late.toUpperCase()}`}`;
}

function targetText({ target, by, nodes }: CancelReport): string {
  if (target === 'session') return 'the whole session';
  if (target === 'mine') return `everything of ${by}`;
  const node = nodes.find((each) => each.node === target);
  return node?.name ? `${node.name} (${target})` : target;
}

interface Named {
  readonly node: string;
  readonly name: string | null;
  readonly owner: SpeakerId | null;
}

const nameText = ({ node, name, owner }: Named): string =>
  `${name === null ? '' : `${name} `}${node}${owner === null ? '' : ` of ${owner}`}`;

/** Says why a node ran on, with the code of a refusal. */
function whyText({ why, reason, owner }: RunningOn): string {
  switch (why) {
    case 'refused':
      return reason === null ? 'refused' : `${refusalText(reason, owner)} (${reason})`;
    case 'abandoned':
      return outcomeText(why);
    case 'detached':
    case 'newer':
      return notStoppedText(why);
  }
}

function ranOnText(node: RunningOn, cancelledAt: number): string {
  const { outcome, goneAt } = node;
  const end =
    goneAt === null
      ? 'no end is recorded: it may still run'
      : `${outcome === null || ranOn(outcome) ? 'ended' : outcomeText(outcome)} ${durationText(Math.max(0, goneAt - cancelledAt))} after the cancel`;
  return `${nameText(node)}: ${whyText(node)}; ${end}`;
}

function stoppedText(node: StoppedNode): string {
  const { end, pending } = node;
  const shield = pending ? ', after its shield' : '';
  if (!end) return `${nameText(node)}: has not settled${shield}`;
  return `${nameText(node)}: ${settledText(end, null)}${shield}`;
}

function consequenceText(effect: NodeReport['effect']): string {
  const text = effectText(effect);
  return text === null ? '' : `; ${text}`;
}

function aftermathText({ outcome, goneAt }: NodeReport): string {
  if (!ranOn(outcome)) return '';
  return goneAt === null ? '; NO END is recorded: it may still run' : `; ended at ${timeText(goneAt)}`;
}
