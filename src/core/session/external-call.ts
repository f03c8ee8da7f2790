// One call that a bridge or a program runs itself, as a tool: its run waits for the settling, and passes the stop on.
import { addAbortListener } from 'node:events';
import type { Cause, NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { Tool, ToolContext, ToolEnd } from '../contracts/tool.ts';
import { addMs, msUntil } from '../sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../sources/sources.ts';
import { runApproval } from '../tools/require-approval.ts';
import type { CallStop, OpenCallReply, OpenCallRequest, SettleCallRequest } from './call-api.ts';

/** A stop of the call, with the end of its budget. */
interface SentStop {
  readonly cause: Pick<Cause, 'source' | 'by' | 'reason'>;
  readonly until: MonotonicTime;
  readonly force: boolean;
}

/** `waiting`: it has not passed its gates. `ended`: it was settled, or nobody will settle it. */
type State =
  | { readonly kind: 'waiting' | 'ended' }
  | { readonly kind: 'running'; readonly context: ToolContext; readonly stop: SentStop | null };

export interface ExternalCallParts {
  readonly id: NodeId;
  readonly turn: NodeId;
  readonly owner: SpeakerId;
  /** The speaker of the connection that has opened it: a bridge, or the owner. */
  readonly opener: SpeakerId;
  /** The key of its OPEN_CALL; null: it had no ref. */
  readonly key: string | null;
  readonly request: OpenCallRequest;
  /** Whether the configuration asks for a yes. */
  readonly needsApproval: boolean;
  readonly clock: Clock;
  /** Milliseconds that it has to stop, and those under `force`. */
  readonly budgets: { readonly ms: number; readonly forceMs: number };
  /** Passes a stop on to whoever runs it. */
  onStop(call: ExternalCall, stop: CallStop): void;
}

export class ExternalCall {
  readonly id: NodeId;
  readonly turn: NodeId;
  readonly owner: SpeakerId;
  readonly opener: SpeakerId;
  readonly key: string | null;
  readonly tool: Tool;
  readonly timeoutMs: number | undefined;
  /** The arguments, as a JSON text. */
  readonly input: string;
  /** Resolves with the reply to its OPEN_CALL. */
  readonly opened = Promise.withResolvers<OpenCallReply>();
  readonly #parts: ExternalCallParts;
  readonly #end = Promise.withResolvers<ToolEnd>();
  #state: State = { kind: 'waiting' };
  /** The ref of the command that has settled it; null: none has. */
  #settledBy: string | null = null;

  constructor(parts: ExternalCallParts) {
    const { request } = parts;
    this.id = parts.id;
    this.turn = parts.turn;
    this.owner = parts.owner;
    this.opener = parts.opener;
    this.key = parts.key;
    this.timeoutMs = request.timeoutMs;
    this.input = JSON.stringify(request.input ?? {});
    this.#parts = parts;
    this.tool = {
      name: request.name,
      description: '',
      input: { type: 'object' },
      parse: (input) => ({ ok: true, input }),
      access: 'parallel',
      cancel: 'abortable',
      effect: request.effect ?? 'some',
      timeoutMs: 'default',
      ...((request.approval || parts.needsApproval) && {
        approval: (input: unknown) => runApproval(request.name, input),
      }),
      run: (_, context) => this.#run(context),
    };
  }

  /** Whether it was settled, or nobody will settle it. */
  get hasEnded(): boolean {
    return this.#state.kind === 'ended';
  }

  /** The stop that it is to obey; null: none. */
  get stop(): CallStop | null {
    const stop = this.#state.kind === 'running' ? this.#state.stop : null;
    return stop && this.#stopOf(stop);
  }

  /** Publishes output, while the call runs. */
  report(text: string): void {
    if (this.#state.kind === 'running') this.#state.context.output(text);
  }

  /** Ends it. False: it has ended before. One that waits for its gates ends when it has passed them. */
  settle({ ref, outcome, output = '', effect, message }: SettleCallRequest): boolean {
    if (this.#state.kind === 'ended') return ref !== undefined && ref === this.#settledBy;
    this.#settledBy = ref ?? null;
    this.#finish({ kind: outcome, output, ...dropUndefined({ effect, message }) });
    return true;
  }

  /** Whoever runs it does not come back: it was abandoned, and is not waited for any more. */
  release(): void {
    if (this.#state.kind !== 'ended')
      this.#finish({ kind: 'stopped', output: `${this.opener}, who runs it, has not come back to report its end.` });
  }

  /** It has its outcome: nobody settles it any more. */
  close(): void {
    this.#state = { kind: 'ended' };
  }

  #finish(end: ToolEnd): void {
    this.#state = { kind: 'ended' };
    this.#end.resolve(end);
  }

  async #run(context: ToolContext): Promise<ToolEnd> {
    if (this.#state.kind === 'waiting') this.#state = { kind: 'running', context, stop: null };
    using _stop = addAbortListener(context.signal, () => this.#passStopOn(context));
    using _force = addAbortListener(context.skipGrace, () => this.#passStopOn(context));
    return await this.#end.promise;
  }

  #passStopOn({ signal, skipGrace }: ToolContext): void {
    if (this.#state.kind !== 'running' || !signal.aborted) return;
    const { source, by, reason } = signal.reason as Cause; // a `CancelError`, which has these fields
    const { clock, budgets } = this.#parts;
    const { aborted: force } = skipGrace;
    const until = addMs(clock.elapsed(), force ? budgets.forceMs : budgets.ms);
    const stop = { cause: { source, by, reason }, until, force };
    this.#state = { ...this.#state, stop };
    this.#parts.onStop(this, this.#stopOf(stop));
  }

  #stopOf({ cause, until, force }: SentStop): CallStop {
    return { node: this.id, cause, budgetMs: msUntil(this.#parts.clock, until), force };
  }
}
