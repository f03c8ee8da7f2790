// Counts what one task of an outside agent has used: tokens by the response to its prompt, money by the cost of its session.
import { z } from 'zod';
import { type Usage, unknownUsage } from '../../../machines/vocabulary.ts';
import type { AgentUpdate } from './agent-updates.ts';

const count = z.int().min(0);

/** The usage of a prompt. The kinds of tokens add up to `totalTokens`; agents differ in whether the cached ones are part of `inputTokens`. */
const tokensSchema = z.object({
  inputTokens: count,
  outputTokens: count,
  totalTokens: count.nullish(),
  cachedReadTokens: count.nullish(),
  cachedWriteTokens: count.nullish(),
  thoughtTokens: count.nullish(),
});

export class AgentUsage {
  /** The cost of the session before this task, in US dollars, as far as this process of the agent counts it. */
  #costBefore = 0;
  /** The cost of the session so far, in US dollars; null: the agent has not reported it since the task was handed over. */
  #cost: number | null = null;
  #tokens: Usage | null = null;

  /** Sets the cost of the session, if the agent reports it in US dollars. */
  addUpdate(update: AgentUpdate): void {
    if (update.sessionUpdate === 'usage_update' && update.cost.currency === 'USD') this.#cost = update.cost.amount;
  }

  /** Starts the count of a task. An agent that counts earlier tasks reports their cost while it loads the session; others count from the start of their process. */
  startTask(): void {
    this.#costBefore = this.#cost ?? 0;
    this.#cost = null;
  }

  /** Sets the tokens of the task, from the `usage` of the response to the prompt, unchecked. */
  setTokens(usage: unknown): void {
    const parsed = tokensSchema.safeParse(usage);
    if (parsed.success) this.#tokens = tokensOf(parsed.data);
  }

  /** Returns the usage of the task. `isWhole` false: the task was stopped or has failed, so the agent may have used more than it reported. */
  total({ isWhole }: { readonly isWhole: boolean }): Usage {
    const { kind, ...tokens } = this.#tokens ?? unknownUsage;
    const cost = this.#cost === null ? {} : { cost: Math.max(0, this.#cost - this.#costBefore) };
    return { kind: isWhole ? kind : 'unknown', ...tokens, ...cost };
  }
}

function tokensOf({ inputTokens, outputTokens, totalTokens, ...more }: z.output<typeof tokensSchema>): Usage {
  const { cachedReadTokens, cachedWriteTokens, thoughtTokens } = more;
  const apart = Math.max(0, (totalTokens ?? 0) - inputTokens - outputTokens);
  const cached = Math.min(apart, (cachedReadTokens ?? 0) + (cachedWriteTokens ?? 0));
  const thought = Math.min(apart - cached, thoughtTokens ?? 0);
  return {
    kind: 'exact',
    input: inputTokens + cached,
    output: outputTokens + thought,
    ...(cachedReadTokens != null && { cachedInput: cachedReadTokens }),
    ...(cachedWriteTokens != null && { cacheWrite: cachedWriteTokens }),
    ...(thoughtTokens != null && { reasoning: thoughtTokens }),
  };
}
