// Changes of the turns of a snapshot, with their blocks and calls. Each returns new values; what it does not change keeps its identity.
import { type DatedFact, readEnd } from '../../core/receipt/receipt.ts';
import type { TextDelta } from '../../wire/server-frames.ts';
import { putNode, replaceNode } from './live-tree.ts';
import { findNode } from './node-names.ts';
import type { CallView, NodeView, SessionSnapshot, TextBlockView, TurnView } from './snapshot.ts';

/** Adds a turn as the last one. A turn that is known already, from a JOIN, keeps its blocks and calls. */
export function addTurn(
  snapshot: SessionSnapshot,
  node: NodeView,
  input: Pick<TurnView, 'kind' | 'acknowledges' | 'from' | 'resumes' | 'text' | 'parts' | 'ref' | 'seq'>,
): SessionSnapshot {
  const known = snapshot.turns.find((turn) => turn.node.id === node.id);
  const before = known ?? {
    blocks: [],
    calls: [],
    lastSeq: snapshot.seq,
    inputs: [],
    speech: null,
    code: null,
    message: null,
    finish: null,
    usage: null,
    endedAt: null,
    ms: null,
    resumedBy: null,
    isResumable: false,
  };
  const turns = known ? snapshot.turns.filter((turn) => turn !== known) : snapshot.turns;
  return { ...snapshot, turns: [...turns, { ...before, node, ...input }], nodes: putNode(snapshot.nodes, node) };
}

/** Adds a call to the turn that is its parent. */
export function addCall(
  snapshot: SessionSnapshot,
  node: NodeView,
  request: Pick<CallView, 'index' | 'arguments'>,
): SessionSnapshot {
  if (!snapshot.turns.some((turn) => turn.node.id === node.parent)) return snapshot;
  const nodes = putNode(snapshot.nodes, node);
  return changeTurn({ ...snapshot, nodes }, node.parent, (turn) => {
    const known = turn.calls.findIndex((call) => call.node.id === node.id);
    const before = turn.calls[known] ?? { output: '', result: null, lateResult: null };
    const call = { ...before, node, ...request };
    return { ...turn, calls: known === -1 ? [...turn.calls, call] : turn.calls.with(known, call) };
  });
}

/** Changes a turn; the same snapshot if it does not hold it. */
export function changeTurn(
  snapshot: SessionSnapshot,
  id: string | null,
  change: (turn: TurnView) => TurnView,
): SessionSnapshot {
  const at = snapshot.turns.findLastIndex(({ node }) => node.id === id);
  const turn = snapshot.turns[at];
  if (!turn) return snapshot;
  const changed = change(turn);
  if (changed === turn) return snapshot;
  return { ...snapshot, turns: snapshot.turns.with(at, { ...changed, lastSeq: snapshot.seq }) };
}

/** Changes a call; the same snapshot if it does not hold it. */
export function changeCall(
  snapshot: SessionSnapshot,
  id: string,
  change: (call: CallView) => CallView,
): SessionSnapshot {
  const owner = snapshot.turns.findLast(({ calls }) => calls.some(({ node }) => node.id === id));
  if (!owner) return snapshot;
  return changeTurn(snapshot, owner.node.id, (turn) => {
    const calls = turn.calls.map((call) => (call.node.id === id ? change(call) : call));
    return { ...turn, calls };
  });
}

/** Changes a node where it stands: in its turn or call, and in the live tree. */
export function changeNode(snapshot: SessionSnapshot, id: string, fields: Partial<NodeView>): SessionSnapshot {
  const known = findNode(snapshot, id);
  if (!known) return snapshot;
  const node: NodeView = { ...known, ...fields };
  if (node.kind === 'speech')
    return {
      ...snapshot,
      turns: snapshot.turns.map((turn) => (turn.speech?.id === id ? { ...turn, speech: node } : turn)),
    };
  const changed =
    node.kind === 'turn'
      ? changeTurn(snapshot, id, (turn) => ({ ...turn, node }))
      : changeCall(snapshot, id, (call) => ({ ...call, node }));
  return { ...changed, nodes: replaceNode(changed.nodes, node) };
}

/** Gives a node the end that a fact records; the same snapshot if it records none: a call that runs on has its own later. */
export function endNode(snapshot: SessionSnapshot, fact: DatedFact): SessionSnapshot {
  const end = readEnd(fact);
  if (!end) return snapshot;
  const { node, outcome, effect } = end;
  const state = outcome === 'abandoned' ? 'abandoned' : 'settled';
  return changeNode(snapshot, node, { state, waitsFor: null, outcome, effect });
}

/** Replaces a block of a turn, or adds it as the last one. */
export function putBlock(snapshot: SessionSnapshot, turn: string, block: TextBlockView): SessionSnapshot {
  return changeTurn(snapshot, turn, (before) => {
    const at = before.blocks.findIndex(({ index }) => index === block.index);
    return { ...before, blocks: at === -1 ? [...before.blocks, block] : before.blocks.with(at, block) };
  });
}

/** Appends the part of a piece that its block does not hold. A piece that leaves a gap waits for the end of the block, which has the whole text. */
export function appendText(snapshot: SessionSnapshot, { turn, index, offset, text }: TextDelta): SessionSnapshot {
  const before = blockOf(snapshot, turn, index) ?? openBlock(index);
  const held = before.text.length;
  if (before.state === 'closed' || offset > held || offset + text.length <= held) return snapshot;
  return putBlock(snapshot, turn, { ...before, text: before.text + text.slice(held - offset) });
}

/** Replaces the text of a block from `offset` on. */
export function replaceText(snapshot: SessionSnapshot, { turn, index, offset, text }: TextDelta): SessionSnapshot {
  const before = blockOf(snapshot, turn, index) ?? openBlock(index);
  return putBlock(snapshot, turn, { ...before, text: before.text.slice(0, offset) + text });
}

/** Returns a block of text of a turn; null if the snapshot does not hold it. */
export function blockOf({ turns }: SessionSnapshot, turn: string, index: number): TextBlockView | null {
  const { blocks = [] } = turns.findLast(({ node }) => node.id === turn) ?? {};
  return blocks.find((block) => block.index === index) ?? null;
}

/** A block without text. */
export const openBlock = (index: number): TextBlockView => ({
  index,
  text: '',
  reasoning: '',
  inputs: [],
  state: 'streaming',
  cutOff: false,
});

/** Drops the oldest root turns that are over, each with the turns of its sub-agents, until at most `limit` turns are left. They can be read again. */
export function dropOldTurns(snapshot: SessionSnapshot, limit: number): SessionSnapshot {
  let { turns, earlierBefore } = snapshot;
  while (turns.length > limit) {
    const oldest = turns.find(({ node }) => node.parent === null && isOver(snapshot, node));
    if (!oldest) break;
    const dropped = new Set<string>();
    turns = turns.filter(({ node, calls, lastSeq }) => {
      const isKept = node !== oldest.node && (node.parent === null || !dropped.has(node.parent));
      if (!isKept) {
        for (const call of calls) dropped.add(call.node.id);
        earlierBefore = Math.max(earlierBefore ?? 0, lastSeq + 1);
      }
      return isKept;
    });
  }
  return turns === snapshot.turns ? snapshot : { ...snapshot, turns, earlierBefore };
}

const isOver = ({ nodes }: SessionSnapshot, node: NodeView) =>
  node.state === 'settled' && !nodes.some(({ id }) => id === node.id);
