// Folds a frame of a session into a snapshot: (snapshot, frame) -> snapshot. Pure.
//
// 1. A fact counts once: one that is not newer than the last one changes nothing.
// 2. A frame that changes nothing returns the same snapshot.
import type { LiveNode, ServerFrame, ServerFrameOf } from '../../wire/server-frames.ts';
import { addOutput, endCall, endLateCall, openCall, startCall, waitForCall, waitingFields } from './fold-calls.ts';
import { deferInput, newInput, putInput, settleInput } from './fold-inputs.ts';
import { foldRoom, isRoomFrame } from './fold-room.ts';
import { foldSpeech, isSpeechFrame } from './fold-speech.ts';
import {
  addCallInput,
  addReasoning,
  addText,
  endTurn,
  foldModelEnd,
  openTurn,
  startText,
  startTurn,
} from './fold-turns.ts';
import { findNode } from './node-names.ts';
import { closeQuestion, openQuestion, questionOf } from './questions.ts';
import { acceptReceipt, acknowledgeReceipt, addRefusal, foldCancelSettled } from './receipts.ts';
import { emptySnapshot, type NodeView, newNode, type SessionSnapshot, type TurnView } from './snapshot.ts';
import { addSpeaker } from './speakers.ts';
import { addCall, addTurn, changeCall, changeNode, dropOldTurns, replaceText } from './turn-changes.ts';

export interface ViewLimits {
  /** Turns that are kept, those of sub-agents included. The oldest settled ones are dropped; a turn that runs is always kept. Default: 500. */
  readonly turns: number;
  /** Characters of live output that are kept of each call. Default: 16 384. */
  readonly outputChars: number;
  /** Receipts that are kept. Default: 200. */
  readonly receipts: number;
}

export const defaultViewLimits: ViewLimits = { turns: 500, outputChars: 16_384, receipts: 200 };

/** Returns the snapshot after the frame. */
export function foldFrame(snapshot: SessionSnapshot, frame: ServerFrame, limits: ViewLimits): SessionSnapshot {
  if (frame.type === 'joined') return foldJoined(snapshot, frame);
  const seq = 'seq' in frame ? frame.seq : undefined;
  if (seq === undefined) return fold(snapshot, frame, limits);
  if (seq <= snapshot.seq) return snapshot;
  return fold({ ...snapshot, seq, logEnd: Math.max(seq, snapshot.logEnd) }, frame, limits);
}

function fold(snapshot: SessionSnapshot, frame: ServerFrame, limits: ViewLimits): SessionSnapshot {
  if (isRoomFrame(frame)) return foldRoom(snapshot, frame);
  if (isSpeechFrame(frame)) return foldSpeech(snapshot, frame);
  switch (frame.type) {
    case 'left':
      return frame.reason === undefined ? snapshot : { ...snapshot, endReason: frame.reason };
    case 'turn_opened':
      return dropOldTurns(openTurn(snapshot, frame), limits.turns);
    case 'turn_started':
      return dropOldTurns(startTurn(snapshot, frame), limits.turns);
    case 'input_deferred':
      return deferInput(snapshot, frame);
    case 'input_settled':
      return settleInput(snapshot, frame);
    case 'turn_ended':
      return dropOldTurns(endTurn(snapshot, frame), limits.turns);
    case 'model_started':
      return startText(snapshot, frame);
    case 'text_delta':
      return addText(snapshot, frame);
    case 'reasoning_delta':
      return addReasoning(snapshot, frame);
    case 'tool_input_delta':
      return addCallInput(snapshot, frame);
    case 'model_ended':
      return foldModelEnd(snapshot, frame);
    case 'tool_call':
      return openCall(snapshot, frame);
    case 'tool_changed':
      return changeCall(snapshot, frame.node, (call) => ({ ...call, arguments: frame.arguments }));
    case 'tool_started':
      return startCall(snapshot, frame);
    case 'tool_waiting':
      return waitForCall(snapshot, frame);
    case 'tool_output':
      return addOutput(snapshot, frame, limits.outputChars);
    case 'tool_result':
      return endCall(snapshot, frame);
    case 'late_result':
      return endLateCall(snapshot, frame);
    case 'abandoned_ended':
      return changeNode(snapshot, frame.node, { state: 'settled' });
    case 'approval_requested':
    case 'question_asked':
      return { ...snapshot, questions: openQuestion(snapshot.questions, frame) };
    case 'approval_closed':
    case 'question_closed':
      return addSpeaker({ ...snapshot, questions: closeQuestion(snapshot.questions, frame.node) }, frame.by);
    case 'cancel_accepted':
      return acceptCancel(snapshot, frame, limits);
    case 'cancel_refused':
      return addSpeaker({ ...snapshot, refusals: addRefusal(snapshot, frame, limits.receipts) }, frame.by);
    case 'session_opened':
      return { ...snapshot, forkedFrom: frame.forked ?? null };
    case 'cancel_settled':
      return { ...snapshot, receipts: foldCancelSettled(snapshot.receipts, frame) };
    case 'acknowledged':
    case 'reaction':
    case 'earcon':
      return { ...snapshot, receipts: acknowledgeReceipt(snapshot.receipts, frame) };
    case 'session_renamed':
      return { ...snapshot, title: frame.title };
    case 'tool_timeout_set':
      return { ...snapshot, toolTimeouts: setToolTimeout(snapshot.toolTimeouts, frame) };
    default:
      frame satisfies UnfoldedFrame;
      return snapshot;
  }
}

/** The frames that `fold` leaves without effect. `joined` is among them, as `foldFrame` handles it. So are, at run time, the frames of later versions. */
type UnfoldedFrame = ServerFrameOf<
  | 'welcome'
  | 'pong'
  | 'error'
  | 'joined'
  | 'replayed'
  | 'session_recovered'
  | 'member_invited'
  | 'member_removed'
  | 'stop_delegated'
  | 'imported'
  | 'say_refused'
  | 'answer_refused'
  | 'stop_phrase'
  | 'already_settled'
  | 'unknown_target'
  | 'speaker'
  | 'read'
  | 'invite_link'
  | 'forked'
  | 'played'
  | 'barge_in'
  | 'call_reported'
  | 'call_settled'
  | 'stop_call'
  | 'speech_stop'
  | 'speech_resume'
  | 'speech_wait'
  | 'speech_start'
  | 'stop_sound'
  | 'transcript_ignored'
  | 'model_waiting'
  | 'tool_progress'
  | 'tool_timeout'
  | 'history_compacted'
>;

// -- joining

/**
 * Applies `joined` to the snapshot. A log that ends before a fact that the snapshot has is another log: the snapshot is emptied first. So it is where the last turns
 * follow: they come with all that they need.
 */
function foldJoined(before: SessionSnapshot, frame: ServerFrameOf<'joined'>): SessionSnapshot {
  const { kind, policy, models = [], toolTimeouts = {}, title = null, seq: logEnd, tail, room = null } = frame;
  const isAnew = tail !== undefined || logEnd < before.logEnd;
  const earlierBefore = tail && tail.start > 1 ? tail.start : null;
  const held = isAnew ? { ...emptySnapshot, state: before.state, earlierBefore } : before;
  const questions = frame.questions.map(questionOf);
  const joined: SessionSnapshot = {
    ...held,
    endReason: null,
    kind,
    policy,
    models,
    toolTimeouts,
    title,
    logEnd,
    questions,
    room,
  };
  const withNodes = frame.nodes.reduce(putLiveNode, joined);
  return frame.blocks.reduce(replaceText, withNodes);
}

function putLiveNode(snapshot: SessionSnapshot, frame: LiveNode): SessionSnapshot {
  const { node: id, kind, name, owner, parent, state, since, waitsFor, acknowledges = null } = frame;
  const held = findNode(snapshot, id);
  const waiting = waitsFor ? waitingFields(held?.state ?? state, waitsFor) : { waitsFor: null };
  // the replay continues with the facts after those that the node was folded from; no fact says what it waits for
  if (held) return waitsFor || held.waitsFor ? changeNode(snapshot, id, waiting) : snapshot;
  if (kind === 'speech') return snapshot; // its fact says which turn it is of
  if (kind === 'input') return addSpeaker(putInput(snapshot, parent, { ...newInput, id, owner }), owner);
  const node: NodeView = { ...newNode, id, kind, name, owner, parent, state, since, ...waiting };
  const known = addSpeaker(snapshot, owner);
  return kind === 'turn'
    ? addTurn(known, node, {
        kind: turnKindOf(frame),
        acknowledges,
        from: null,
        resumes: null,
        text: null,
        parts: [],
        ref: null,
        seq: null,
      })
    : addCall(known, node, { index: null, arguments: null });
}

/** Returns the kind of a turn that runs; one with a name is an agent's. */
function turnKindOf({ name, acknowledges }: LiveNode): TurnView['kind'] {
  if (acknowledges !== undefined) return 'acknowledgement';
  return name === null ? 'say' : 'agent';
}

// -- cancels

function acceptCancel(
  snapshot: SessionSnapshot,
  frame: ServerFrameOf<'cancel_accepted'>,
  limits: ViewLimits,
): SessionSnapshot {
  const receipts = acceptReceipt(snapshot.receipts, frame, limits.receipts);
  if (receipts === snapshot.receipts) return snapshot;
  const held = addSpeaker({ ...snapshot, receipts }, frame.by);
  const stopping = frame.stopping.reduce(markNode('stopping'), held);
  return frame.pending.reduce(markNode('pending'), stopping);
}

/** Returns a reducer that sets the state of a node; one that has settled meanwhile stays settled. */
const markNode = (state: 'stopping' | 'pending') => (snapshot: SessionSnapshot, id: string) =>
  findNode(snapshot, id)?.state === 'settled'
    ? snapshot
    : changeNode(snapshot, id, state === 'stopping' ? { state, waitsFor: null } : { state });

function setToolTimeout(
  before: SessionSnapshot['toolTimeouts'],
  { tool, ms }: ServerFrameOf<'tool_timeout_set'>,
): SessionSnapshot['toolTimeouts'] {
  const { [tool]: _, ...others } = before;
  return ms === null ? others : { ...others, [tool]: ms };
}
