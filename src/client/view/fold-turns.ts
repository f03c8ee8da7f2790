// Folds the frames of turns and their text into a snapshot.
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import { findNode, msBetweenTimes } from './node-names.ts';
import { type NodeView, newNode, type SessionSnapshot } from './snapshot.ts';
import { addSpeaker } from './speakers.ts';
import { addTurn, appendText, blockOf, changeNode, changeTurn, endNode, openBlock, putBlock } from './turn-changes.ts';

/** Folds `turn_opened`. */
export function openTurn(snapshot: SessionSnapshot, frame: ServerFrameOf<'turn_opened'>): SessionSnapshot {
  if (frame.repeated) return snapshot;
  const { turn: id, owner, agent: name = null, at: since = 0, kind, text, parts = [], ref } = frame;
  const acknowledges = frame.cancel ?? null;
  const node: NodeView = { ...newNode, id, kind: 'turn', name, owner, parent: null, since };
  const { resumes = null, from = null, seq = null } = frame;
  const added = addTurn(snapshot, node, { kind, acknowledges, from, resumes, text, parts, ref, seq });
  const marked = changeTurn(added, resumes, (turn) => ({ ...turn, resumedBy: id, isResumable: false }));
  return addSpeaker(marked, owner);
}

/** Folds `turn_started`. */
export function startTurn(snapshot: SessionSnapshot, frame: ServerFrameOf<'turn_started'>): SessionSnapshot {
  const { turn: id, owner, parent, agent, at: since = 0, text = null, seq = null } = frame;
  const started = { state: 'running', since, startedAt: frame.at ?? null } as const;
  if (parent === null) return changeNode(snapshot, id, started);
  if (findNode(snapshot, parent) === null) return snapshot; // of a turn that was opened before the first one here
  // from now on a sub-agent has its agent's name, instead of the name of the tool that called it
  const named = agent === undefined ? snapshot : changeNode(snapshot, parent, { name: agent });
  const node: NodeView = { ...newNode, id, kind: 'turn', name: agent ?? null, owner, parent, ...started };
  return addTurn(named, node, {
    kind: 'agent',
    acknowledges: null,
    from: null,
    resumes: null,
    text,
    parts: [],
    ref: null,
    seq,
  });
}

/** Folds `turn_ended`. */
export function endTurn(snapshot: SessionSnapshot, frame: ServerFrameOf<'turn_ended'>): SessionSnapshot {
  const { turn: id, outcome, code = null, message = null, finish = null, usage, at: endedAt = null, ms } = frame;
  const ended = changeTurn(snapshot, id, (turn) => ({
    ...turn,
    blocks: turn.blocks.map((block) =>
      block.state === 'closed' ? block : { ...block, state: 'closed' as const, cutOff: true },
    ),
    code,
    message,
    finish,
    usage,
    endedAt,
    ms: ms ?? msBetweenTimes(turn.node.startedAt, endedAt), // older logs have times alone
    isResumable: turn.kind === 'say' && outcome !== 'completed' && turn.resumedBy === null,
  }));
  return endNode(ended, frame);
}

/** Folds `model_started`. */
export function startText(
  snapshot: SessionSnapshot,
  { turn, index, model }: ServerFrameOf<'model_started'>,
): SessionSnapshot {
  const named = model === undefined ? {} : { model };
  return putBlock(snapshot, turn, { ...(blockOf(snapshot, turn, index) ?? openBlock(index)), ...named });
}

/** Folds `text_delta`. Text of a turn that is being stopped comes too late. */
export function addText(snapshot: SessionSnapshot, frame: ServerFrameOf<'text_delta'>): SessionSnapshot {
  return findNode(snapshot, frame.turn)?.state === 'stopping' ? snapshot : appendText(snapshot, frame);
}

/** Folds `model_ended`. */
export function foldModelEnd(snapshot: SessionSnapshot, frame: ServerFrameOf<'model_ended'>): SessionSnapshot {
  const { turn, index, text, cutOff, outcome, usage } = frame;
  const { reasoning, heard, model } = blockOf(snapshot, turn, index) ?? openBlock(index);
  const partly = heard === undefined ? {} : { heard };
  const stopped = cutOff && outcome !== 'failed' ? ({ isStopped: true } as const) : {};
  const named = model === undefined ? {} : { model };
  const ended = { index, text, reasoning, ...named, inputs: [], state: 'closed', cutOff, usage } as const;
  return putBlock(snapshot, turn, { ...ended, ...stopped, ...partly });
}

const maxReasoningChars = 16_384;

/** Folds `reasoning_delta`. */
export function addReasoning(snapshot: SessionSnapshot, frame: ServerFrameOf<'reasoning_delta'>): SessionSnapshot {
  const { turn, index, text } = frame;
  const block = blockOf(snapshot, turn, index);
  if (block?.state !== 'streaming') return snapshot;
  return putBlock(snapshot, turn, { ...block, reasoning: (block.reasoning + text).slice(-maxReasoningChars) });
}

/** Folds `tool_input_delta`. A place that leaves a gap is ignored: the start of the calls before it was missed. */
export function addCallInput(snapshot: SessionSnapshot, frame: ServerFrameOf<'tool_input_delta'>): SessionSnapshot {
  const { turn, index, position, name, text } = frame;
  const block = blockOf(snapshot, turn, index);
  if (block?.state !== 'streaming' || position > block.inputs.length) return snapshot;
  const before = block.inputs[position] ?? { name: '', text: '' };
  const inputs = [...block.inputs];
  inputs[position] = { name: name || before.name, text: before.text + text };
  return putBlock(snapshot, turn, { ...block, inputs });
}
