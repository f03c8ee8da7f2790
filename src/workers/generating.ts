// The worker of `generating`: sends one request to the model, streams its text, and reports how it ended.
//
// 1. Every request has a `model_started` before it and a `model_ended` after it, even if it fails. Text does not pass through the machines.
// 2. `model_ended` has the block's text at the time of its closing. So the history contains exactly the text that was published.

import type { ModelInput, ModelReply } from '../../machines/contracts.ts';
import type { ModelEnded, ModelState } from '../../machines/facts.ts';
import type { Message } from '../../machines/messages.ts';
import { narrowOptions } from '../../machines/model-options.ts';
import { type Finish, noUsage, type Usage, unknownUsage } from '../../machines/vocabulary.ts';
import { type ModelEnd, originOf } from '../model/provider.ts';
import { errorText } from '../text/error-text.ts';
import type { Origin } from '../transcript/round-messages.ts';
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
    const { provider, model, declarations, options } = runtime.profileOf(agent);
    stream.open(id, index);
    void journal.append([{ type: 'model_started', turn: id, index }]); // clients receive the block's text after this commit
    let hasTextAfterCut = false;
    let hasReasoning = false;
    const response = provider.stream(
      {
        messages,
        tools: declarations,
        model,
        options: narrowOptions(options, input.options),
        session: session.id,
      },
      {
        signal: job.signal,
        onText(text) {
          if (job.entry.cut) hasTextAfterCut = true;
          else stream.write(id, index, text);
        },
        onReasoning(text) {
          hasReasoning = true;
          stream.preview({ type: 'reasoning_delta', turn: id, index, text });
        },
        onCallInput({ position, name, text }) {
          stream.preview({ type: 'tool_input_delta', turn: id, index, position, name, text });
        },
      },
    );
    const end = await settleWithin<ModelEnd | Abandoned>(response, job, modelUnwindMs, abandonedEnd);
    const reply = closeModelCall(input, job, {
      end,
      cutOff: hasTextAfterCut || end.kind !== 'completed',
      hasReasoning,
      origin: originOf(provider, model),
    });
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
    return closeModelCall(input, job, { end, cutOff: true, hasReasoning: false, origin: null });
  },
});

interface ModelClosing {
  readonly end: ModelEnd | Abandoned;
  /** Whether the text is incomplete. */
  readonly cutOff: boolean;
  readonly hasReasoning: boolean;
  /** Null: it is not known. */
  readonly origin: Origin | null;
}

/** Closes the text block and appends `model_ended`, with what the provider wants back before it. */
function closeModelCall({ id, index }: ModelInput, { services }: Job<Needs>, closing: ModelClosing): ModelReply {
  const { end, cutOff } = closing;
  services.text.closeBlocks(id);
  const text = services.text.readText(id, index);
  const failure = end.kind === 'failed' ? { code: end.code, message: end.message } : {};
  const finish = end.kind === 'completed' ? { finish: finishOfResponse(end, text, closing) } : {};
  const { usage } = end;
  const fact: ModelEnded = {
    type: 'model_ended',
    turn: id,
    index,
    outcome: outcomes[end.kind],
    ...failure,
    text,
    cutOff,
    ...finish,
    usage,
  };
  void services.journal.append([...stateFacts(id, index, closing, services), fact]);
  const reply = { text, calls: [], ...finish, usage };
  if (end.kind === 'abandoned') return { kind: 'stopped', code: 'model_abandoned', ...reply };
  return { kind: end.kind === 'completed' ? 'go' : end.kind, ...failure, ...reply };
}

type Completed = Extract<ModelEnd, { kind: 'completed' }>;

/** Tells apart what providers call `stop`. */
function finishOfResponse({ finish, calls }: Completed, text: string, { hasReasoning }: ModelClosing): Finish {
  if (finish !== 'stop') return finish;
  if (calls.length > 0) return 'tool_calls';
  if (text.trim() !== '') return 'stop';
  return hasReasoning ? 'reasoning_only' : 'empty';
}

/** The limit of what a provider may want back, as JSON text. */
const maxStateChars = 1_048_576;

/** Returns the fact of what the provider wants back: none for a response that was cut off or is not whole. */
function stateFacts(
  turn: string,
  index: number,
  { end, cutOff, origin }: ModelClosing,
  { runtime }: Job<Needs>['services'],
): readonly ModelState[] {
  if (end.kind !== 'completed' || cutOff || origin === null) return [];
  const isWhole = end.finish === 'stop' || end.finish === 'tool_calls';
  const { state: parts = [] } = end;
  if (!isWhole || parts.length === 0) return [];
  const chars = JSON.stringify(parts).length;
  if (chars <= maxStateChars) return [{ type: 'model_state', turn, index, ...origin, parts }];
  runtime.warn(
    `What ${origin.provider} wants back with a response is dropped: ${chars} characters, and the limit is ${maxStateChars}.`,
  );
  return [];
}
