// The worker of `preparing`: builds the request of the next model call from the transcript.
import type { PrepareInput, PrepareReply } from '../../../machines/contracts.ts';
import type { Message } from '../../../machines/messages.ts';
import { dropUndefined } from '../collections/fields.ts';
import { modelOfTurn, originOf } from '../contracts/provider.ts';
import { raceAbort } from '../sources/abort-signals.ts';
import { errorText } from '../text/error-text.ts';
import { acknowledgementRequest } from '../transcript/acknowledgement-request.ts';
import { findCompaction } from '../transcript/compaction.ts';
import { renderRequest } from '../transcript/render.ts';
import { settleWithin } from './settle-within.ts';
import { type Job, worker } from './worker.ts';

const abandoned = Symbol('abandoned');
const stoppedReply = (): PrepareReply => ({ kind: 'stopped' });

/** Resolves with `go` when the request is in the node's entry, or with `compact` when the transcript must be compacted first. */
export const prepare = worker<
  PrepareInput,
  PrepareReply,
  'runtime' | 'session' | 'history' | 'journal' | 'tree' | 'inbox'
>({
  async run(input, job) {
    const { id, mayCompact, acknowledges } = input;
    const { runtime, session, history } = job.services;
    if (job.entry.opensCall !== null) return { kind: 'go' }; // no model is called
    const { modelUnwindMs, compactAboveBytes } = runtime.limits;
    if (mayCompact && compactAboveBytes > 0 && findCompaction(history.facts(), id, runtime.limits))
      return { kind: 'go', compact: true };
    // an acknowledgement calls no tools
    const tools = acknowledges === undefined ? runtime.tools.waitForSources() : null;
    if (tools && (await raceAbort(tools, job.signal)) === 'aborted') return stoppedReply();
    const rendered = acknowledges === undefined ? renderTurn(input, job) : renderAcknowledgement(acknowledges, job);
    const { buildContext } = runtime.extensions;
    const draft = {
      session: session.id,
      turn: id,
      messages: rendered,
      ...dropUndefined({ acknowledges }),
      signal: job.signal,
    };
    const built = Promise.resolve<unknown>(buildContext ? buildContext(draft) : rendered);
    const messages = await settleWithin(built, job, modelUnwindMs, () => abandoned);
    if (messages === abandoned) return { kind: 'stopped', code: 'context_abandoned' };
    if (job.entry.cut) return stoppedReply();
    if (!Array.isArray(messages)) throw new TypeError('buildContext must resolve with an array of messages.');
    job.entry.request = messages; // the worker of `generating` sends it
    job.entry.unopened = null;
    return { kind: 'go' };
  },
  stopped: stoppedReply,
  failed(error, { id }, { entry, services }) {
    if (entry.cut) return stoppedReply();
    services.runtime.warn(`The context of ${id} could not be built.`, error);
    return { kind: 'failed', code: 'context_failed', message: errorText(error) };
  },
});

type PreparingJob = Job<'runtime' | 'session' | 'history' | 'journal' | 'tree' | 'inbox'>;

/** Renders the messages of a turn, which consume its deferred inputs. */
function renderTurn({ id, index, agent, options }: PrepareInput, { services }: PreparingJob): readonly Message[] {
  const { runtime, history, journal, tree, inbox } = services;
  const { contextTurns, contextBytes, toolTimeoutMaxMs } = runtime.limits;
  const { instructions, provider, model } = runtime.profileOf(agent);
  // the request is rendered in this tick, and so reads what waits at the turn
  const waiting = tree.entries().filter(({ kind, parent, runsOn }) => kind === 'input' && parent === id && runsOn);
  for (const { id: input, owner } of waiting) {
    void journal.append([{ type: 'input_settled', input, turn: id, owner, fate: 'consumed', index }]);
    tree.remove(input);
    inbox.deliver({ type: 'INPUT_CONSUMED', input });
  }
  const { messages, leftOut } = renderRequest(history.facts(), {
    turn: id,
    instructions,
    contextTurns,
    contextBytes,
    toolTimeoutMaxMs,
    origin: originOf(provider, modelOfTurn(options?.model, model, runtime.models)),
  });
  if (leftOut.length > 0) void journal.append([{ type: 'turns_left_out', turn: id, turns: leftOut }]);
  return messages;
}

/** `cancel`: the id of the receipt. */
function renderAcknowledgement(cancel: string, { services, entry }: PreparingJob): readonly Message[] {
  const { runtime, history } = services;
  const { instructions } = runtime.acknowledgement;
  return acknowledgementRequest(history.facts(), cancel, { to: entry.owner, instructions });
}
