// The data of an awake session that is sent to clients but never recorded: streamed text, live output, entries of the live tree.
import type { NodeId, NodeKind, SpeakerId } from './vocabulary.ts';

/** A piece of a text block. If it does not start where the previous piece ended, text was repeated or lost. */
export interface TextDelta {
  readonly turn: NodeId;
  readonly index: number;
  /** The position of `text` in its block, in UTF-16 code units. */
  readonly offset: number;
  readonly text: string;
}

/** A piece of a model's reasoning. It is shown while it arrives: no frame and no fact repeats it. */
export interface ReasoningDelta {
  readonly type: 'reasoning_delta';
  readonly turn: NodeId;
  readonly index: number;
  readonly text: string;
}

/** A piece of the arguments of a call that is still arriving. The fact `tool_call` has all of them. */
export interface ToolInputDelta {
  readonly type: 'tool_input_delta';
  readonly turn: NodeId;
  readonly index: number;
  /** The place of the call in its response, from 0. */
  readonly position: number;
  /** The name of the tool; empty while it is not known. */
  readonly name: string;
  /** Where `text` begins in the arguments, in UTF-16 code units: what was left out, or missed, leaves a gap. */
  readonly offset: number;
  readonly text: string;
}

/** A model call waits for its endpoint, which has sent nothing for some time. */
export interface ModelWaiting {
  readonly type: 'model_waiting';
  readonly turn: NodeId;
  readonly index: number;
  /** The time since the start of the call, or since the last that the model has sent, in milliseconds. */
  readonly elapsedMs: number;
}

/** What a model call publishes beside its text. */
export type ModelPreview = ReasoningDelta | ToolInputDelta | ModelWaiting;

/** A piece of a call's live output. */
export interface OutputDelta {
  readonly node: NodeId;
  readonly text: string;
}

/** A call is still running. */
export interface ToolProgress {
  readonly node: NodeId;
  /** The name of the tool or the agent. Left out by gateways of earlier versions. */
  readonly name?: string;
  /** The time since the call started to run, in milliseconds. */
  readonly elapsedMs: number;
}

/** The call that another one waits for. */
export interface AwaitedCall {
  readonly node: NodeId;
  /** The name of the tool. */
  readonly name: string | null;
  readonly owner: SpeakerId;
  /** Its session, where it is another one. */
  readonly session?: string;
}

/** A call waits until another one has ended. */
export interface ToolWaiting {
  readonly node: NodeId;
  readonly waitsFor: AwaitedCall;
  /** The time since the call started to wait, in milliseconds. */
  readonly elapsedMs: number;
}

/** An entry of the live tree. */
export interface LiveNode {
  readonly node: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  /** The name of the tool or the agent; the turn of an agent has it, too. Null for a turn that a speaker opened. */
  readonly name: string | null;
  /** `stopping`: a cancel was accepted. `settled`: the outcome is reported, but work that could not be stopped may still run. */
  readonly state: 'running' | 'stopping' | 'settled';
  /** When the node entered the live tree, in milliseconds since 1970. */
  readonly since: number;
  /** How long it has run, in milliseconds, by a clock that does not step; left out: it has not started. */
  readonly ageMs?: number;
  /** How much of that it has waited for people or other calls, which counts in no timeout; left out: nothing. */
  readonly waitedMs?: number;
  /** The id of the receipt that an acknowledgement is of. */
  readonly acknowledges?: string;
  /** The call that it waits for; left out: it waits for none. */
  readonly waitsFor?: AwaitedCall;
}

/** A notice to whoever plays the bot's speech. */
export type SpeechChange =
  /** Stop playing this turn. `by` null: the runtime stops it. */
  | {
      readonly type: 'speech_stop';
      readonly turn: NodeId;
      readonly why: 'barge_in' | 'cancel';
      readonly by: SpeakerId | null;
    }
  /** Nobody has said anything: go on where it was stopped. */
  | { readonly type: 'speech_resume'; readonly turn: NodeId }
  /** Other speech has the floor: play nothing of this turn until `speech_start`. */
  | { readonly type: 'speech_wait'; readonly turn: NodeId }
  /** What has waited has the floor: play it. */
  | { readonly type: 'speech_start'; readonly turn: NodeId }
  /** Somebody has stopped something: play the sound for it. `cancel`: the receipt. */
  | { readonly type: 'stop_sound'; readonly cancel: string; readonly by: SpeakerId };
