// The calls that a provider itself runs within a model call: each is a node of the live tree, and has facts like any other call.
//
// 1. Belay cannot stop one of them alone: after a CANCEL it is `abandoned` when its stop budget is over, unless it ends before.
// 2. Arguments and output are cut to the limit of a tool output: Belay only records them.
// 3. The end of the model call ends all of them, and nothing is recorded after it. A call that was still running then may have had effects.

import { outcomeOf } from '../../../machines/cancel.ts';
import type { ModelInput } from '../../../machines/contracts.ts';
import type { ToolResult } from '../../../machines/facts.ts';
import { addEffect } from '../../../machines/totals.ts';
import type { Effect, Outcome } from '../../../machines/vocabulary.ts';
import type { ProviderCall } from '../contracts/provider.ts';
import { maxOutputChars } from '../contracts/tool.ts';
import type { EventReceiver, NodeEntry } from '../live/node-entry.ts';
import { msSince } from '../sources/monotonic-time.ts';
import { boundText } from '../text/bound-text.ts';
import { repairName } from '../text/printable.ts';
import type { Job } from './worker.ts';

type ProviderCallsJob = Job<'runtime' | 'tree' | 'journal'>;

interface OpenCall {
  readonly entry: NodeEntry;
  readonly effect: ProviderCall['effect'];
}

export class ProviderCalls implements Disposable {
  readonly #input: ModelInput;
  readonly #job: ProviderCallsJob;
  /** By the provider's id; `ended`: its result is recorded. */
  readonly #calls = new Map<string, OpenCall | 'ended'>();
  #effect: Effect = 'not_started';

  constructor(input: ModelInput, job: ProviderCallsJob) {
    this.#input = input;
    this.#job = job;
  }

  /** What the calls together may have done in the world. */
  get effect(): Effect {
    return this.#effect;
  }

  /** Records that a call has started, or has ended. After the cut no call is added. */
  report(call: ProviderCall): void {
    const known = this.#calls.get(call.callId);
    if (known === 'ended' || (known === undefined && this.#job.entry.cut)) return;
    const open = known ?? this.#start(call);
    if (call.state === 'running') return;
    const { output: text = '' } = call;
    const { output, omitted } = boundText(text, maxOutputChars);
    this.#endCall(call.callId, open, {
      kind: call.state,
      effect: call.effect,
      ...(call.state === 'failed' && { code: 'tool_failed', message: 'The provider says that it failed.' }),
      ...(output !== '' && { output }),
      ...(omitted > 0 && { omitted }),
    });
  }

  /** Ends the calls that are still running: the model call is over. */
  [Symbol.dispose](): void {
    for (const [id, open] of this.#calls) {
      if (open === 'ended') continue;
      const cause = open.entry.cut ?? this.#job.entry.cut;
      const effect = open.effect === 'none' ? 'none' : 'unknown';
      const unknownEnd = { kind: 'failed', code: 'tool_failed', message: 'The model call ended before it.' } as const;
      this.#endCall(id, open, { ...(cause ? { kind: outcomeOf(cause) } : unknownEnd), effect });
    }
  }

  #start({ callId, name: given, arguments: text, effect }: ProviderCall): OpenCall {
    const name = repairName(given);
    const { runtime, tree, journal } = this.#job.services;
    const { id: turn, owner, index } = this.#input;
    const node = runtime.sources.ids('call');
    const made = { type: 'tool_call', turn, node, kind: 'tool-call', callId, name } as const;
    void journal.append([
      { ...made, arguments: boundText(text, maxOutputChars).output, owner, index, ranBy: 'provider' },
      { type: 'tool_started', turn, node },
    ]);
    const { clock } = runtime.sources;
    const since = clock.now();
    const addedAt = clock.elapsed();
    const actor: EventReceiver = { send: ({ type }) => type === 'OVERDUE' && this.#abandon(callId) };
    const entry = tree.add(
      { id: node, kind: 'tool-call', owner, parent: turn, name, since, addedAt, enteredAt: journal.lastSeq },
      actor,
    );
    const open: OpenCall = { entry, effect };
    this.#calls.set(callId, open);
    return open;
  }

  #abandon(callId: string): void {
    const open = this.#calls.get(callId);
    if (!open || open === 'ended') return;
    this.#append(open.entry, { kind: 'abandoned', effect: 'unknown' });
    this.#job.services.tree.settle(open.entry.id);
  }

  #endCall(callId: string, { entry }: OpenCall, outcome: Outcome): void {
    const { tree, journal } = this.#job.services;
    this.#calls.set(callId, 'ended');
    if (entry.isSettled) void journal.append([{ type: 'abandoned_ended', node: entry.id }]);
    else this.#append(entry, outcome);
    tree.remove(entry.id);
  }

  #append(entry: NodeEntry, { kind, ...rest }: Outcome): void {
    const { runtime, journal } = this.#job.services;
    this.#effect = addEffect(this.#effect, rest.effect);
    const ms = msSince(runtime.sources.clock, entry.addedAt);
    const ended = { type: 'tool_result', turn: this.#input.id, node: entry.id } as const;
    const result: ToolResult = { ...ended, outcome: kind, ...rest, ms };
    void journal.append([result]);
  }
}
