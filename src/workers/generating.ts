// The worker of `generating`: sends one request to the model, and reports how its response ended.
//
// 1. Every request has a `model_started` before it and a `model_ended` after it, even if it fails.
import type { ModelInput, ModelReply } from '../../machines/contracts.ts';
import type { Message } from '../../machines/messages.ts';
import { narrowOptions } from '../../machines/model-options.ts';
import { noUsage, unknownUsage } from '../../machines/vocabulary.ts';
import { type ModelEnd, originOf } from '../model/provider.ts';
import { errorText } from '../text/error-text.ts';
import { type AbandonedEnd, ModelCall, type ModelCallServices } from './model-call.ts';
import { readCalls } from './read-calls.ts';
import { settleWithin } from './settle-within.ts';
import { worker } from './worker.ts';

const noOutput = { text: '', calls: [], usage: noUsage } as const;
const stoppedEnd = (): ModelEnd => ({ kind: 'stopped', calls: [], usage: unknownUsage });
const abandonedEnd = (): ModelEnd | AbandonedEnd => ({ kind: 'abandoned', usage: unknownUsage });

export const generate = worker<ModelInput, ModelReply, ModelCallServices | 'session' | 'history'>({
  async run(input, job) {
    const { runtime, session, history } = job.services;
    const { roundsPerTurn, modelUnwindMs } = runtime.limits;
    const messages = (job.entry.request ?? []) as readonly Message[]; // messages: the worker of `preparing` has set it
    job.entry.request = null;
    if (input.index >= roundsPerTurn) {
      const message = `This turn has made ${roundsPerTurn} model calls, which is the limit.`;
      return { kind: 'failed', code: 'round_limit', message, ...noOutput };
    }
    const { provider, model, declarations: tools, options: ownOptions } = runtime.profileOf(input.agent);
    const options = narrowOptions(ownOptions, input.options);
    using call = new ModelCall(input, job, originOf(provider, model));
    call.start();
    const response = provider.stream({ messages, tools, model, options, session: session.id }, call);
    const end = await settleWithin<ModelEnd | AbandonedEnd>(response, job, modelUnwindMs, abandonedEnd);
    const reply = call.close(end);
    if (end.kind === 'failed' || end.kind === 'abandoned') return reply;
    const reader = { runtime, session: session.id, facts: history.facts(), tools: options.tools };
    const calls = readCalls(end.calls, input, reader);
    return { ...reply, calls };
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
    return new ModelCall(input, job, null).close(end);
  },
});
