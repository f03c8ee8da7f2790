// Shows the plan of a CANCEL to the inspector of the runtime, if there is one.
import type { CancelCommand, Plan } from '../../machines/cancel.ts';
import type { StopBudgets } from '../live/budgets.ts';
import type { Services } from '../workers/services.ts';

/** Shows a plan, in the tick of its decision. An inspector that throws is reported, and stops nothing. */
export function inspectPlan(
  { runtime, session, tree }: Pick<Services, 'runtime' | 'session' | 'tree'>,
  budgets: StopBudgets,
  plan: Plan,
  { cancel, force }: CancelCommand,
): void {
  try {
    runtime.inspector?.planned?.({
      ...{ session: session.id, cancel, plan },
      budgetOf(id) {
        const entry = tree.get(id);
        return entry && tree.isLeaf(entry) ? budgets.msOf(entry, { force }) : null;
      },
    });
  } catch (error) {
    runtime.warn('The inspector threw.', error);
  }
}
