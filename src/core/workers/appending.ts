// The worker that waits for a commit: in `dispatching` for a round's calls, in `settling` for a root turn's closing.
import { fromPromise } from 'xstate';
import type { Fact } from '../../../machines/facts.ts';
import { bindingOf } from './session-bindings.ts';

/** Has no signal: a write is completed first. After the session has ended it never resolves, and recovery closes the turn. */
export const append = fromPromise<void, readonly Fact[]>(({ input, system }) =>
  bindingOf(system).services.journal.append(input),
);
