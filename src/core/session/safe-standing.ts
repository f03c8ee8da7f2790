// Wraps an embedder's rule of standing, because a guard that throws would put the session's machine in `error`.
import type { StandingRule } from '../../../machines/standing.ts';

/** Returns a rule that never throws: an exception of `rule` is reported, and refuses the node (`not_allowed`). */
export function safeStanding(rule: StandingRule, warn: (message: string, error: unknown) => void): StandingRule {
  return (...args) => {
    try {
      return rule(...args);
    } catch (error) {
      warn('The custom rule of standing threw: the node is not stopped.', error);
      return { may: false, because: 'not_allowed' };
    }
  };
}
