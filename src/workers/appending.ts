// The worker that waits for a commit: of a round's calls before they run, and of a root turn's closing.
import { fromPromise } from 'xstate';
import type { Fact } from '../../machines/facts.ts';
import { planeOf } from './services.ts';

/** It hears no signal: a write is completed first. Once the session has ended it never resolves, and recovery closes the turn. */
export const append = fromPromise<void, readonly Fact[]>(({ input, system }) => planeOf(system).append(input));
