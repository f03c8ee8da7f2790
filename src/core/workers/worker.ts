// The frame of every worker: its signal comes from the live tree, and it ends once, never by throwing.
//
// 1. A worker never ends inside an abort: one `await` stands before anything.
// 2. It starts nothing when its node is cut.
// 3. It never rejects: an exception becomes a failure with a name.
// 4. The end of one that was cut is reported when the event loop has read what else has come: the next CANCEL goes before it. Its budget is over by then.
import { fromPromise } from 'xstate';
import type { NodeInput } from '../../../machines/contracts.ts';
import { leaveBudget } from '../live/budgets.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { afterPoll } from '../sources/loop-turns.ts';
import type { Services } from './services.ts';
import { bindingOf } from './session-bindings.ts';

/** One run of a worker: its node, and those of the session's services that it needs. */
export interface Job<Needs extends keyof Services = never> {
  readonly services: Pick<Services, Needs>;
  readonly entry: NodeEntry;
  /** The node's signal: it fires when the node is cut, or its machine is demolished. */
  readonly signal: AbortSignal;
}

export interface WorkerLogic<Input extends NodeInput, Output, Needs extends keyof Services> {
  run(input: Input, job: Job<Needs>): Promise<Output>;
  /** The end of a node that was cut before the worker started. */
  stopped(input: Input, job: Job<Needs>): Output;
  /** The end of a run that threw. */
  failed(error: unknown, input: Input, job: Job<Needs>): Output;
}

/** Makes the actor logic of a worker. */
export function worker<Input extends NodeInput, Output, Needs extends keyof Services>(
  logic: WorkerLogic<Input, Output, Needs>,
) {
  return fromPromise<Output, Input>(async ({ input, signal: demolished, system }) => {
    const { services } = bindingOf(system);
    const { tree } = services;
    const entry = tree.get(input.id);
    if (!entry) throw new Error(`The node ${input.id} is not in the live tree.`);
    const { stopper } = entry;
    const abort = () => stopper.abort(demolished.reason);
    demolished.addEventListener('abort', abort);
    const job: Job<Needs> = { services, entry, signal: stopper.signal };
    tree.startWork(entry);
    await null;
    try {
      let output: Output;
      try {
        output = entry.cut || demolished.aborted ? logic.stopped(input, job) : await logic.run(input, job);
      } catch (error) {
        output = logic.failed(error, input, job);
      }
      const { mark } = entry.state;
      if (mark) {
        mark.work = 'ended';
        leaveBudget(entry);
        await afterPoll(services.runtime.sources.clock);
      }
      return output;
    } finally {
      demolished.removeEventListener('abort', abort);
      tree.endWork(entry);
    }
  });
}
