// A wave in words and numbers: what a person reads of it, with or without its picture.
import type { OutcomeKind } from '../../../../machines/vocabulary.ts';
import { readTarget } from '../../../core/receipt/cancel-target.ts';
import { countText } from '../../../core/words/count-text.ts';
import { measuredText } from '../../../core/words/durations.ts';
import {
  causeSubject,
  endingText,
  hasStopped,
  outcomeLabel,
  outcomeText,
  pendingText,
  refusedText,
  runsOnText,
  wayText,
} from '../../../core/words/receipt-words.ts';
import { isToStop, type Wave, type WaveRow } from './wave-model.ts';

/** The color of a row: how it ended, or why it did not. */
export type WaveTone = 'stopping' | 'stopped' | 'timed-out' | 'late' | 'completed' | 'failed' | 'runs-on';

/** Returns the color of a row. */
export function toneOf({ verdict, outcome }: Pick<WaveRow, 'verdict' | 'outcome'>): WaveTone {
  if (!isToStop(verdict)) return 'runs-on';
  return outcome === null ? 'stopping' : outcomeTones[outcome];
}

const outcomeTones: Readonly<Record<OutcomeKind, WaveTone>> = {
  completed: 'completed',
  cancelled: 'stopped',
  timed_out: 'timed-out',
  superseded: 'stopped',
  failed: 'failed',
  denied: 'failed',
  abandoned: 'late',
  continues: 'failed',
};

/** Names the way on which a CANCEL came. */
export const sourceText = (source: Wave['source']): string => (source === null ? '' : wayText(source));

/** Names who or what has caused a CANCEL. */
export const whoText = ({ by, source }: Pick<Wave, 'by' | 'source'>): string =>
  source === null ? (by ?? 'A CANCEL') : causeSubject(source, by);

/** Names what a CANCEL was to stop. */
export function targetText({ target, by, rows }: Pick<Wave, 'target' | 'by' | 'rows'>): string {
  const roots = rows.filter(({ depth }) => depth === 0);
  if (roots.length > 1 && target === 'session') return 'everything in the session';
  if (roots.length > 1 && target === 'mine') return by === null ? 'what is theirs' : `everything of ${by}`;
  const row = rows.find(({ node }) => target !== null && node === readTarget(target).named) ?? rows[0];
  if (!row) return target ?? 'nothing';
  if (row.kind === 'turn') return row.detail === '' ? `a ${row.name}` : `the turn “${row.detail}”`;
  return row.detail === '' ? row.name : `${row.name} “${row.detail}”`;
}

export interface WaveCounts {
  /** Nodes that the CANCEL is to stop. */
  readonly toStop: number;
  readonly settled: number;
  /** The number of those that did not stop in time. */
  readonly late: number;
  readonly refused: number;
  readonly detached: number;
  readonly newer: number;
  /** From the acceptance to the last outcome, in milliseconds; null: not all have one. */
  readonly ms: number | null;
}

/** Counts the nodes of a wave. */
export function countsOf({ rows, settledAt, acceptedAt }: Wave): WaveCounts {
  const count = (is: (row: WaveRow) => boolean) => rows.filter(is).length;
  return {
    toStop: count(({ verdict }) => isToStop(verdict)),
    settled: count(({ verdict, settledAt: at }) => isToStop(verdict) && at !== null),
    late: count(({ outcome }) => outcome === 'abandoned'),
    refused: count(({ verdict }) => verdict === 'refused'),
    detached: count(({ verdict }) => verdict === 'detached'),
    newer: count(({ verdict }) => verdict === 'newer'),
    ms: settledAt === null ? null : settledAt - acceptedAt,
  };
}

/** Says what became of a CANCEL: `7 nodes in 48 ms; 1 refused`. */
export function waveResultText(wave: Wave): string {
  const { toStop, settled, late, refused, detached, newer, ms } = countsOf(wave);
  const main =
    ms === null
      ? `${settled} of ${countText(toStop, 'node')} so far`
      : `${countText(toStop, 'node')} in ${measuredText(ms)}`;
  const rest = [
    late > 0 && `${late} ${outcomeText('abandoned')}`,
    refused > 0 && `${refused} refused`,
    detached > 0 && `${detached} detached`,
    newer > 0 && `${newer} newer`,
  ].filter((part) => part !== false);
  return [main, ...rest].join('; ');
}

/** Returns when the last machine got the CANCEL, in milliseconds since the acceptance; null: not known. */
export function reachedMs({ rows, acceptedAt }: Wave): number | null {
  const times = rows.flatMap(({ cancelAt }) => (cancelAt === null ? [] : cancelAt - acceptedAt));
  return times.length === 0 ? null : Math.max(0, ...times);
}

/** Says how a node ended, in a few words. */
export function rowEndText(row: WaveRow): string {
  const { verdict, reason, owner, outcome, effect, forced } = row;
  if (verdict === 'refused') return refusedText(reason ?? 'not_allowed', owner);
  if (verdict === 'detached' || verdict === 'newer') return runsOnText(verdict);
  if (outcome === null) return verdict === 'pending' ? pendingText : 'stopping…';
  return endingText({ outcome, effect, forced });
}

/** Says how a node ended, in a word or two. */
export function rowEndLabel(row: WaveRow): string {
  const { verdict, owner, outcome, effect, forced } = row;
  if (verdict === 'refused') return owner === null ? 'runs on' : `runs on: ${owner}’s`;
  if (verdict === 'detached' || verdict === 'newer') return `runs on: ${verdict}`;
  if (outcome === null) return verdict === 'pending' ? 'in a shield' : 'stopping…';
  if (hasStopped(outcome) && effect === 'not_started') return 'not started';
  return forced && hasStopped(outcome) ? 'killed' : outcomeLabel(outcome);
}

/** Returns the name of a row with what distinguishes it from others. */
export const titleOfRow = ({ name, detail }: Pick<WaveRow, 'name' | 'detail'>): string =>
  detail === '' ? name : `${name} ${detail}`;

export interface RowNumbers {
  /** The name of the number. */
  readonly name: string;
  /** The number with its unit; empty: neither the records nor the log have it. */
  readonly text: string;
}

/** Returns the times of a row since the acceptance, and its budget, in the order of a stop. */
export function numbersOf(row: WaveRow, acceptedAt: number): readonly RowNumbers[] {
  const since = (at: number | null) => (at === null ? '' : at < acceptedAt ? 'before' : measuredText(at - acceptedAt));
  const { cutAt, cancelAt, abortedAt, settledAt, exitedAt, budgetMs, keptBudget } = row;
  const kept = keptBudget === null ? '' : keptBudget ? ', kept' : ', not kept';
  return [
    { name: 'Cut', text: since(cutAt) },
    { name: 'Machine got the CANCEL', text: since(cancelAt) },
    { name: 'Signal aborted', text: since(abortedAt) },
    { name: isToStop(row.verdict) ? 'Settled' : 'Ended', text: since(settledAt) },
    { name: 'Work seen ended', text: since(exitedAt) },
    { name: 'Budget', text: budgetMs === null ? kept.replace(', ', '') : `${measuredText(budgetMs)}${kept}` },
  ];
}
