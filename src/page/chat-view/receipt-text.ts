// The receipt of a CANCEL in one sentence: who has stopped what, and what became of it.
import { durationText } from '../../client/view/durations.ts';
import { isStopped } from '../../client/view/node-status.ts';
import type { ReceiptView } from '../../client/view/snapshot.ts';

/** Who or what has caused a stop that no speaker has asked for. */
const sourceTexts: Readonly<Record<ReceiptView['source'], string>> = {
  client: 'A client',
  phrase: 'A stop phrase',
  http: 'A request over HTTP',
  disconnect: 'The lost connection of its owner',
  deadline: 'A time limit',
  superseded: 'Something newer in its place',
  shutdown: 'The shutdown of the gateway',
  crash: 'A crash of the gateway',
};

/** Returns the sentence. `reader`: the speaker who reads it. */
export function receiptText(receipt: ReceiptView, reader: string | null): string {
  const { by, source, reason, settled, stopping, pending } = receipt;
  // what takes the place of something is nobody's wish to stop it, and its reason names ids
  const isReplaced = source === 'superseded';
  const who = by === null || isReplaced ? sourceTexts[source] : by === reader ? 'You' : by;
  const why = reason && !isReplaced ? ` (${reason})` : '';
  const count = stopping.length + pending.length;
  if (!settled) return `${who} stopped this${why}: ${count} ${count === 1 ? 'is' : 'are'} stopping…`;
  return `${who} stopped this${why}: ${settledText(settled)}.`;
}

function settledText(settled: NonNullable<ReceiptView['settled']>): string {
  const stopped = settled.filter(({ outcome }) => isStopped(outcome) && outcome !== 'abandoned');
  const left = settled.filter(({ outcome }) => outcome === 'abandoned').length;
  const rest = left === 0 ? [] : [`${left} did not stop in time`];
  if (stopped.length === 0) return rest[0] ?? 'it had ended before that';
  const longest = Math.max(...stopped.map(({ ms }) => ms));
  const all = settled.length === 1 ? '' : `all ${settled.length} `;
  const count = stopped.length === settled.length ? all : `${stopped.length} of ${settled.length} `;
  return [`${count}stopped in ${durationText(longest)}`, ...rest].join('; ');
}
