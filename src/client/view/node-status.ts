// The status of a node in words. It comes from facts and receipts alone: what was only asked for is no status.
import {
  endingText,
  outcomeText,
  pendingText,
  ranOn,
  refusedText,
  runsOnText,
} from '../../core/words/receipt-words.ts';
import { ownerText } from './node-names.ts';
import type { NodeView, ReceiptView, SessionSnapshot } from './snapshot.ts';

/** `active`: it runs. `waiting`: it has not started, or asks. `stopping`: a CANCEL of it was accepted. The rest: it is over, or out of reach. */
export type StatusTone = 'active' | 'waiting' | 'stopping' | 'runs-on' | 'done' | 'stopped' | 'failed';

/** A character for each tone, beside the words. */
export const statusMarks: Readonly<Record<StatusTone, string>> = {
  active: '●',
  waiting: '○',
  stopping: '◐',
  'runs-on': '●',
  done: '✓',
  stopped: '■',
  failed: '✕',
};

export interface NodeStatus {
  readonly tone: StatusTone;
  readonly text: string;
}

type Outcome = NonNullable<NodeView['outcome']>;

/** The tone of what has ended. */
export const outcomeTones: Readonly<Record<Outcome, StatusTone>> = {
  completed: 'done',
  cancelled: 'stopped',
  timed_out: 'stopped',
  superseded: 'stopped',
  failed: 'failed',
  denied: 'failed',
  abandoned: 'stopped',
  continues: 'runs-on',
};

/** Returns the status of a node. `viewer`: the speaker who reads it. Without a connection nobody knows what has become of what ran. */
export function statusOf(snapshot: SessionSnapshot, node: NodeView, viewer: string | null): NodeStatus {
  const { outcome } = node;
  if (outcome !== null) return endedStatus({ ...node, outcome }, snapshot.receipts);
  const status = liveStatus(snapshot, node, viewer);
  return isFollowed(snapshot) ? status : { tone: 'waiting', text: `last seen: ${status.text}` };
}

/** Whether frames of the session arrive: what it shows of what runs is then so. */
export const isFollowed = ({ state }: Pick<SessionSnapshot, 'state'>): boolean => state === 'joined';

function liveStatus(snapshot: SessionSnapshot, node: NodeView, viewer: string | null): NodeStatus {
  if (node.state === 'stopping') return { tone: 'stopping', text: 'stopping…' };
  if (node.state === 'pending') return { tone: 'stopping', text: pendingText };
  const question = snapshot.questions.find((each) => each.node === node.id);
  if (question) return { tone: 'waiting', text: question.to === viewer ? 'asks you' : `asks ${question.to}` };
  const refusal = refusalOf(snapshot, node, viewer);
  if (refusal !== null) return { tone: 'runs-on', text: refusal };
  if (node.waitsFor) {
    const { name, owner, session } = node.waitsFor;
    const whose = owner === viewer ? 'your' : `${owner}'s`;
    return { tone: 'waiting', text: `waits for ${whose} ${name ?? 'call'}${session === null ? '' : ` in ${session}`}` };
  }
  if (node.state === 'waiting') return { tone: 'waiting', text: waitingText(snapshot, node) };
  return { tone: 'active', text: 'running' };
}

/** Why a node has not started: a turn waits in its lane, perhaps for the end of a stop. */
function waitingText({ receipts }: SessionSnapshot, { id, kind }: NodeView): string {
  if (kind !== 'turn') return 'about to start';
  const isAfterStop = receipts.some(
    ({ queue, settled }) => !settled && queue.some(({ input, fate }) => input === id && fate === 'queued'),
  );
  return isAfterStop ? 'queued: it starts when the stop has settled' : 'queued';
}

type EndedNode = NodeView & { readonly outcome: Outcome };

function endedStatus({ id, outcome, effect, state }: EndedNode, receipts: readonly ReceiptView[]): NodeStatus {
  const tone = outcomeTones[outcome];
  if (tone === 'stopped' && ranOn(outcome) && state === 'settled')
    return { tone, text: `${outcomeText(outcome)}; ended since` };
  const settled = receipts.flatMap((receipt) => receipt.settled ?? []).findLast(({ node }) => node === id);
  return { tone, text: endingText({ ...(tone === 'stopped' && settled), outcome, effect, ms: undefined }) };
}

/** Says that a CANCEL has passed a node by, and why; null: none has. */
function refusalOf(snapshot: SessionSnapshot, node: NodeView, viewer: string | null): string | null {
  const { receipts, refusals } = snapshot;
  for (const cancel of [...receipts, ...refusals].toReversed()) {
    const refusal = cancel.refused.find((each) => each.node === node.id);
    if (refusal) return refusedText(refusal.reason, ownerText(snapshot, node.id, viewer));
    if ('detached' in cancel && cancel.detached.includes(node.id)) return runsOnText('detached');
  }
  return null;
}
