// The contract of an API that the openai client reaches: what is sent for one model call, and what reads the response. Chat Completions and
// Responses each implement it; the endpoint sends, retries, and closes.
import type { MessageCall } from '../../../machines/messages.ts';
import type { Usage } from '../../../machines/vocabulary.ts';
import type { ModelEnd, ModelStream } from '../../core/contracts/provider.ts';
import type { Failure } from './classify-failure.ts';

/** What is sent for one model call. */
export interface ModelExchange {
  /** The address below the base URL, for example `/chat/completions`. */
  readonly path: string;
  /** Called for each attempt, and not kept: the body of a long conversation is large, and its response may stream for minutes. */
  createBody(): Readonly<Record<string, unknown>>;
  /** Makes the reader of a response. Each attempt has one of its own. */
  createReader(stream: ModelStream): ResponseReader;
  /** Returns what to send instead after the endpoint has rejected this one; null: nothing. Left out: nothing, whatever it says. */
  replaceRejected?(failure: Failure): ModelExchange | null;
}

export type CompletedEnd = Extract<ModelEnd, { kind: 'completed' }>;

/** Reads one response, and passes on its pieces to the stream that it was made with. */
export interface ResponseReader {
  /** Whether anything of a response has arrived: then the request is not sent again. */
  readonly hasStarted: boolean;
  /** Whether the response is whole: then nothing but a usage may follow, and what goes wrong after it does not count. */
  readonly isFinished: boolean;
  /** Adds the parsed data of an event. Throws `OverLimit`, or an error that says what is wrong. */
  addEvent(value: unknown): void;
  /** Adds a whole response: some endpoints send one where a stream was asked for. Throws as `addEvent`. */
  addWhole(value: unknown): void;
  /** Notes that the endpoint has said by `[DONE]` that nothing follows. */
  markDone(): void;
  /** The calls that are whole by now, in their order. */
  wholeCalls(): readonly MessageCall[];
  /** The usage of what has arrived by now; estimated where the endpoint has not said it. */
  usage(): Usage;
  /** Returns the end of a response that is finished. */
  completedEnd(): CompletedEnd;
}
