// What a tool is: its declaration, and the context that a call of it gets.
import type { FailureCode } from '../../machines/codes.ts';
import type { ProcessStarted } from '../../machines/facts.ts';
import type { JsonSchema } from '../../machines/tool-declaration.ts';
import type { Cause, Effect, NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';

/** What an exclusive call must hold alone. A `host` key is one for all sessions of this process (a folder); a `session` key is not. */
export interface ExclusiveKey {
  readonly scope: 'session' | 'host';
  readonly name: string;
}

export interface ToolContext {
  /** Fires when the call is to stop. The reason is the call's `Cause`. */
  readonly signal: AbortSignal;
  /** Of a `killable` tool: fires when the grace is to be skipped (`force`): it kills now what it owns. Never before `signal`; never for another tool. */
  readonly kill: AbortSignal;
  /** Fires with `force`, too, for every tool: whoever waits for something polite does so no longer. No leave to kill what others depend on. */
  readonly skipGrace: AbortSignal;
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
  /**
   * Runs `work` in a region in which the call is not aborted, for the tool's `shieldMaxMs` at most: a commit that must be whole.
   * Rejects, and does not begin it, where the call is being stopped, and in another region: a call has one at a time, so that its maximum
   * bounds what is pending. Only for a tool that is declared `shielded`.
   */
  shield<T>(work: () => Promise<T>): Promise<T>;
  /** Asks a speaker, the call's own by default, and waits for the answer; the call's timeout stands still meanwhile. Rejects when the call is stopped. */
  ask(question: QuestionOptions): Promise<string>;
  /** Asks for a yes in the middle of a call, and waits for it as `ask` does. False: somebody said no. */
  requestApproval(leave: Omit<QuestionOptions, 'choices'>): Promise<boolean>;
  /** What has happened in this turn so far, and what is running in the session. */
  status(): TurnStatus;
  /** Stops a detached sub-agent that was started in this session for the same speaker. `not_allowed`: it runs on, the session's rule says so. */
  cancelAgent(turn: NodeId, reason: string): Promise<'cancelled' | 'already_settled' | 'not_yours' | 'not_allowed'>;
  /** Tells that a process group was started for this call, so that a later life of the host can find it. */
  recordProcess(process: StartedProcess): void;
}

export type StartedProcess = Pick<ProcessStarted, 'group' | 'startTime' | 'shared'>;

export interface QuestionOptions {
  readonly text: string;
  /** Any words are an answer where this is left out. */
  readonly choices?: readonly string[];
  readonly to?: SpeakerId;
  /** Milliseconds after which nobody is waited for any more: the call ends with cause `deadline`. */
  readonly expiresMs?: number;
  /** Withdraws the question when who has asked it does not want to know any more; `ask` rejects. */
  readonly signal?: AbortSignal;
}

interface StatusNode {
  readonly node: NodeId;
  readonly name: string | null;
  readonly ms: number;
}

export interface TurnStatus {
  readonly calls: readonly {
    readonly call: NodeId;
    readonly name: string;
    /** The outcome, or `running`. */
    readonly state: string;
    readonly ms: number | null;
  }[];
  readonly modelCalls: number;
  readonly timeouts: number;
  /** Of the whole session, what has not settled. */
  readonly running: readonly (StatusNode & { readonly state: 'running' | 'stopping' })[];
  /** Of the whole session, what was given up and has not ended: it may still be at work. */
  readonly abandoned: readonly StatusNode[];
  /** Who is in the session now. */
  readonly speakers: readonly SpeakerId[];
  /** How late the process runs its timers, in milliseconds: the mean and the worst of the last minute or two. */
  readonly health: { readonly lagMs: number; readonly worstLagMs: number };
}

/** A yes that a call needs before it runs. */
export interface Approval {
  /** What is asked, for a person. */
  readonly text: string;
  /** The speaker of the call where this is left out. */
  readonly to?: SpeakerId;
  readonly expiresMs?: number;
}

/** How a call ended, as its tool tells it. */
export interface ToolEnd {
  readonly kind: 'completed' | 'failed' | 'stopped';
  /** What the model reads. */
  readonly output: string;
  readonly code?: FailureCode | undefined;
  readonly message?: string | undefined;
  /** Characters that the tool's own bound has removed from the output. */
  readonly omitted?: number | undefined;
  /** What a call that failed has done, where the tool knows better than its declaration. That it has not started is not for it to say. */
  readonly effect?: Exclude<Effect, 'not_started'> | undefined;
  /** It had to be killed. */
  readonly forced?: boolean | undefined;
}

/**
 * What happens to a call that is to stop. `abortable`: its signal fires. `killable`: and it owns processes, or a thread, that nothing
 * else depends on, which are killed past the grace. `shielded`: its signal fires, but not inside a region that it has declared.
 */
export type CancelContract = 'abortable' | 'killable' | 'shielded';

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
  readonly access: 'parallel' | ((input: Input, context: Pick<ToolContext, 'session' | 'roots'>) => ExclusiveKey);
  readonly cancel: CancelContract;
  /** Of a `shielded` tool: how long one of its regions may last, in milliseconds; at most the runtime's `limits.shieldMs`. */
  readonly shieldMaxMs?: number;
  /** A newer call of this tool with the same key, by one who has standing, takes the place of an earlier one in the session. Another tool's keys are others. */
  readonly supersedes?: (input: Input, context: Pick<ToolContext, 'session' | 'roots'>) => string;
  /** The yes that a call needs; null: none. */
  readonly approval?: (input: Input, context: Pick<ToolContext, 'session' | 'speaker'>) => Approval | null;
  /** What a call that was entered may have done: `none` (it only reads) or `some`. */
  readonly effect: 'none' | 'some';
  /** Milliseconds after which a running call is stopped with cause `deadline`; 0: never. A function: as long as the arguments ask for. */
  readonly timeoutMs: number | ((input: Input) => number);
  /** How long it may take to end a call that is stopped, in milliseconds, where it knows (of one that kills: its grace); less than the runtime's `limits.toolCancelMs`. */
  readonly stopMs?: number;
  /** Resolves with the end of the call; a rejection is a failure. After `signal` has fired it ends as soon as it can. */
  run(input: Input, context: ToolContext): Promise<ToolEnd | string>;
  /** Runs once when a running call is stopped, beside its unwinding; waited for within the call's stop budget. What it throws is told, no more. */
  cleanup?(cause: Cause, input: Input): Promise<void>;
}

/** Why `shield` rejects without having begun its work. */
export const shieldRefusals = {
  undeclared: 'the tool is not declared shielded',
  cut: 'the call is being stopped',
  open: 'the call is in a shielded region already',
} as const;

/** What `defineTool` makes a tool of: a zod schema instead of `input` and `parse`. See registry.ts. */
export const defaultToolTimeoutMs = 120_000;
/** Characters of a call's output that the history keeps, head and tail together. */
export const maxOutputChars = 32_768;
