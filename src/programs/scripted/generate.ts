// Generates the events of an answer as a provider streams them: chunks of a Chat Completion, at the pace of the answer; and the bodies of errors.
import { pause } from '../../core/sources/pause.ts';
import type { Sources } from '../../core/sources/sources.ts';
import type { HttpError, ScriptedAnswer, ScriptedCall, WireRequest } from './reply.ts';

type Delta = Readonly<Record<string, unknown>>;

const defaultChunkChars = 16;
/** Characters of a token, about. */
const tokenChars = 4;

const eventOf = (data: object | string): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** Yields the events, each with the blank line after it. Ends early when the signal fires. */
export async function* generateEvents(
  request: WireRequest,
  answer: ScriptedAnswer,
  { clock, ids }: Pick<Sources, 'clock' | 'ids'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { firstMs = 0, chunksPerSecond, chunkChars = defaultChunkChars } = answer.pace ?? {};
  const common = {
    id: ids('chatcmpl'),
    object: 'chat.completion.chunk',
    created: Math.floor(clock.now() / 1_000),
    model: request.model,
  };
  const choiceOf = (delta: Delta, reason: string | null) =>
    eventOf({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] });
  const calls = answer.half ? [...(answer.calls ?? []), answer.half] : (answer.calls ?? []);
  if (firstMs > 0) await pause(clock, firstMs, signal);
  for (const delta of deltasOf(answer.text ?? '', calls, chunkChars, () => ids('call'))) {
    if (signal.aborted) return;
    yield choiceOf(delta, null);
    if (chunksPerSecond !== undefined) await pause(clock, 1_000 / chunksPerSecond, signal);
  }
  if (signal.aborted) return;
  yield choiceOf({}, answer.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'));
  const usage = usageOf(request, answer, calls);
  if (usage) yield eventOf({ ...common, choices: [], usage });
  yield eventOf('[DONE]');
}

function* deltasOf(
  text: string,
  calls: readonly ScriptedCall[],
  chunkChars: number,
  createId: () => string,
): Generator<Delta> {
  yield { role: 'assistant', content: '' };
  for (const content of piecesOf(text, chunkChars)) yield { content };
  for (const [index, call] of calls.entries()) {
    const id = call.id ?? createId();
    yield { tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] };
    for (const piece of piecesOf(argumentsOf(call), chunkChars))
      yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
}

function* piecesOf(text: string, chars: number): Generator<string> {
  for (let from = 0; from < text.length; from += chars) yield text.slice(from, from + chars);
}

const argumentsOf = ({ arguments: given }: ScriptedCall): string =>
  typeof given === 'string' ? given : JSON.stringify(given);

/** Returns the usage that the last chunk reports; null: none. */
function usageOf(
  { messages, stream_options }: WireRequest,
  { text = '', usage }: ScriptedAnswer,
  calls: readonly ScriptedCall[],
) {
  if (usage === 'none' || stream_options?.['include_usage'] !== true) return null;
  const said = text + calls.map((call) => call.name + argumentsOf(call)).join('');
  const { input, output } = usage ?? { input: tokensOf(JSON.stringify(messages)), output: tokensOf(said) };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

const tokensOf = (text: string): number => Math.max(1, Math.ceil(text.length / tokenChars));

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Returns the body of an error, in the provider's shape. */
export function errorBody({ status, message, code }: HttpError): string {
  const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return JSON.stringify({
    error: { message: message ?? `The script answers with ${status}.`, type, param: null, code: code ?? null },
  });
}
