// Wraps an embedder's rule of standing: a guard that threw would put the session's machine in `error`.
import type { Standing } from '../../machines/standing.ts';

/** An exception of the rule is reported, and refuses (`not_allowed`). */
export function safeStanding(own: Standing, warn: (message: string, error: unknown) => void): Standing {
  return (...question) => {
    try {
      return own(...question);
    } catch (error) {
      warn('The rule of standing threw.', error);
      return { may: false, because: 'not_allowed' };
    }
  };
}
