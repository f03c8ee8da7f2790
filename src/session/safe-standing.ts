// An embedder's rule of who may stop what, as a machine may ask it: a guard that threw would put the session's machine in `error`.
import type { Standing } from '../../machines/standing.ts';

export function sheltered(own: Standing, warn: (message: string, error: unknown) => void): Standing {
  return (...question) => {
    try {
      return own(...question);
    } catch (error) {
      warn('the rule of who may stop what threw', error);
      return { may: false, because: 'not_allowed' };
    }
  };
}
