// Renders reports as lines of a terminal: what happened first, details below it.
import type { CauseSource, OutcomeKind, SpeakerId } from '../../machines/vocabulary.ts';
import type { CancelReport, RunningOn, StoppedNode } from '../core/reports/cancel-report.ts';
import type { NodeReport } from '../core/reports/node-report.ts';
import { countText } from '../core/text/count-text.ts';
import { durationText, shorten } from './outcome-text.ts';

/** Formats a time in milliseconds since 1970, like `2026-11-22 19:01:44.123Z`. */
export const timeText = (at: number): string => new Date(at).toISOString().replace('T', ' ');

/** Formats a cancel: who stopped what, when, how long it took, what ran on. */
export function cancelLines(session: string, report: CancelReport): readonly string[] {
  const { at, cancel, reason, via, force, ranOn } = report;
  const id = cancel === null ? '' : `  (${cancel})`;
  const title = `${timeText(at)}  ${session}  ${whoText(report)} ${stopText(report)}${id}`;
  const details = [
    ...(reason === null ? [] : [`reason: ${shorten(reason)}`]),
    ...(via === null ? [] : [`relayed by ${via}`]),
    ...(force ? ['by force: without a grace'] : []),
    ...ranOn.map((node) => `RAN ON  ${ranOnText(node, at)}`),
  ];
  return [title, ...details.map(indent)];
}

/** Formats what became of each node of a cancel. */
export const stoppedLines = ({ nodes }: CancelReport): readonly string[] => nodes.map(stoppedText).map(indent);

/** Formats a node: what it is, whose, since when, and how it ended. `isDead`: its host has died. */
export function nodeText(node: NodeReport, isDead: boolean): string {
  const { startedAt, openedAt, settledAt, outcome, effect, code } = node;
  const from = startedAt ?? openedAt;
  if (outcome === null || settledAt === null) {
    const state = isDead ? 'open when its gateway died' : startedAt === null ? 'has not started' : 'running';
    return `${nameText(node)}: ${state}, since ${timeText(from)}`;
  }
  const why = code === null ? '' : ` (${code})`;
  const after = startedAt === null ? '' : ` after ${durationText(settledAt - startedAt)}`;
  return `${nameText(node)}: ${outcomeName(outcome)}${why}${after} at ${timeText(settledAt)}${effectText(effect)}${aftermathText(node)}`;
}

/** Indents a line by one level. */
export const indent = (line: string): string => `    ${line}`;

const sourceTexts: Readonly<Record<CauseSource, (by: SpeakerId) => string>> = {
  client: (by) => by,
  phrase: (by) => `${by} (by words)`,
  http: (by) => `${by} (over HTTP)`,
  disconnect: (by) => `the lost connection of ${by}`,
  deadline: () => 'a deadline',
  superseded: (by) => `a newer call of ${by}`,
  shutdown: () => 'the shutdown',
  crash: () => 'a crash',
};

const whoText = ({ source, by }: CancelReport): string => sourceTexts[source](by ?? 'a program');

function stopText(report: CancelReport): string {
  const { state, nodes, ms } = report;
  const target = targetText(report);
  if (state === 'refused') return `was REFUSED to stop ${target}: nothing was stopped`;
  if (state === 'stopping') return `is stopping ${target}: ${countText(nodes.length, 'node')} not settled yet`;
  const abandoned = nodes.filter(({ end }) => end?.outcome === 'abandoned').length;
  const late = abandoned === 0 ? '' : `, ${abandoned} ABANDONED`;
  return `stopped ${target}: ${countText(nodes.length - abandoned, 'node')} in ${durationText(ms ?? 0)}${late}`;
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

const whyTexts: Readonly<Record<RunningOn['why'], string>> = {
  refused: 'refused',
  detached: 'detached, not part of the target',
  abandoned: 'did not end in time',
  newer: 'newer than the cancel',
};

function ranOnText(node: RunningOn, cancelledAt: number): string {
  const { why, reason, outcome, goneAt } = node;
  const end =
    goneAt === null
      ? 'no end is recorded: it may still run'
      : `${outcome === null || outcome === 'abandoned' || outcome === 'continues' ? 'ended' : outcomeName(outcome)} ${durationText(goneAt - cancelledAt)} after the cancel`;
  return `${nameText(node)}: ${whyTexts[why]}${reason === null ? '' : ` (${reason})`}; ${end}`;
}

function stoppedText(node: StoppedNode): string {
  const { end, pending } = node;
  const shield = pending ? ', after its shield' : '';
  if (!end) return `${nameText(node)}: has not settled${shield}`;
  const { outcome, effect, ms, forced, code } = end;
  const how = `${outcomeName(outcome)}${forced ? ' by force' : ''}${code === undefined ? '' : ` (${code})`}`;
  return `${nameText(node)}: ${how} in ${durationText(ms)}${shield}${effectText(effect)}`;
}

const outcomeName = (outcome: OutcomeKind): string => outcome.replace('_', ' ');

const effectText = (effect: string | null): string =>
  effect === 'unknown' ? '; it may have had effects' : effect === 'not_started' ? '; it had not started' : '';

function aftermathText({ outcome, goneAt }: NodeReport): string {
  if (outcome !== 'abandoned' && outcome !== 'continues') return '';
  return goneAt === null ? '; NO END is recorded: it may still run' : `; ended at ${timeText(goneAt)}`;
}
