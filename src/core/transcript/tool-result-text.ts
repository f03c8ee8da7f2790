// Writes the result of a call as the model reads it: the plain output if the call completed, and a standard text for every other outcome.
//
// 1. A text says "did not run" if and only if the effect is `not_started`.
// 2. `cancelled: true` marks a call that the model must not repeat unless it is asked to.
import type { ToolCall, ToolResult } from '../../../machines/facts.ts';
import type { Cause } from '../../../machines/vocabulary.ts';
import { describeEffect, describeEnd, failureSentence } from '../words/model-words.ts';

/** The facts about a call, beside its result, that the text depends on. */
export interface Circumstances {
  /** The cause of its cut; null: it was not stopped. */
  readonly cause: Cause | null;
  /** The call's own timeout in milliseconds, if that has expired; otherwise null. */
  readonly expiredTimeoutMs: number | null;
  /** The longest timeout that a model may ask for, in milliseconds. */
  readonly maxTimeoutMs: number;
}

/** The message of a tool may be a fragment: `exit code 3`. */
const asSentence = (text: string): string => (/[.!?…)\]]$/.test(text) ? text : `${text}.`);

/** Returns the argument by which a model sets the timeout of a call. The instructions of a model name it too (src/core/runtime/agent-profiles.ts). */
export const timeoutArgument = (maxMs: number) =>
  `\`"_meta": {"timeout": <milliseconds>}\` among its arguments, ${maxMs} at most`;

/** Returns the advice after an expired time limit. Another try can help only if it was the call's own timeout. */
function adviceAfterTimeout({ expiredTimeoutMs, maxTimeoutMs }: Circumstances): string {
  if (expiredTimeoutMs === null) return 'Go on without it, or go another way.';
  const more = expiredTimeoutMs < maxTimeoutMs ? `, or with more time: ${timeoutArgument(maxTimeoutMs)}` : '';
  return `Go on without it, go another way, or call it again in smaller steps${more}.`;
}

/** Names the time limit that has expired. The cause of a deadline names it. */
function expiryOf({ expiredTimeoutMs, cause }: Circumstances): string {
  const reason = expiredTimeoutMs === null && cause?.source === 'deadline' ? cause.reason : null;
  return reason ?? 'its time was over';
}

const reasonOf = ({ code, message }: ToolResult): string | undefined =>
  message || (code && failureSentence(code)) || undefined;

/** Returns the content of a call's one tool message: its output, or a JSON object with `status`, `effect` and `message`. */
export function resultText(result: ToolResult, { name, owner }: ToolCall, circumstances: Circumstances): string {
  const { outcome, effect: recorded, code, ms, output = '', omitted } = result;
  if (outcome === 'completed') return output || '(no output)';
  const { status, mustNotRetry, text } = describeEnd(outcome, circumstances.cause?.source === 'deadline', {
    name,
    owner,
    effect: recorded,
    reason: reasonOf(result),
    tookMs: circumstances.expiredTimeoutMs ?? ms,
    expiry: expiryOf(circumstances),
    advice: adviceAfterTimeout(circumstances),
  });
  const { effect, sentence } = describeEffect(recorded);
  return JSON.stringify({
    status,
    cancelled: mustNotRetry || undefined,
    effect,
    message: `${asSentence(text)} ${sentence}`,
    code,
    output: output || undefined,
    omitted,
  });
}
