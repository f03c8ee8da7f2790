// The replies of the scripted endpoint, and the rules by which a test chooses them. All of it is JSON.

/** A tool call of an answer. */
export interface ScriptedCall {
  readonly name: string;
  /** The arguments; a string is sent as it stands, so it may be malformed. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
  /** The provider's id of the call; made up if it is left out. */
  readonly id?: string;
}

export interface Pace {
  /** Milliseconds before the first chunk (0). */
  readonly firstMs?: number;
  /** Chunks in a second; left out: all at once. */
  readonly chunksPerSecond?: number;
  /** Characters of text, or of a call's arguments, in a chunk (16). */
  readonly chunkChars?: number;
}

/**
 * How a stream ends. `finish`: as it should. `hang`: before the finish chunk it stays open and silent until the client closes
 * it or the script is released; released, it finishes. `cut`: in place of the finish chunk the connection is destroyed, a moment
 * later, so that the client has read what was sent.
 */
export type StreamEnd = 'finish' | 'hang' | 'cut';

/** A streamed answer: first the text, then the calls, all in one round. */
export interface ScriptedAnswer {
  readonly text?: string;
  /** Parallel calls. */
  readonly calls?: readonly ScriptedCall[];
  /** One more call after `calls`, of which only half of the arguments is streamed before the stream hangs or is cut. */
  readonly half?: ScriptedCall;
  readonly pace?: Pace;
  /** The end of the stream. Default: `finish`; with `half`: `hang`. */
  readonly end?: StreamEnd;
  /** Tokens that the last chunk reports; estimated by the endpoint if left out; `none`: no usage chunk is sent. */
  readonly usage?: { readonly input: number; readonly output: number } | 'none';
  /** The `finish_reason` of the response. Default: `stop`, or `tool_calls`. */
  readonly finishReason?: string;
}

/** An HTTP error in the provider's shape. */
export interface HttpError {
  readonly status: number;
  readonly message?: string;
  /** The provider's name of the error, `error.code`. */
  readonly code?: string;
  /** Seconds, sent as `retry-after` (429 has 1 by default). */
  readonly retryAfter?: number;
}

/** Bytes as they stand: malformed streams, bodies that are no stream. */
export interface RawBody {
  readonly raw: string;
  /** The status of the response. Default: 200. */
  readonly rawStatus?: number;
  /** The `Content-Type` of the response. Default: `text/event-stream`. */
  readonly contentType?: string;
  readonly end?: StreamEnd;
}

/** The request is accepted, and nothing is ever sent: no header, no byte. */
export interface Silence {
  readonly silent: true;
}

export type Reply = ScriptedAnswer | HttpError | RawBody | Silence;

/** Conditions on a request; all that are named must hold. */
export interface When {
  /** Part of the last user message, without the runtime's notes. Of a sub-agent's turn that is its task. */
  readonly user?: string;
  /** Part of any message, with its notes, calls and results. */
  readonly any?: string;
  /** How many rounds of calls the request already has after its last user message: 0 for a turn's first model call. */
  readonly round?: number;
  /** Whether the last message is a tool result. */
  readonly toolResult?: boolean;
  /** A tool that the request declares. */
  readonly declares?: string;
}

/** The first rule that fits answers. */
export interface Rule {
  readonly when?: When;
  /** How often the rule may answer; left out: always. */
  readonly times?: number;
  readonly reply: Reply;
}

/** A request's messages as they come over the wire, as far as the endpoint looks at them. */
export interface WireMessage {
  readonly role: string;
  readonly content?: string | null | readonly { readonly type?: string; readonly text?: string }[];
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
}

export interface WireCall {
  readonly id: string;
  readonly type?: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface WireTool {
  readonly function: {
    readonly name: string;
    readonly parameters?: { readonly properties?: Readonly<Record<string, unknown>> };
  };
}

export interface WireRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly stream_options?: Readonly<Record<string, unknown>>;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
}

/** The text of a message, whichever of its two forms it has. */
export function messageText(message: WireMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

/** The last user message, its notes apart from its text, with the messages before and after it. */
export interface LastExchange {
  readonly notes: string;
  readonly user: string;
  readonly since: readonly WireMessage[];
  readonly before: readonly WireMessage[];
}

const isNote = (paragraph: string) => /^\[Note by the runtime, not by a speaker: .*\]$/s.test(paragraph);

/**
 * Finds the last user message. The notes of the runtime (transcript/notes.ts) stand before the speaker's words, in paragraphs of their own. After a turn
 * in which the model has said nothing, the words of that turn stand before them, in the same message: they count as a message before it.
 */
export function lastExchange(messages: readonly WireMessage[]): LastExchange {
  const at = messages.findLastIndex((message) => message.role === 'user');
  const paragraphs = messageText(messages[at]).split('\n\n');
  const words = 1 + paragraphs.slice(0, -1).findLastIndex(isNote); // a note at the end has no words after it: it stands for them
  const notes = 1 + paragraphs.slice(0, words).findLastIndex((paragraph) => !isNote(paragraph));
  const earlier = paragraphs.slice(0, notes).join('\n\n');
  return {
    notes: paragraphs
      .slice(notes, words)
      .map((paragraph) => `${paragraph}\n\n`)
      .join(''),
    user: paragraphs.slice(words).join('\n\n'),
    since: messages.slice(at + 1),
    before: [...messages.slice(0, Math.max(at, 0)), ...(earlier === '' ? [] : [{ role: 'user', content: earlier }])],
  };
}

/** Returns the number of messages that ask for calls. */
export function roundsIn(messages: readonly WireMessage[]): number {
  return messages.filter((message) => (message.tool_calls?.length ?? 0) > 0).length;
}

/** Whether everything that a rule names holds for the request. */
export function matchesRequest(when: When, request: WireRequest): boolean {
  const { user, since } = lastExchange(request.messages);
  const last = request.messages.at(-1);
  return (
    (when.user === undefined || user.includes(when.user)) &&
    (when.any === undefined || JSON.stringify(request.messages).includes(JSON.stringify(when.any).slice(1, -1))) &&
    (when.round === undefined || roundsIn(since) === when.round) &&
    (when.toolResult === undefined || (last?.role === 'tool') === when.toolResult) &&
    (when.declares === undefined || (request.tools ?? []).some((tool) => tool.function.name === when.declares))
  );
}
