// Performs SET_TIMEOUT, and keeps the timeouts of tools that were set for the session, folded from its facts.
import type { SequencedFact, ToolTimeout, ToolTimeoutSet } from '../../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import { type CommandKey, commandName } from '../transcript/decided-commands.ts';
import { type Appender, type FactHandlers, type Projection, passFact } from '../transcript/journal.ts';
import type { ToolPresence } from '../workers/services.ts';
import { refReused } from './inbox.ts';
import type { SetTimeoutReply, SetTimeoutRequest } from './member-api.ts';

/** The shortest timeout that may be set, in milliseconds. */
export const minTimeoutMs = 1_000;

/** The limit of refs that are remembered, for a session. */
const maxRefs = 500;

export class ToolTimeouts implements Projection {
  static readonly #handlers: FactHandlers<ToolTimeouts> = {
    tool_timeout_set(fact) {
      this.#apply(fact);
    },
  };
  readonly appended = ToolTimeouts.#handlers;
  readonly #timeouts = new Map<string, number>();
  /** What was set, by the key of its command; null until one has a ref. */
  #decided: BoundedMap<string, ToolTimeoutSet> | null = null;

  /** The timeouts in milliseconds, by the name of the tool. */
  get all(): ReadonlyMap<string, number> {
    return this.#timeouts;
  }

  /** Returns the fact that the command with this key has set; undefined: there was no such command. */
  findDecided(key: CommandKey): ToolTimeoutSet | undefined {
    return this.#decided?.get(commandName(key));
  }

  /** Adds facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const event of events) passFact(this, this.appended, event);
  }

  #apply(set: ToolTimeoutSet): void {
    const { tool, ms, by, ref } = set;
    if (by !== null && ref !== null) {
      this.#decided ??= new BoundedMap(maxRefs);
      this.#decided.set(commandName({ speaker: by, ref }), set);
    }
    if (ms === null) this.#timeouts.delete(tool);
    else this.#timeouts.set(tool, ms);
  }
}

/** Returns the fact that the timeout of a call has passed. `call`: undefined where it is gone. */
export const timeoutOf = (
  node: NodeId,
  call: { readonly name: string | null } | undefined,
  ms: number,
): ToolTimeout => ({
  type: 'tool_timeout',
  node,
  ...(call?.name && { name: call.name }),
  ms,
});

export interface TimeoutParts {
  readonly journal: Appender;
  readonly timeouts: ToolTimeouts;
  readonly tools: Pick<ToolPresence, 'mayHave'>;
  readonly limits: { readonly toolTimeoutMaxMs: number };
}

/**
 * Records the timeout of a tool for the next calls of the session; `by` null: a program sets it. Resolves after its commit. A ref counts once for its
 * speaker: what it has set is not set again, whatever was set since.
 */
export async function setToolTimeout(
  by: SpeakerId | null,
  { tool, ms, ref }: SetTimeoutRequest,
  { journal, timeouts, tools, limits: { toolTimeoutMaxMs } }: TimeoutParts,
): Promise<SetTimeoutReply> {
  const decided = by === null || ref === undefined ? undefined : timeouts.findDecided({ speaker: by, ref });
  if (decided) {
    if (decided.tool !== tool || decided.ms !== ms) return refReused;
    await journal.append([]);
    const { type, by, ref } = decided;
    return { type, set: { type, tool, ms, by, ref }, repeated: true };
  }
  const before = timeouts.all.get(tool) ?? null;
  const isKnown = tool === spawnAgent.name || tools.mayHave(tool);
  if (before === null && !isKnown) return { type: 'no_such_tool' }; // the timeout of a tool that is gone can be reset
  if (ms !== null && !(Number.isInteger(ms) && ms >= minTimeoutMs && ms <= toolTimeoutMaxMs)) {
    const range = `a whole number from ${minTimeoutMs} to ${toolTimeoutMaxMs} (limits.toolTimeoutMaxMs)`;
    return {
      type: 'timeout_out_of_range',
      limit: toolTimeoutMaxMs,
      message: `ms must be ${range}, or null, not ${ms}.`,
    };
  }
  const set = { type: 'tool_timeout_set', tool, ms, by, ref: ref ?? null } as const;
  const repeated = before === ms;
  await journal.append(repeated ? [] : [set]);
  return { type: 'tool_timeout_set', set, repeated };
}
