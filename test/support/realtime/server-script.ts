// The script of the strict Realtime server: what its model answers, and when.
import type { Fields, ServerItem } from './provider-items.ts';

/** What the model of a response reads, and what it was asked for. */
export interface ServerRequest {
  readonly id: string;
  readonly params: Fields;
  readonly context: readonly ServerItem[];
  readonly isApart: boolean;
  /** The response begins because the client has asked for it. */
  readonly isAsked: boolean;
}

export interface ResponsePlan {
  readonly text?: string;
  /** Milliseconds of sound; left out: 300 for each word. */
  readonly ms?: number;
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  /** Is waited for before `response.created`. */
  readonly beforeCreated?: Promise<void>;
  /** Deltas that are sent after a cancel. */
  readonly lateDeltas?: number;
  /** The response is whole although it was cancelled: the cancel came when all of it was made. */
  readonly ignoresCancel?: boolean;
  /** A cancel is accepted, and nothing follows. */
  readonly neverAnswersCancel?: boolean;
  readonly neverDone?: boolean;
  /** What is left of the limits of rates when the response begins. */
  readonly rateLimits?: readonly {
    readonly name: string;
    readonly remaining: number;
    readonly reset_seconds: number;
  }[];
  readonly fails?: { readonly type: string; readonly code: string; readonly message?: string };
}

export type Transcription = { readonly text: string; readonly logprob?: number } | { readonly failed: string };

/** `hangs`: nothing is answered at all. */
export type RefusedUpgrade =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'hangs';

export interface ServerScript {
  /** Returns what the model answers. Null: nobody has asked. */
  respond(request: ServerRequest | null): ResponsePlan;
  transcribe?(pcm: Buffer): Promise<Transcription | null> | Transcription | null;
  /** Is waited for before and after each event of a response. */
  gate?(event: Fields, when: 'before' | 'after'): Promise<void> | void;
  /** Is waited for between two events of a response; left out: a turn of the event loop. */
  pace?(): Promise<void>;
  readonly lifetimeMs?: number;
  /** The response to a refused upgrade; left out: none is refused. */
  refuse?(): RefusedUpgrade | null;
}
