// Contract of a tool: its declaration, and the context and the end of a call.
import type { FailureCode, StandingCode } from '../../../machines/codes.ts';
import type { LoadedPart } from '../../../machines/content.ts';
import type { ProcessStarted } from '../../../machines/facts.ts';
import type { AwaitedCall } from '../../../machines/live-view.ts';
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import type { Cause, Effect, GivenStopDetails, NodeId, SpeakerId, Usage } from '../../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';

export const keyScopes = ['session', 'host'] as const;
/** How far a key reaches: the calls of one session, or those of all sessions of this process. */
export type KeyScope = (typeof keyScopes)[number];

export const folderKeyScopes = ['path', 'root'] as const;

/** The rules for the keys of folders. */
export interface FolderKeyRules {
  /** `path`: a folder has a key of its own. `root`: it has that of the outermost root around it. */
  readonly scope: (typeof folderKeyScopes)[number];
  /** Whose calls share a key: those of one session, or those of all sessions of this runtime. */
  readonly reach: KeyScope;
}

/** The rules as a program gives them: `path` and `session` where they are left out. A text is `reach` alone. */
export type FolderKeyOptions =
  | KeyScope
  | { readonly [Rule in keyof FolderKeyRules]?: FolderKeyRules[Rule] | undefined };

/** A key that a call holds alone. */
export type ExclusiveKey = FolderKey | NamedKey;

/** The key of a folder with all that is in it: of two folders, one of which contains the other, only one is in use at a time. */
export interface FolderKey {
  /** An absolute path; links are followed. The configuration (`keys`) says how far the key reaches, and whether the whole root is locked. */
  readonly folder: string;
}

export interface NamedKey {
  readonly scope: KeyScope;
  readonly name: string;
}

export interface ToolContext {
  /** Fires when the call is to stop. The reason is a `CancelError`, which has the fields of the `Cause`. */
  readonly signal: AbortSignal;
  /** Fires, for a `killable` tool only, when a CANCEL has `force`: kill now what the call owns, without a grace. Never before `signal`. */
  readonly kill: AbortSignal;
  /** Fires, for every tool, when a CANCEL has `force`: end every wait that is only polite. It does not permit killing what others use. */
  readonly skipGrace: AbortSignal;
  readonly session: string;
  readonly turn: NodeId;
  readonly call: NodeId;
  readonly speaker: SpeakerId;
  /** Absolute folders that the call may touch. Empty: none. */
  readonly roots: readonly string[];
  /** Files and folders of Belay itself, which no tool may touch although they may lie below a root. Left out: none. */
  readonly protectedPaths?: readonly string[] | undefined;
  /** How many sub-agents are above the call. */
  readonly depth: number;
  readonly clock: Clock;
  /** Publishes live output. It has a limit, does not wait for anybody, and is not part of the result. */
  output(text: string): void;
  /**
   * Runs `work` in a region in which the call is not aborted, for the tool's `shieldMaxMs` at most: a commit that must be whole. Only for
   * a tool that is declared `shielded`. A call has one region at a time, so that its maximum limits how long a stop is pending.
   * @returns Rejects, without starting `work`, if the call is being stopped, and inside another region.
   */
  shield<T>(work: () => Promise<T>): Promise<T>;
  /** Asks a speaker and resolves with the answer. The call's timeout stands still meanwhile. Rejects when the call is stopped. */
  ask(question: QuestionOptions): Promise<string>;
  /** Asks for a yes in the middle of a call, as `ask` does. Resolves with false if the answer is no. */
  requestApproval(question: Omit<QuestionOptions, 'choices' | 'schema'>): Promise<boolean>;
  /** Returns what has happened in this turn so far, and what is running in the session. */
  status(): TurnStatus;
  /** Stops a call, a sub-agent or a detached agent of this session that works for the speaker of this turn. */
  cancelCall(node: NodeId, reason: string): Promise<CancelCallReply>;
  /** Records a process group that was started for this call, so that a later life of the host can find it. */
  recordProcess(process: StartedProcess): void;
}

/**
 * The reply to `cancelCall`. `not_yours`: it works for another speaker, or a person has said it. `own_work`: the call that asks is a part of it. The others say why its
 * speaker may not stop it; it runs on.
 */
export type CancelCallReply = 'cancelled' | 'already_settled' | 'not_yours' | 'own_work' | StandingCode;

export type StartedProcess = Pick<ProcessStarted, 'group' | 'startTime' | 'shared'>;

export interface QuestionOptions {
  readonly text: string;
  /** The answers to choose from. Left out: any words are an answer. */
  readonly choices?: readonly string[] | undefined;
  /**
   * The values that are asked for: a JSON Schema of an object whose properties are texts, numbers, booleans and lists of texts. The answer
   * is their JSON, or whatever words the speaker has typed.
   */
  readonly schema?: JsonSchema | undefined;
  /** The speaker who is asked. Left out: the call's own. */
  readonly to?: SpeakerId | undefined;
  /** Milliseconds until the call ends with cause `deadline`, for want of an answer. */
  readonly expiresMs?: number | undefined;
  /** Withdraws the question when it fires; `ask` rejects. */
  readonly signal?: AbortSignal | undefined;
}

interface StatusNode {
  readonly node: NodeId;
  readonly name: string | null;
  readonly ms: number;
  /** The call that it waits for before it starts. */
  readonly waitsFor?: AwaitedCall;
}

export interface TurnStatus {
  readonly calls: readonly {
    readonly call: NodeId;
    readonly name: string;
    /** The outcome, `running`, or `waiting` for another call. */
    readonly state: string;
    readonly ms: number | null;
  }[];
  readonly modelCalls: number;
  readonly timeouts: number;
  /** Counts over the whole session, as far back as its history is kept. */
  readonly session: {
    readonly calls: number;
    readonly modelCalls: number;
    readonly timeouts: number;
    /** The tools whose calls have timed out, the most frequent first. */
    readonly timedOut: readonly { readonly name: string; readonly timeouts: number }[];
    /** Earlier turns that are no longer kept, and not counted. */
    readonly omittedTurns: number;
  };
  /** The nodes of the whole session that have not settled. */
  readonly running: readonly (StatusNode & { readonly state: 'running' | 'stopping' | 'asking' | 'waiting' })[];
  /** The nodes of the whole session that were abandoned and have not ended: they may still be at work. */
  readonly abandoned: readonly StatusNode[];
  /** The speakers that are in the session now. */
  readonly speakers: readonly SpeakerId[];
  /** The delay of the process's timers, in milliseconds: the mean and the worst of the last minute or two. */
  readonly health: { readonly lagMs: number; readonly worstLagMs: number };
}

/** A yes that a call needs before it runs. */
export interface Approval {
  /** The question, for a person. Clients show the arguments of the call after it. */
  readonly text: string;
  /** The words beside a tool and its arguments, perhaps none, where `text` names these. Clients then show the words instead of `text`. */
  readonly remark?: string | undefined;
  /** The speaker who is asked. Left out: the call's own. */
  readonly to?: SpeakerId | undefined;
  readonly expiresMs?: number | undefined;
}

/** The end of a call, as its tool reports it. */
export interface ToolEnd extends GivenStopDetails {
  readonly kind: 'completed' | 'failed' | 'stopped';
  /** For the model. */
  readonly output: string;
  /**
   * Images, sounds and files with their bytes, and texts between them, after `output`: at most 64 parts. A model that cannot read one gets words
   * for it.
   */
  readonly parts?: readonly LoadedPart[] | undefined;
  readonly code?: FailureCode | undefined;
  readonly message?: string | undefined;
  /** Characters that the tool's own limit has removed from the output. */
  readonly omitted?: number | undefined;
  /** The effect of a call that failed or was stopped, if the tool knows it better than its declaration. */
  readonly effect?: Exclude<Effect, 'not_started'> | undefined;
  /** What models have used for it: counted into its turn, and into the limits of what may be spent. */
  readonly usage?: Usage | undefined;
}

/**
 * What happens to a call that is to stop. `abortable`: its signal fires. `killable`: and it owns processes, or a thread, that nothing
 * else depends on, which are killed after the grace. `shielded`: its signal fires, but not inside a region that it has declared.
 */
export type CancelContract = 'abortable' | 'killable' | 'shielded';

/** The checked arguments of a call, or a message that names the field and the limit. */
export type ParseResult<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly message: string };

export interface Tool<Input = unknown> {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly input: JsonSchema;
  /** Checks the arguments of a call. */
  parse(value: unknown): ParseResult<Input>;
  /** `parallel`: beside any other call. A function: alone among the calls that get the same key. */
  readonly access: 'parallel' | ((input: Input, context: Pick<ToolContext, 'session' | 'roots'>) => ExclusiveKey);
  readonly cancel: CancelContract;
  /** The longest that one region of a `shielded` tool may last, in milliseconds; at most the runtime's `limits.shieldMs`. */
  readonly shieldMaxMs?: number;
  /** Returns a key. A newer call of this tool with the same key, by a speaker with standing, supersedes an earlier one in the session. */
  readonly supersedes?: (input: Input, context: Pick<ToolContext, 'session' | 'roots'>) => string;
  /** Returns the yes that a call needs; null: none. */
  readonly approval?: (input: Input, context: Pick<ToolContext, 'session' | 'speaker'>) => Approval | null;
  /** What a call that was started may have done: `none` (it only reads) or `some`. */
  readonly effect: 'none' | 'some';
  /**
   * Milliseconds after which a running call is stopped with cause `deadline`; 0: never; `default`: the runtime's `limits.toolTimeoutMs`. A
   * function: as long as the arguments ask for. `setMs`: the timeout that was set in the session, for arguments that ask for none; undefined: none was.
   */
  readonly timeoutMs: number | 'default' | ((input: Input, setMs: number | undefined) => number);
  /** Milliseconds that it may take to end a stopped call, if that is known (of a killable tool: its grace); less than its stop budget. */
  readonly stopMs?: number;
  /** Its stop budget in milliseconds, instead of the runtime's `limits.toolCancelMs`; less than `limits.shutdownMs`. */
  readonly stopBudgetMs?: number;
  /** Resolves with the end of the call; a rejection is a failure. After `signal` has fired it ends as soon as it can. */
  run(input: Input, context: ToolContext): Promise<ToolEnd | string>;
  /** Runs once when a running call is stopped, beside `run`, and within the call's stop budget. Its error is reported and changes nothing. */
  cleanup?(cause: Cause, input: Input): Promise<void>;
}

/** The messages of errors with which `shield` rejects without having started its work. */
export const shieldRefusals = {
  undeclared: 'the tool is not declared shielded',
  cut: 'the call is being stopped',
  open: 'the call is in a shielded region already',
} as const;

/** Characters of a call's output that the history keeps, head and tail together. */
export const maxOutputChars = 32_768;
