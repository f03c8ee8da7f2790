// The calls of a response until they are opened: those that are whole while the model still writes, and all of them after it. They are no nodes yet.
//
// 1. A CANCEL of tools adds them to the live tree, without an actor. Each of them ends, however the response ends.
// 2. A call keeps its id: the calls of the response that has ended are matched with those that were whole before. Its arguments may have changed since: some
//    endpoints begin with empty ones.
import { outcomeOf } from '../../../machines/cancel.ts';
import type { Call, ModelInput } from '../../../machines/contracts.ts';
import type { ToolCall, ToolResult } from '../../../machines/facts.ts';
import type { MessageCall } from '../../../machines/messages.ts';
import type { CallInputPiece } from '../contracts/provider.ts';
import type { UnopenedCalls } from '../live/unopened-calls.ts';
import { repairName } from '../text/printable.ts';
import { callKey } from './count-repeats.ts';
import { readCalls } from './read-calls.ts';
import type { Job } from './worker.ts';

type ResponseCallsJob = Job<'runtime' | 'session' | 'tree' | 'journal' | 'history'>;

type Written = Pick<MessageCall, 'name' | 'arguments'>;

export class ResponseCalls implements UnopenedCalls {
  readonly #input: ModelInput;
  readonly #job: ResponseCallsJob;
  /** By their positions in the response. */
  #written: Written[] = [];
  /** The calls that have an id, by their positions. */
  readonly #named = new Map<number, Call>();
  /** The arguments with which they were read, by their positions. */
  readonly #read = new Map<number, string>();
  /** All calls of the response; null: it has not ended. */
  #final: readonly Call[] | null = null;

  constructor(input: ModelInput, job: ResponseCallsJob) {
    this.#input = input;
    this.#job = job;
  }

  /** Adds a piece of a call. Returns where it begins in the arguments. */
  addPiece({ position, name, text }: CallInputPiece): number {
    const before = this.#written[position];
    const args = before?.arguments ?? '';
    this.#written[position] = { name: name || (before?.name ?? ''), arguments: args + text };
    return args.length;
  }

  enterTree(): void {
    const { services, entry: turn } = this.#job;
    const { tree, journal, runtime } = services;
    if (turn.phase !== 'generating' && turn.phase !== 'dispatching') return;
    this.#nameWhole();
    const { clock } = runtime.sources;
    for (const call of this.#final ?? this.#named.values()) {
      const { id, kind, owner, name, agent, problem } = call;
      if (problem || tree.get(id)) continue; // it would not run, or is in the tree already
      const times = { since: clock.now(), addedAt: clock.elapsed(), enteredAt: journal.lastSeq };
      tree.add({ id, kind, owner, parent: turn.id, name: agent?.name ?? name, ...times }, null);
    }
  }

  finish(made: readonly Call[]): readonly Call[] {
    this.#written = [];
    const named = [...this.#named.values()];
    const kept = new Map<Call, Call>();
    const keep = (isSame: (one: Call, call: Call) => boolean) => {
      for (const call of made) {
        const at = kept.has(call) ? -1 : named.findIndex((one) => isSame(one, call));
        for (const before of at === -1 ? [] : named.splice(at, 1)) kept.set(call, before);
      }
    };
    keep((one, call) => callKey(one) === callKey(call));
    keep((one, call) => one.name === call.name); // a stop too many is reported, and a call that runs on after it is not
    this.#final = made.map((call) => {
      const before = kept.get(call);
      return before ? { ...call, id: before.id, owner: before.owner } : call;
    });
    this.#endCalls(named);
    return this.#final;
  }

  drop(): void {
    this.#endCalls([...this.#named.values(), ...(this.#final ?? [])]);
    this.#final = [];
  }

  /** Removes calls from the live tree: they are never opened. Those that a CANCEL has stopped, or left pending, are in a receipt, and get their facts. */
  #endCalls(calls: readonly Call[]): void {
    const { tree, journal } = this.#job.services;
    const { id: turn } = this.#input;
    for (const { id: node, kind, callId, name, arguments: args, owner, index } of calls) {
      const entry = tree.get(node);
      if (!entry || entry.actor) continue; // an actor ends by itself
      const cause = entry.firstCause;
      if (cause) {
        const made: ToolCall = { type: 'tool_call', turn, node, kind, callId, name, arguments: args, owner, index };
        const outcome = outcomeOf(cause);
        const result: ToolResult = { type: 'tool_result', turn, node, outcome, effect: 'not_started' };
        void journal.append([made, result]);
      }
      tree.remove(node);
    }
  }

  #nameWhole(): void {
    if (this.#final) return;
    const { runtime, session, history } = this.#job.services;
    const hasNext = (position: number) => this.#written.length > position + 1;
    const isWhole = (call: Written | undefined, position: number) =>
      call && call.name !== '' && (isObjectText(call.arguments) || (call.arguments === '' && hasNext(position)));
    const whole = [...this.#written.entries()].filter(
      ([position, call]) => this.#read.get(position) !== call?.arguments && isWhole(call, position),
    );
    const made = whole.map(([, call]) => ({ ...call, name: repairName(call.name), callId: '' }));
    const calls = readCalls(made, this.#input, { runtime, session: session.id, facts: history.facts() });
    for (const [at, call] of calls.entries()) {
      const [position, written] = whole[at] ?? [];
      if (position === undefined) continue;
      const before = this.#named.get(position);
      this.#named.set(position, before ? { ...call, id: before.id, owner: before.owner } : call);
      this.#read.set(position, written?.arguments ?? '');
    }
  }
}

/** Whether the text is the JSON of an object: nothing can follow it. */
function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
