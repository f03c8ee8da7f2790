// The events of AG-UI 1.0 that Belay sends: the parts of EventSchemas of `@ag-ui/core` that it needs.

export const protocolVersion = '1.0';

/** The sub-agent that an event is of. Left out: the agent itself. */
interface Attributed {
  readonly subagentRunId?: string;
}

/** What a run waits for. */
export interface Interrupt extends Attributed {
  readonly id: string;
  readonly reason: 'tool_call' | 'input_required';
  readonly message: string;
  readonly toolCallId: string;
  readonly responseSchema: object;
  /** ISO 8601. */
  readonly expiresAt?: string;
  readonly metadata: { readonly belay: { readonly node: string; readonly type: 'approval' | 'question' } };
}

export type RunOutcome =
  | { readonly type: 'success' | 'cancelled' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly Interrupt[] };

export interface TokenUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

interface Run {
  readonly threadId: string;
  readonly runId: string;
}

export type AGUIEvent =
  | (Run & {
      readonly type: 'RUN_STARTED';
      readonly protocolVersion: typeof protocolVersion;
      readonly parentRunId?: string;
    })
  | (Run & {
      readonly type: 'RUN_FINISHED';
      readonly outcome: RunOutcome;
      readonly result?: object;
      readonly usage?: readonly TokenUsage[];
    })
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code: string }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: object }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly object[] }
  | (Attributed & { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string })
  | (Attributed & { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' })
  | (Attributed & {
      readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT';
      readonly messageId: string;
      readonly delta: string;
    })
  | (Attributed & {
      readonly type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END';
      readonly messageId: string;
    })
  | (Attributed & { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' })
  | (Attributed & {
      readonly type: 'TOOL_CALL_START';
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId: string;
    })
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | (Attributed & {
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly content: string;
      readonly role: 'tool';
      readonly metadata: { readonly belay: object };
    })
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly description?: string;
      readonly parentSubagentRunId?: string;
      readonly parentToolCallId: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly outcome: { readonly type: 'success' | 'suspended'; readonly interruptIds?: readonly string[] };
    }
  | { readonly type: 'SUBAGENT_ERROR'; readonly subagentRunId: string; readonly message: string; readonly code: string }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: object };
