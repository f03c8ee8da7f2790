// Facts of children that end after their parent's closing. They are evidence: each names the node, none changes a result.
import type { OutcomeEvent } from './cancel.ts';
import type { AbandonedEnded, Fact, LateResult } from './facts.ts';

/** Returns the facts of an OUTCOME that comes after the closing of the parent. */
export function lateFacts({ node, outcome }: OutcomeEvent): readonly Fact[] {
  if (outcome.kind === 'ended_late') return [abandonedEnded(node, outcome.output)];
  const { kind, message, parts, omitted, ms, usage, ...end } = outcome;
  const late: LateResult = { type: 'late_result', node, outcome: kind, ...end };
  return [late];
}

/** Returns the fact that an abandoned node has ended, with the output that it still had. */
export function abandonedEnded(node: string, output?: string): AbandonedEnded {
  return { type: 'abandoned_ended', node, ...outputField(output) };
}

const outputField = (output: string | undefined) => (output === undefined ? {} : { output });
