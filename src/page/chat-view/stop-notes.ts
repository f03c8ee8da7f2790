// The sentences under a turn on the CANCELs that reached it or passed it by: who asked, and what became of that turn. One receipt may have stopped several
// turns, and have passed others by: each turn has the sentence that is true of it.
import { ruleOfCause } from '../../../machines/cause-rules.ts';
import { findNode, nameOf, ownerText, topmostRefusals } from '../../client/view/node-names.ts';
import type { NodeView, ReceiptView, SessionSnapshot, TextBlockView, TurnView } from '../../client/view/snapshot.ts';
import { readTarget } from '../../core/receipt/cancel-target.ts';
import { listedNodes } from '../../core/receipt/receipt.ts';
import {
  causeSubject,
  pendingText,
  receiptText,
  refusalText,
  refusedText,
  runsOnText,
  wasStopped,
} from '../../core/words/receipt-words.ts';

/** What one CANCEL means for a turn. */
export interface StopNote {
  /** Its receipt; null: it was refused as a whole, and has none. */
  readonly receipt: ReceiptView | null;
  /** What became of the turn, or of its calls. */
  readonly text: string;
  /** What of the turn runs on, and why. */
  readonly rest: readonly string[];
}

type Cancel = Pick<ReceiptView, 'source' | 'by' | 'refused'> & Partial<Pick<ReceiptView, 'reason'>>;

/** Returns what is said under a turn: the last stop that reached it, and a later one that was refused. `viewer`: the speaker who reads it. */
export function stopNotes(snapshot: SessionSnapshot, turn: TurnView, viewer: string | null): readonly StopNote[] {
  const { receipts, refusals } = snapshot;
  if (receipts.length === 0 && refusals.length === 0) return [];
  const nodes = nodesOf(snapshot, turn);
  const has = (id: string) => nodes.has(id);
  const stoppedAt = receipts.findLastIndex((receipt) => listedNodes(receipt).some(has));
  const passedAt = receipts.findLastIndex(({ refused }) => refused.some(({ node }) => has(node)));
  const refusal = refusals.findLast(({ refused }) => refused.some(({ node }) => has(node)));
  const refusedAt = refusal ? receipts.findIndex(({ cancel }) => cancel === refusal.after) : -1;
  const [stopped, passed] = [receipts[stoppedAt], receipts[passedAt]];
  const notes: StopNote[] = [];
  if (stopped) notes.push(stoppedNote(snapshot, turn, { receipt: stopped, nodes, viewer }));
  if (refusal && refusedAt >= Math.max(stoppedAt, passedAt))
    notes.push({ receipt: null, text: refusedNote(snapshot, refusal, { has, viewer }), rest: [] });
  else if (passed && passedAt > stoppedAt)
    notes.push({ receipt: passed, text: refusedNote(snapshot, passed, { has, viewer }), rest: [] });
  return notes;
}

/** Returns the turn with all below it, as far as the snapshot has it. Words that have opened a turn of their own are not below it any more. */
function nodesOf({ turns }: SessionSnapshot, turn: TurnView): ReadonlySet<string> {
  const nodes = new Set<string>();
  const add = ({ node, calls, inputs }: TurnView) => {
    nodes.add(node.id);
    for (const { id, fate } of inputs) if (fate !== 'queued') nodes.add(id);
    for (const call of calls) {
      nodes.add(call.node.id);
      const inner =
        call.node.kind === 'sub-agent' ? turns.find((each) => each.node.parent === call.node.id) : undefined;
      if (inner) add(inner);
    }
  };
  add(turn);
  return nodes;
}

// -- a stop that reached the turn

interface StoppedParts {
  readonly receipt: ReceiptView;
  readonly nodes: ReadonlySet<string>;
  readonly viewer: string | null;
}

function stoppedNote(
  snapshot: SessionSnapshot,
  { node }: TurnView,
  { receipt, nodes, viewer }: StoppedParts,
): StopNote {
  const has = (id: string) => nodes.has(id);
  const listed = listedNodes(receipt).filter(has);
  const settled = receipt.settled?.filter((each) => has(each.node)) ?? null;
  const hadEffect = settled === null || settled.some(({ outcome }) => wasStopped(outcome));
  const what = listed.includes(node.id) ? 'this' : calledText(snapshot, listed, receipt);
  const isPending = settled === null && listed.every((id) => receipt.pending.includes(id));
  const became = settled ? receiptText(settled) : isPending ? pendingText : stoppingText(listed.length);
  const goesOn = what !== 'this' && node.outcome === null ? ' The turn goes on.' : '';
  const refused = receipt.refused.filter((each) => has(each.node));
  const detached = receipt.detached.filter((id) => isFrom(snapshot, id, has));
  return {
    receipt,
    text: `${askerText(receipt, viewer)} ${hadEffect ? 'stopped' : 'wanted to stop'} ${what}${whyText(receipt)}: ${became}${settled || isPending ? '.' : ''}${goesOn}`,
    rest: [
      ...topmostRefusals(snapshot, refused).map(
        (each) =>
          `${titleOf(snapshot, each.node, viewer)} ${refusedText(each.reason, ownerText(snapshot, each.node, viewer))}`,
      ),
      ...detached.map((id) => `${nameOf(snapshot, id)} ${runsOnText('detached')}`),
    ],
  };
}

const stoppingText = (count: number) => `${count} ${count === 1 ? 'is' : 'are'} stopping…`;

/** Names what a CANCEL has stopped below a turn that it has not stopped. */
function calledText(snapshot: SessionSnapshot, listed: readonly string[], { target }: ReceiptView): string {
  if (readTarget(target).reach === 'tools') return 'the tools of this turn';
  const tops = listed.filter((id) => !listed.includes(findNode(snapshot, id)?.parent ?? ''));
  const [first] = tops;
  return tops.length === 1 && first !== undefined ? wordsOrName(snapshot, first) : `${tops.length} calls of this turn`;
}

/** Words that waited at a turn have no name. */
const wordsOrName = (snapshot: SessionSnapshot, id: string): string =>
  findNode(snapshot, id) ? nameOf(snapshot, id) : 'words to this turn';

/** Whether a detached agent comes from a turn of the nodes; one of which that is not known may. */
function isFrom({ turns }: SessionSnapshot, id: string, has: (id: string) => boolean): boolean {
  const from = turns.find(({ node }) => node.id === id)?.from ?? null;
  return from === null || has(from);
}

// -- a stop that passed the turn by

interface RefusedParts {
  readonly has: (id: string) => boolean;
  readonly viewer: string | null;
}

/** Returns what is said of a CANCEL that stopped nothing of a turn. */
function refusedNote(snapshot: SessionSnapshot, cancel: Cancel, { has, viewer }: RefusedParts): string {
  const [first] = topmostRefusals(
    snapshot,
    cancel.refused.filter(({ node }) => has(node)),
  );
  if (!first) return '';
  const node = findNode(snapshot, first.node);
  const what = node?.kind === 'turn' && node.parent === null ? 'this' : wordsOrName(snapshot, first.node);
  const why = refusalText(first.reason, ownerText(snapshot, first.node, viewer));
  const now = node?.outcome === null ? 'It runs on' : 'It was not stopped';
  return `${askerText(cancel, viewer)} wanted to stop ${what}${whyText(cancel)}. ${now}: ${why}.`;
}

/**
 * Says of words that were a stop phrase and have stopped nothing, what runs on and why: `Nothing was stopped: ann's turn runs on (it belongs to ann).` Null: they
 * were none. `words`: their turn or input.
 */
export function unstoppedText(snapshot: SessionSnapshot, words: string, viewer: string | null): string | null {
  const refusal = snapshot.refusals.findLast((each) => each.words === words);
  if (!refusal) return null;
  const all = topmostRefusals(snapshot, refusal.refused).map(({ node, reason }) => {
    const why = refusalText(reason, ownerText(snapshot, node, viewer));
    return `${titleOf(snapshot, node, viewer)} runs on (${why})`;
  });
  return `Nothing was stopped: ${all.join('; ')}.`;
}

/** Says why a text ends before it was complete; null: it does not, or there is none. */
export function cutOffText({ text, cutOff, isStopped }: TextBlockView): string | null {
  if (!cutOff || text === '') return null;
  return `The text ends here: ${isStopped ? 'it was stopped' : 'its model call has failed'}.`;
}

// -- names

/** Returns the words for who asked for a stop, at the beginning of a sentence. */
function askerText({ source, by }: Cancel, viewer: string | null): string {
  if (by === viewer && viewer !== null && ruleOfCause(source).isRequest) return 'You';
  // what takes the place of something is nobody's wish to stop it
  return causeSubject(source, source === 'superseded' ? null : by);
}

/** The reason in brackets; that of a supersession names ids. */
const whyText = ({ source, reason }: Cancel): string => (reason && source !== 'superseded' ? ` (${reason})` : '');

function titleOf(snapshot: SessionSnapshot, id: string, viewer: string | null): string {
  const node: NodeView | null = findNode(snapshot, id);
  if (!node) return 'words that wait';
  if (node.kind !== 'turn' || node.parent !== null || node.name !== null) return nameOf(snapshot, id);
  return node.owner === viewer ? 'your turn' : `${node.owner}'s turn`;
}
