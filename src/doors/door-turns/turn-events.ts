// The events of a turn as a client shows them, whatever its protocol: see turn-fold.ts.
import type { NodeId, OutcomeKind, SpeakerId } from '../../../machines/vocabulary.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';

/** A call, of a tool or of a sub-agent. */
export interface ShownCall {
  /** The same in every stream of the turn: the place of the call in its model call. */
  readonly id: string;
  readonly node: NodeId;
  readonly turn: NodeId;
  readonly name: string;
  /** A JSON text as the model wrote it, perhaps malformed, or as an interceptor has changed it. */
  readonly arguments: string;
  readonly kind: 'tool-call' | 'sub-agent';
  /** The sub-agent that has made it; null: the turn itself. */
  readonly agent: NodeId | null;
  /** The model call that has asked for it. */
  readonly index: number;
}

/** An approval or a question of a call. */
export interface ShownQuestion {
  readonly type: 'approval' | 'question';
  readonly call: ShownCall;
  /** The id of the question; an empty text: logs of version 0.1 have none. */
  readonly question: string;
  readonly to: SpeakerId;
  readonly text: string;
  readonly choices: readonly string[];
  /** A JSON Schema of the values that are asked for; null: the answer is a text. */
  readonly schema: unknown;
  readonly expiresAt: number | null;
}

/** `agent`: the sub-agent's call that it belongs to; null: it is the turn's own. */
interface Owned {
  readonly agent: NodeId | null;
}

export type ShownEvent =
  | (Owned & { readonly type: 'model_start'; readonly turn: NodeId; readonly index: number })
  /** `text`: all that it has said. */
  | (Owned & { readonly type: 'model_end'; readonly turn: NodeId; readonly index: number; readonly text: string })
  | (Owned & { readonly type: 'text_start' | 'text_end' | 'reasoning_start' | 'reasoning_end'; readonly id: string })
  | (Owned & { readonly type: 'text' | 'reasoning'; readonly id: string; readonly text: string })
  /** The model begins to write the arguments of a call. `id`: of the call that it becomes, if it does. */
  | (Owned & {
      readonly type: 'input_start';
      readonly id: string;
      readonly name: string;
      readonly turn: NodeId;
      readonly index: number;
    })
  | { readonly type: 'input'; readonly id: string; readonly text: string }
  /** It has not become a call. */
  | { readonly type: 'input_dropped'; readonly id: string; readonly name: string; readonly text: string }
  /** The call is there, with its arguments. `written`: those that were passed on before; null: none were, not even its beginning. */
  | { readonly type: 'call'; readonly call: ShownCall; readonly written: string | null }
  /** Its arguments have changed. */
  | { readonly type: 'changed'; readonly call: ShownCall }
  /** Live output, to be shown and not kept. */
  | { readonly type: 'output'; readonly call: ShownCall; readonly text: string; readonly skipped?: number }
  | { readonly type: 'asked'; readonly question: ShownQuestion }
  | {
      readonly type: 'closed';
      readonly question: ShownQuestion;
      readonly answer: 'approved' | 'denied' | 'answered' | 'withdrawn' | 'expired';
      readonly text: string | null;
      readonly by: SpeakerId | null;
    }
  /** `wasDenied`: a yes was asked for, and did not come. */
  | {
      readonly type: 'result';
      readonly call: ShownCall;
      readonly result: ServerFrameOf<'tool_result'>;
      readonly wasDenied: boolean;
    }
  | { readonly type: 'agent_start'; readonly call: ShownCall; readonly turn: NodeId; readonly task: string }
  | { readonly type: 'agent_end'; readonly call: ShownCall; readonly turn: NodeId; readonly outcome: OutcomeKind }
  | { readonly type: 'stop_accepted'; readonly receipt: ServerFrameOf<'cancel_accepted'> }
  | { readonly type: 'stop_settled'; readonly receipt: ServerFrameOf<'cancel_settled'> };
