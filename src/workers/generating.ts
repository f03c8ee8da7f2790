// The worker of `generating`: sends one request to the model, streams its text to the outlet, and tells how it ended.
//
// 1. `model_started` and `model_ended` stand around every request, on every path; between them text goes past the machines.
// 2. The text of the history is what the outlet had when the block was closed: what was shown, and no more.

import type { ModelInput, ModelReply } from '../../machines/contracts.ts';
import type { ModelEnded } from '../../machines/facts.ts';
import { noUsage, unknownUsage } from '../../machines/vocabulary.ts';
import type { ModelEnd } from '../model/provider.ts';
import { errorText } from '../text/error-text.ts';
import { readCalls } from './read-calls.ts';
import { type Job, type WorkerLogic, within, worker } from './worker.ts';

const nothing = { text: '', calls: [], usage: noUsage } as const;

const outcomes = { completed: 'completed', stopped: 'cancelled', failed: 'failed' } as const;

function ended({ id, index }: ModelInput, { plane }: Job, end: ModelEnd, cutOff: boolean): ModelReply {
  plane.outlet.close(id);
  const text = plane.outlet.take(id, index);
  const failure = end.kind === 'failed' ? { code: end.code, message: end.message } : {};
  const fact: ModelEnded = {
    type: 'model_ended',
    turn: id,
    index,
    outcome: outcomes[end.kind],
    ...failure,
    text,
    cutOff,
    usage: end.usage,
  };
  void plane.append([fact]);
  return { kind: end.kind === 'completed' ? 'go' : end.kind, ...failure, text, calls: [], usage: end.usage };
}

const logic: WorkerLogic<ModelInput, ModelReply> = {
  async run(input, job) {
    const { id, index, agent } = input;
    const { plane, entry, signal } = job;
    const { roundsPerTurn, modelUnwindMs } = plane.limits;
    const messages = plane.drafts.get(id) ?? [];
    plane.drafts.delete(id);
    if (index >= roundsPerTurn) {
      const message = `This turn has made ${roundsPerTurn} model calls, which is the limit.`;
      return { kind: 'failed', code: 'round_limit', message, ...nothing };
    }
    const { provider, model, declarations } = plane.offer(agent);
    plane.outlet.open(id, index);
    void plane.append([{ type: 'model_started', turn: id, index }]); // which shows it, when it is told
    let late = false;
    const answer = provider.stream(
      { messages, tools: declarations, ...(model !== undefined && { model }) },
      {
        signal,
        onText(text) {
          if (entry.cut) late = true;
          else plane.outlet.write(id, index, text);
        },
      },
    );
    const end = await within(
      answer,
      job,
      modelUnwindMs,
      (): ModelEnd => ({ kind: 'stopped', calls: [], usage: unknownUsage }),
    );
    const reply = ended(input, job, end, late || end.kind !== 'completed');
    return end.kind === 'failed' ? reply : { ...reply, calls: readCalls(end.calls, input, plane) };
  },
  stopped: () => ({ kind: 'stopped', ...nothing }),
  // a provider that broke its contract, and rejected
  failed(error, input, job) {
    const { entry, plane } = job;
    plane.warn(`the provider of ${input.id} rejected`, error);
    const end: ModelEnd = entry.cut
      ? { kind: 'stopped', calls: [], usage: unknownUsage }
      : { kind: 'failed', code: 'model_malformed', message: errorText(error), usage: unknownUsage };
    return ended(input, job, end, true);
  },
};

export const model = worker(logic);
