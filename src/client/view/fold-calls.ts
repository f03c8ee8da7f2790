// Folds the frames of tool calls and sub-agents into a snapshot.
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import { findNode } from './node-names.ts';
import { type CallResult, type NodeView, newNode, type SessionSnapshot } from './snapshot.ts';
import { addCall, changeCall, changeNode, endNode } from './turn-changes.ts';

/** Folds `tool_call`. */
export function openCall(snapshot: SessionSnapshot, frame: ServerFrameOf<'tool_call'>): SessionSnapshot {
  const { node: id, kind, name, owner, turn: parent, at: since = 0, index } = frame;
  const waitsFor = findNode(snapshot, id)?.waitsFor ?? null; // from a JOIN
  const node: NodeView = { ...newNode, id, kind, name, owner, parent, since, waitsFor };
  return addCall(snapshot, node, { index, arguments: frame.arguments });
}

/** Folds `tool_started`. */
export function startCall(snapshot: SessionSnapshot, frame: ServerFrameOf<'tool_started'>): SessionSnapshot {
  const { node, at: startedAt } = frame;
  const times = startedAt === undefined ? {} : { since: startedAt, startedAt };
  return changeNode(snapshot, node, { state: 'running', waitsFor: null, ...times });
}

/** Folds `tool_waiting`. */
export function waitForCall(snapshot: SessionSnapshot, frame: ServerFrameOf<'tool_waiting'>): SessionSnapshot {
  const known = findNode(snapshot, frame.node);
  return known ? changeNode(snapshot, frame.node, waitingFields(known.state, frame.waitsFor)) : snapshot;
}

/** The fields of a node that waits for another call. `state`: the node's; one that is being stopped stays so. */
export function waitingFields(
  state: NodeView['state'],
  { node, name, owner, session }: ServerFrameOf<'tool_waiting'>['waitsFor'],
): Pick<NodeView, 'state' | 'waitsFor'> {
  return { state: state === 'running' ? 'waiting' : state, waitsFor: { node, name, owner, session: session ?? null } };
}

/** Folds `tool_output`; the last `limit` characters are kept. */
export function addOutput(
  snapshot: SessionSnapshot,
  { node, text }: ServerFrameOf<'tool_output'>,
  limit: number,
): SessionSnapshot {
  return changeCall(snapshot, node, (call) => ({ ...call, output: (call.output + text).slice(-limit) }));
}

/** Folds `tool_result`. A call with the outcome `continues` runs on, and has its own outcome later. */
export function endCall(snapshot: SessionSnapshot, frame: ServerFrameOf<'tool_result'>): SessionSnapshot {
  const { node, outcome, effect, code = null, message = null, output = null, parts = [], ms = null } = frame;
  const result: CallResult = { outcome, effect, code, message, output, parts, ms };
  return endNode(
    changeCall(snapshot, node, (call) => ({ ...call, result })),
    frame,
  );
}

/** Folds `late_result`: the outcome of a call that its turn had left running. */
export function endLateCall(snapshot: SessionSnapshot, frame: ServerFrameOf<'late_result'>): SessionSnapshot {
  const { node, outcome, effect, code = null, output = null } = frame;
  const lateResult: CallResult = { outcome, effect, code, message: null, output, parts: [], ms: null };
  return endNode(
    changeCall(snapshot, node, (call) => ({ ...call, lateResult })),
    frame,
  );
}
