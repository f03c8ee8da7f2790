// The chunks of the UI message stream of the AI SDK that Belay sends: the parts of uiMessageChunkSchema of `ai` 7 that it needs.

/** What Belay says of a call, beside what the protocol has fields for. */
export interface CallMetadata {
  readonly belay: {
    readonly node: string;
    readonly turn: string;
    readonly kind: string;
    /** The sub-agent's call that it was made by. */
    readonly agent?: string;
    /** Its open question: the output that the client adds is the answer. */
    readonly question?: string;
  };
}

/** What Belay says of a message: the turn that it is, and how far its reader is. */
export interface MessageMetadata {
  readonly belay: {
    readonly session: string;
    readonly turn: string;
    /** The sequence number of the newest fact that the message has. */
    readonly seq?: number;
    /** Its turn waits for an answer. */
    readonly waiting?: boolean;
    readonly outcome?: string;
    readonly effect?: string;
    readonly code?: string;
    readonly usage?: object;
  };
}

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';

export type UIChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: MessageMetadata }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly dynamic: true;
      readonly providerExecuted: true;
    }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly dynamic: true;
      /** Whether it runs here; not while the client has to add the output, which is the answer to a question. */
      readonly providerExecuted: boolean;
      readonly toolMetadata: CallMetadata;
    }
  | {
      readonly type: 'tool-input-error';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly dynamic: true;
      readonly providerExecuted: true;
      readonly errorText: string;
    }
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: unknown;
      readonly dynamic: true;
      readonly providerExecuted: true;
      readonly toolMetadata: CallMetadata;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
      readonly providerExecuted: true;
      readonly toolMetadata: CallMetadata;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | {
      readonly type: 'data-agent' | 'data-question' | 'data-receipt' | 'data-output' | 'data-deferred';
      readonly id?: string;
      readonly data: object;
      readonly transient?: true;
    }
  | { readonly type: 'message-metadata'; readonly messageMetadata: MessageMetadata }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'finish'; readonly finishReason: FinishReason; readonly messageMetadata: MessageMetadata };
