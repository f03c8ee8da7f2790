// The worker of `generating`: sends one request to the model, streams its text, and reports how it ended.
//
// 1. Every request has a `model_started` before it and a `model_ended` after it, even if it fails. Text does not pass through the machines.
// 2. `model_ended` has the block's text at the time of its closing. So the history contains exactly the text that was published.

import type { ModelInput, ModelReply } from '../../machines/contracts.ts';
import type { ModelEnded } from '../../machines/facts.ts';
import type { Message } from '../../machines/messages.ts';
import { noUsage, type Usage, unknownUsage } from '../../machines/vocabulary.ts';
import type { ModelEnd } from '../model/provider.ts';
import { errorText } from '../text/error-text.ts';
import { readCalls } from './read-calls.ts';
import { settleWithin } from './settle-within.ts';
import { type Job, worker } from './worker.ts';

type Needs = 'runtime' | 'session' | 'text' | 'journal' | 'history';

const noOutput = { text: '', calls: [], usage: noUsage } as const;
const outcomes = { completed: 'completed', stopped: 'cancelled', failed: 'failed', abandoned: 'abandoned' } as const;
const stoppedEnd = (): ModelEnd => ({ kind: 'stopped', calls: [], usage: unknownUsage });

/** The provider has not ended the call in time. */
interface Abandoned {
  readonly kind: 'abandoned';
  readonly usage: Usage;
}
const abandonedEnd = (): ModelEnd | Abandoned => ({ kind: 'abandoned', usage: unknownUsage });

export const generate = worker<ModelInput, ModelReply, Needs>({
  async run(input, job) {
    const { runtime, session, text: stream, journal } = job.services;
    const { id, index, agent } = input;
    const { roundsPerTurn, modelUnwindMs } = runtime.limits;
    const messages = (job.entry.request ?? []) as readonly Message[]; // messages: the worker of `preparing` has set it
    job.entry.request = null;
    if (index >= roundsPerTurn) {
      const message = `This turn has made ${roundsPerTurn} model calls, which is the limit.`;
      return { kind: 'failed', code: 'round_limit', message, ...noOutput };
    }
    const { provider, model, declarations } = runtime.profileOf(agent);
    stream.open(id, index);
    void journal.append([{ type: 'model_started', turn: id, index }]); // clients receive the block's text after this commit
    let hasTextAfterCut = false;
    const response = provider.stream(
      { messages, tools: declarations, model },
      {
        signal: job.signal,
        onText(text) {
          if (job.entry.cut) hasTextAfterCut = true;
          else stream.write(id, index, text);
        },
      },
    );
    const end = await settleWithin<ModelEnd | Abandoned>(response, job, modelUnwindMs, abandonedEnd);
    const reply = closeModelCall(input, job, { end, cutOff: hasTextAfterCut || end.kind !== 'completed' });
    if (end.kind === 'failed' || end.kind === 'abandoned') return reply;
    return {
      ...reply,
      calls: readCalls(end.calls, input, { runtime, session: session.id, facts: job.services.history.facts() }),
    };
  },
  stopped: () => ({ kind: 'stopped', ...noOutput }),
  // a provider must not reject, but resolve with a `failed` end
  failed(error, input, job) {
    job.services.runtime.warn(
      `The model provider rejected in turn ${input.id}. It must resolve with kind "failed" instead.`,
      error,
    );
    const end: ModelEnd = job.entry.cut
      ? stoppedEnd()
      : { kind: 'failed', code: 'model_malformed', message: errorText(error), usage: unknownUsage };
    return closeModelCall(input, job, { end, cutOff: true });
  },
});

interface ModelClosing {
  readonly end: ModelEnd | Abandoned;
  /** Whether the text is incomplete. */
  readonly cutOff: boolean;
}

/** Closes the text block and appends `model_ended`. */
function closeModelCall(
  { id, index }: ModelInput,
  { services }: Job<Needs>,
  { end, cutOff }: ModelClosing,
): ModelReply {
  services.text.closeBlocks(id);
  const text = services.text.readText(id, index);
  const failure = end.kind === 'failed' ? { code: end.code, message: end.message } : {};
  const { usage } = end;
  const fact: ModelEnded = {
    type: 'model_ended',
    turn: id,
    index,
    outcome: outcomes[end.kind],
    ...failure,
    text,
    cutOff,
    usage,
  };
  void services.journal.append([fact]);
  const reply = { text, calls: [], usage };
  if (end.kind === 'abandoned') return { kind: 'stopped', code: 'model_abandoned', ...reply };
  return { kind: end.kind === 'completed' ? 'go' : end.kind, ...failure, ...reply };
}
