// The worker of `preparing`: builds the request of the next model call from the transcript.
import type { PrepareInput, PrepareReply } from '../../machines/contracts.ts';
import { originOf } from '../model/provider.ts';
import { raceAbort } from '../sources/race-abort.ts';
import { errorText } from '../text/error-text.ts';
import { findCompaction } from '../transcript/compaction.ts';
import { render } from '../transcript/render.ts';
import { consumeInputs } from './consume-inputs.ts';
import { settleWithin } from './settle-within.ts';
import { worker } from './worker.ts';

const abandoned = Symbol('abandoned');
const stoppedReply = (): PrepareReply => ({ kind: 'stopped' });

/** Resolves with `go` when the request is in the node's entry, or with `compact` when the transcript must be compacted first. */
export const prepare = worker<
  PrepareInput,
  PrepareReply,
  'runtime' | 'session' | 'history' | 'journal' | 'tree' | 'inbox'
>({
  async run({ id, index, agent, mayCompact }, job) {
    const { runtime, session, history } = job.services;
    const { contextTurns, contextBytes, toolTimeoutMaxMs, modelUnwindMs, compactAboveBytes } = runtime.limits;
    if (mayCompact && compactAboveBytes > 0 && findCompaction(history.facts(), id, runtime.limits))
      return { kind: 'go', compact: true };
    const tools = runtime.waitForTools();
    if (tools && (await raceAbort(tools, job.signal)) === 'aborted') return stoppedReply();
    const { instructions, provider, model } = runtime.profileOf(agent);
    consumeInputs(id, index, job.services);
    const rendered = render(history.facts(), {
      turn: id,
      instructions,
      contextTurns,
      contextBytes,
      toolTimeoutMaxMs,
      origin: originOf(provider, model),
      window: agent === null ? session.window : undefined,
    });
    const { buildContext } = runtime.extensions;
    const draft = { session: session.id, turn: id, messages: rendered, signal: job.signal };
    const built = Promise.resolve<unknown>(buildContext ? buildContext(draft) : rendered);
    const messages = await settleWithin(built, job, modelUnwindMs, () => abandoned);
    if (messages === abandoned) return { kind: 'stopped', code: 'context_abandoned' };
    if (job.entry.cut) return stoppedReply();
    if (!Array.isArray(messages)) throw new TypeError('buildContext must resolve with an array of messages.');
    job.entry.request = messages; // the worker of `generating` sends it
    return { kind: 'go' };
  },
  stopped: stoppedReply,
  failed(error, { id }, { entry, services }) {
    if (entry.cut) return stoppedReply();
    services.runtime.warn(`The context of ${id} could not be built.`, error);
    return { kind: 'failed', code: 'context_failed', message: errorText(error) };
  },
});
