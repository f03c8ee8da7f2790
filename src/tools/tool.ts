// What a tool is: its declaration, and the context that a call of it gets.
import type { FailureCode } from '../../machines/codes.ts';
import type { Effect, NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';

/** JSON Schema of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What an exclusive call must hold alone. A `host` key is one for all sessions of this process (a folder); a `session` key is not. */
export interface Key {
  readonly scope: 'session' | 'host';
  readonly name: string;
}

export interface ToolContext {
  /** Fires when the call is to stop. The reason is the call's `Cause`. */
  readonly signal: AbortSignal;
  /** Fires when the grace is to be skipped (`force`): a killable tool kills now. Never before `signal`. */
  readonly kill: AbortSignal;
  readonly session: string;
  readonly turn: NodeId;
  readonly call: NodeId;
  readonly speaker: SpeakerId;
  /** Absolute folders that the call may touch. Empty: none. */
  readonly roots: readonly string[];
  /** How many sub-agents lie above the call. */
  readonly depth: number;
  readonly clock: Clock;
  /** Shows live output to whoever watches. Bounded, never waited for, not part of the result. */
  output(text: string): void;
  /** Tells that a process group was started for this call, so that a later life of the host can find it. */
  processStarted(process: { readonly group: number; readonly startTime: string }): void;
}

/** How a call ended, as its tool tells it. */
export interface ToolEnd {
  readonly kind: 'completed' | 'failed' | 'stopped';
  /** What the model reads. */
  readonly output: string;
  readonly code?: FailureCode;
  readonly message?: string;
  /** Characters that the tool's own bound has removed from the output. */
  readonly omitted?: number;
  /** What a call that failed has done, where the tool knows better than its declaration. */
  readonly effect?: Effect;
  /** It had to be killed. */
  readonly forced?: boolean;
}

/** What happens to a call that is to stop. Only a `killable` one is ever killed: it owns processes that nothing else depends on. */
export type CancelContract = 'abortable' | 'killable';

export interface Tool<Input = unknown> {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly input: JsonSchema;
  /** The arguments, checked: or a sentence that names the field and the limit. */
  parse(
    value: unknown,
  ): { readonly ok: true; readonly input: Input } | { readonly ok: false; readonly message: string };
  /** `parallel`: beside anything. A function: alone among the calls that get the same key. */
  readonly access: 'parallel' | ((input: Input, context: Pick<ToolContext, 'session' | 'roots'>) => Key);
  readonly cancel: CancelContract;
  /** What a call that was entered may have done: `none` (it only reads) or `some`. */
  readonly effect: 'none' | 'some';
  /** Milliseconds after which a running call is stopped with cause `deadline`; 0: never. */
  readonly timeoutMs: number;
  /** Resolves with the end of the call; a rejection is a failure. After `signal` has fired it ends as soon as it can. */
  run(input: Input, context: ToolContext): Promise<ToolEnd | string>;
}

/** What `defineTool` makes a tool of: a zod schema instead of `input` and `parse`. See registry.ts. */
export const defaultToolTimeoutMs = 120_000;
/** Characters of a call's output that the history keeps, head and tail together. */
export const maxOutputChars = 32_768;
