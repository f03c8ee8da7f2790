// What all workers have in common: their signal comes from the live tree, and they end once, never by throwing.
//
// 1. A worker never ends inside an abort: one `await` stands before anything.
// 2. It starts nothing when its node is cut.
// 3. It never rejects: what it throws is a failure with a name.
import { fromPromise } from 'xstate';
import type { NodeInput } from '../../machines/contracts.ts';
import type { Entry } from '../live/tree.ts';
import { type Plane, planeOf } from './services.ts';

export interface Job {
  readonly plane: Plane;
  readonly entry: Entry;
  /** The node's signal joined with XState's own: it fires when the node is cut, or its machine is demolished. */
  readonly signal: AbortSignal;
}

export interface WorkerLogic<Input extends NodeInput, Output> {
  run(input: Input, job: Job): Promise<Output>;
  /** How a node that was cut before it began ends. */
  stopped(input: Input, job: Job): Output;
  /** How one ends that threw. */
  failed(error: unknown, input: Input, job: Job): Output;
}

export function worker<Output, Input extends NodeInput>({ run, stopped, failed }: WorkerLogic<Input, Output>) {
  return fromPromise<Output, Input>(async ({ input, signal: demolished, system }) => {
    const plane = planeOf(system);
    const entry = plane.tree.get(input.id);
    if (!entry) throw new Error(`${input.id} is not in the live tree`);
    const joined = join(entry.stopper.signal, demolished);
    const job: Job = { plane, entry, signal: joined.signal };
    entry.working++;
    await null;
    try {
      return entry.cut || demolished.aborted ? stopped(input, job) : await run(input, job);
    } catch (error) {
      return failed(error, input, job);
    } finally {
      entry.working--;
      joined.leave();
    }
  });
}

/** By hand: Node keeps what `AbortSignal.any` has joined for as long as the sources live. */
function join(...sources: readonly AbortSignal[]) {
  const own = new AbortController();
  const stop = () => own.abort(sources.find((source) => source.aborted)?.reason);
  for (const source of sources) source.addEventListener('abort', stop);
  if (sources.some((source) => source.aborted)) stop();
  return {
    signal: own.signal,
    leave: () => {
      for (const source of sources) source.removeEventListener('abort', stop);
    },
  };
}

/** What `work` resolves with; or, `ms` after the signal at the latest, what `late` says of it. */
export function within<T>(work: Promise<T>, { plane, signal }: Job, ms: number, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    let disarm = () => {};
    const hurry = () => {
      disarm = plane.sources.clock.after(ms, () => end(() => resolve(late())));
    };
    const end = (tell: () => void) => {
      signal.removeEventListener('abort', hurry);
      disarm();
      tell();
    };
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
    if (signal.aborted) hurry();
    else signal.addEventListener('abort', hurry);
  });
}
