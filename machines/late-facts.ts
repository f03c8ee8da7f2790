// What is said of a child that ends behind its parent's closing: evidence, in facts of the session that name the node.
import type { OutcomeEvent } from './cancel.ts';
import type { AbandonedEnded, Fact, LateResult } from './facts.ts';

export function lateFacts({ node, outcome }: OutcomeEvent): readonly Fact[] {
  if (outcome.kind === 'ended_late') return [abandonedEnded(node, outcome.output)];
  const { kind, effect, output } = outcome;
  const late: LateResult = {
    type: 'late_result',
    node,
    outcome: kind,
    effect,
    ...(output !== undefined && { output }),
  };
  return [late];
}

export function abandonedEnded(node: string, output?: string): AbandonedEnded {
  return {
    type: 'abandoned_ended',
    node,
    ...(output !== undefined && { output }),
  };
}
