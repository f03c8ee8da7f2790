// The worker of `generating`: sends one request to the model, and reports how its response ended.
//
// 1. Every request has a `model_started` before it and a `model_ended` after it, even if it fails.
import type { ModelInput, ModelReply } from '../../../machines/contracts.ts';
import type { Message } from '../../../machines/messages.ts';
import type { ToolDeclaration } from '../../../machines/tool-declaration.ts';
import { noUsage, unknownUsage } from '../../../machines/vocabulary.ts';
import {
  type ModelEnd,
  type ModelRequest,
  modelOfTurn,
  narrowOptions,
  originOf,
  type Provider,
} from '../contracts/provider.ts';
import { errorText } from '../text/error-text.ts';
import type { AgentProfile } from './agent-profile.ts';
import { type AbandonedEnd, ModelCall, type ModelCallServices, shownMessage } from './model-call.ts';
import { readOpenedCall } from './read-call.ts';
import { readCalls } from './read-calls.ts';
import { ResponseCalls } from './response-calls.ts';
import type { OpenedCall, RuntimeServices, Services } from './services.ts';
import { settleWithin } from './settle-within.ts';
import { type Job, worker } from './worker.ts';

const noOutput = { text: '', calls: [], usage: noUsage } as const;
const stoppedEnd = (): ModelEnd => ({ kind: 'stopped', calls: [], usage: unknownUsage });
const abandonedEnd = (): ModelEnd | AbandonedEnd => ({ kind: 'abandoned', usage: unknownUsage });

export const generate = worker<ModelInput, ModelReply, ModelCallServices | 'external'>({
  async run(input, job) {
    const { runtime, session, history, external } = job.services;
    const { opensCall } = job.entry;
    if (opensCall !== null) return replyOfOpenedCall(input, external.find(opensCall), job.services);
    const { roundsPerTurn, modelUnwindMs } = runtime.limits;
    const messages = (job.entry.request ?? []) as readonly Message[]; // messages: the worker of `preparing` has set it
    job.entry.request = null;
    if (input.index >= roundsPerTurn) {
      const message = `This turn has made ${roundsPerTurn} model calls, which is the limit.`;
      return { kind: 'failed', code: 'round_limit', message, ...noOutput };
    }
    const { provider, model, tools, options } = profileFor(input, runtime);
    using call = new ModelCall(input, job, originOf(provider, model));
    call.start(provider.endpoint);
    const request = { messages, tools, model, options, session: session.id, call: input };
    const response = requestResponse(provider, request, call, job);
    const end = await settleWithin<ModelEnd | AbandonedEnd>(response, job, modelUnwindMs, abandonedEnd);
    const reply = call.close(end);
    if (end.kind === 'failed' || end.kind === 'abandoned' || input.acknowledges !== undefined) {
      job.entry.unopened?.drop();
      return reply;
    }
    const reader = { runtime, session: session.id, facts: history.facts(), tools: options.tools };
    const calls = readCalls(end.calls, input, reader);
    const unopened = call.unopened ?? (calls.length > 0 ? new ResponseCalls(input, job) : null);
    job.entry.unopened = unopened;
    return { ...reply, calls: unopened?.finish(calls) ?? calls };
  },
  stopped: () => ({ kind: 'stopped', ...noOutput }),
  failed(error, { id }, { services, entry }) {
    entry.unopened?.drop();
    services.runtime.warn(`The model call of turn ${id} could not be made.`, error);
    const output = { text: '', calls: [], usage: unknownUsage } as const;
    if (entry.cut) return { kind: 'stopped', ...output };
    const code = 'model_malformed';
    return {
      kind: 'failed',
      code,
      message: shownMessage({ code, message: errorText(error) }, services.runtime),
      ...output,
    };
  },
});

/** The turn was opened for one call, and calls no model: it has the call, then ends. */
const replyOfOpenedCall = (
  { index }: ModelInput,
  opened: OpenedCall | null,
  { runtime, session }: Pick<Services, 'runtime' | 'session'>,
): ModelReply => ({
  kind: 'go',
  text: '',
  calls: index === 0 && opened ? [readOpenedCall(opened, session.id, runtime)] : [],
  usage: noUsage,
});

/** Returns the part of a profile that a model call uses. An acknowledgement is a small call, without tools. */
function profileFor(
  { agent, options, acknowledges }: ModelInput,
  { profileOf, acknowledgement, models }: RuntimeServices,
): Pick<AgentProfile, 'provider' | 'model' | 'options'> & { readonly tools: readonly ToolDeclaration[] } {
  const { provider, model, declarations, options: ownOptions } = profileOf(agent);
  if (acknowledges === undefined) {
    const { model: asked, ...callOptions } = options ?? {};
    const named = modelOfTurn(asked, model, models);
    return { provider, model: named, tools: declarations, options: narrowOptions(ownOptions, callOptions) };
  }
  return {
    provider,
    model: acknowledgement.model ?? model,
    tools: [],
    options: narrowOptions(ownOptions, acknowledgement.options),
  };
}

/** Resolves with the end of a response. A provider must not reject; the end of one that does closes its model call like any other. */
function requestResponse(
  provider: Provider,
  request: ModelRequest,
  call: ModelCall,
  { services, entry }: Job<ModelCallServices>,
): Promise<ModelEnd> {
  const response = new Promise<ModelEnd>((resolve) => resolve(provider.stream(request, call)));
  return response.catch((error: unknown): ModelEnd => {
    services.runtime.warn(
      `The model provider rejected in turn ${entry.id}. It must resolve with kind "failed" instead.`,
      error,
    );
    if (entry.cut) return stoppedEnd();
    return { kind: 'failed', code: 'model_malformed', message: errorText(error), usage: unknownUsage };
  });
}
