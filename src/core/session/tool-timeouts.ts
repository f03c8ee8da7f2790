// Performs SET_TIMEOUT, and keeps the timeouts of tools that were set for the session, folded from its facts.
import type { FactOf, SequencedFact } from '../../../machines/facts.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import { type Appender, type FactHandlers, type Projection, passFact } from '../transcript/journal.ts';
import type { FindProfile } from '../workers/agent-profile.ts';
import type { SetTimeoutReply, SetTimeoutRequest } from './member-api.ts';

/** The shortest timeout that may be set, in milliseconds. */
export const minTimeoutMs = 1_000;

export class ToolTimeouts implements Projection {
  static readonly #handlers: FactHandlers<ToolTimeouts> = {
    tool_timeout_set(fact) {
      this.#apply(fact);
    },
  };
  readonly appended = ToolTimeouts.#handlers;
  readonly #timeouts = new Map<string, number>();

  /** The timeouts in milliseconds, by the name of the tool. */
  get all(): ReadonlyMap<string, number> {
    return this.#timeouts;
  }

  /** Adds facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const event of events) passFact(this, this.appended, event);
  }

  #apply({ tool, ms }: FactOf<'tool_timeout_set'>): void {
    if (ms === null) this.#timeouts.delete(tool);
    else this.#timeouts.set(tool, ms);
  }
}

export interface TimeoutParts {
  readonly journal: Appender;
  readonly timeouts: ToolTimeouts;
  readonly profileOf: FindProfile;
  readonly limits: { readonly toolTimeoutMaxMs: number };
}

/** Records the timeout of a tool for the next calls of the session; `by` null: a program sets it. Resolves after its commit. */
export async function setToolTimeout(
  by: SpeakerId | null,
  { tool, ms, ref }: SetTimeoutRequest,
  { journal, timeouts, profileOf, limits: { toolTimeoutMaxMs } }: TimeoutParts,
): Promise<SetTimeoutReply> {
  const before = timeouts.all.get(tool) ?? null;
  const isKnown = tool === spawnAgent.name || profileOf(null).tool(tool) !== undefined;
  if (before === null && !isKnown) return { type: 'no_such_tool' }; // the timeout of a tool that is gone can be reset
  if (ms !== null && !(Number.isInteger(ms) && ms >= minTimeoutMs && ms <= toolTimeoutMaxMs))
    return { type: 'timeout_out_of_range', limit: toolTimeoutMaxMs };
  const set = { type: 'tool_timeout_set', tool, ms, by, ref: ref ?? null } as const;
  const repeated = before === ms;
  await journal.append(repeated ? [] : [set]);
  return { type: 'tool_timeout_set', set, repeated };
}
