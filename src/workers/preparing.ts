// The worker of `preparing`: builds the request of the next model call from the transcript.

import type { PrepareInput, PrepareReply } from '../../machines/contracts.ts';
import { errorText } from '../text/error-text.ts';
import { findCompaction } from '../transcript/compaction.ts';
import { render } from '../transcript/render.ts';
import { type WorkerLogic, within, worker } from './worker.ts';

const stopped = (): PrepareReply => ({ kind: 'stopped' });

const logic: WorkerLogic<PrepareInput, PrepareReply> = {
  async run({ id, agent, mayCompact }, job) {
    const { plane, entry, signal } = job;
    const { contextTurns, contextBytes, toolTimeoutMaxMs, modelUnwindMs, compactAboveBytes } = plane.limits;
    const facts = plane.history.facts();
    if (mayCompact && compactAboveBytes > 0 && findCompaction(facts, id, plane.limits))
      return { kind: 'go', compact: true };
    const { instructions } = plane.offer(agent);
    const rendered = render(facts, { turn: id, instructions, contextTurns, contextBytes, toolTimeoutMaxMs });
    const built = plane.buildContext
      ? plane.buildContext({ session: plane.session, turn: id, messages: rendered, signal })
      : Promise.resolve(rendered);
    const messages = await within(built, job, modelUnwindMs, () => null);
    if (entry.cut || messages === null) return stopped();
    plane.drafts.set(id, messages);
    return { kind: 'go' };
  },
  stopped,
  failed(error, { id }, { entry, plane }) {
    if (entry.cut) return stopped();
    plane.warn(`the context of ${id} could not be built`, error);
    return { kind: 'failed', code: 'context_failed', message: errorText(error) };
  },
};

export const prepare = worker(logic);
