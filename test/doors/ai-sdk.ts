// The chat engine of the AI SDK, in the exact version that `npm run agents` installs, with the few types of it that tests use.
import { onTestFinished } from 'vitest';
import { findClient } from './official-client.ts';

/** A part of a message; which fields it has depends on its type. */
export interface MessagePart {
  readonly type: string;
  readonly text?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly state?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: { readonly id: string; readonly approved?: boolean };
  readonly toolMetadata?: { readonly belay: Readonly<Record<string, unknown>> };
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  readonly id: string;
  readonly role: string;
  readonly metadata?: { readonly belay: Readonly<Record<string, unknown>> };
  readonly parts: readonly MessagePart[];
}

export interface ChatTransport {
  sendMessages(request: object): Promise<ReadableStream<unknown>>;
  reconnectToStream(request: object): Promise<ReadableStream<unknown> | null>;
}

export interface Chat {
  readonly status: 'submitted' | 'streaming' | 'ready' | 'error';
  readonly error: Error | undefined;
  readonly messages: readonly ChatMessage[];
  sendMessage(message?: { readonly text: string }): Promise<void>;
  regenerate(): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolApprovalResponse(answer: { readonly id: string; readonly approved: boolean }): Promise<void>;
  addToolOutput(answer: {
    readonly tool: string;
    readonly toolCallId: string;
    readonly output: unknown;
  }): Promise<void>;
}

interface ChatState {
  status: string;
  error: unknown;
  messages: readonly ChatMessage[];
  pushMessage(message: ChatMessage): void;
  popMessage(): void;
  replaceMessage(index: number, message: ChatMessage): void;
  snapshot<T>(thing: T): T;
}

interface AiModule {
  readonly AbstractChat: new (init: object) => Chat;
  readonly DefaultChatTransport: new (options: object) => ChatTransport;
  readonly uiMessageChunkSchema: () => {
    readonly validate: (value: unknown) => Promise<{ readonly success: boolean; readonly error?: Error }>;
  };
  lastAssistantMessageIsCompleteWithApprovalResponses(chat: object): boolean;
  lastAssistantMessageIsCompleteWithToolCalls(chat: object): boolean;
}

export const sdk = findClient('ai');
export const ai = await sdk.load<AiModule>();

function createState(messages: readonly ChatMessage[]): ChatState {
  return {
    status: 'ready',
    error: undefined,
    messages,
    pushMessage(message) {
      this.messages = [...this.messages, message];
    },
    popMessage() {
      this.messages = this.messages.slice(0, -1);
    },
    replaceMessage(index, message) {
      this.messages = this.messages.with(index, structuredClone(message));
    },
    snapshot: (thing) => structuredClone(thing),
  };
}

export interface TestChat {
  readonly chat: Chat;
  /** The chunks that the transport has passed on. Each was checked against the schema of the SDK. */
  readonly chunks: readonly { readonly type: string; readonly [field: string]: unknown }[];
}

/** Makes a chat that sends again by itself when everything is answered, as pages with approvals do. */
export function openChat(id: string, transport: ChatTransport, messages: readonly ChatMessage[] = []): TestChat {
  const chunks: { readonly type: string }[] = [];
  const checked = (stream: ReadableStream<unknown>) =>
    stream.pipeThrough(
      new TransformStream({
        async transform(chunk, controller) {
          const { success, error } = await ai.uiMessageChunkSchema().validate(chunk);
          if (!success) throw error;
          chunks.push(chunk as { readonly type: string });
          controller.enqueue(chunk);
        },
      }),
    );
  const recording: ChatTransport & { readonly resumeStreamIsReplay: boolean } = {
    resumeStreamIsReplay: true,
    sendMessages: async (request) => checked(await transport.sendMessages(request)),
    async reconnectToStream(request) {
      const stream = await transport.reconnectToStream(request);
      return stream && checked(stream);
    },
  };
  const chat = new ai.AbstractChat({
    id,
    transport: recording,
    state: createState(messages),
    sendAutomaticallyWhen: (state: object) =>
      ai.lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
      ai.lastAssistantMessageIsCompleteWithToolCalls(state),
  });
  onTestFinished(() => chat.stop());
  return { chat, chunks };
}

/** The last message of a chat. */
export const lastOf = ({ messages }: Chat): ChatMessage => {
  const last = messages.at(-1);
  if (!last) throw new Error('The chat has no message.');
  return last;
};

/** The text of a message. */
export const chatTextOf = ({ parts }: ChatMessage): string =>
  parts.flatMap((part) => (part.type === 'text' ? (part.text ?? '') : [])).join('|');

/** The calls of a message. */
export const chatCallsOf = ({ parts }: ChatMessage): readonly MessagePart[] =>
  parts.filter(({ type }) => type === 'dynamic-tool');

/** The data parts of a message that have a type. */
export const dataOf = ({ parts }: ChatMessage, type: string): readonly Readonly<Record<string, unknown>>[] =>
  parts.flatMap(({ type: found, data }) => (found === `data-${type}` && data ? [data] : []));
