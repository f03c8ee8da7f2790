// Chat Completions as each family of endpoints has it: what the strictest one refuses, its call ids, and how it sends reasoning and calls.
import { randomBytes } from 'node:crypto';
import { fieldsOf } from '../../../src/core/collections/untrusted-fields.ts';
import { strictProfiles } from '../strict/strict-profiles.ts';
import { wireProblems } from '../strict/wire-problems.ts';
import { type Dialect, deltas, type EndpointRefusal, halves, hangs, type Play, type SeenRequest } from './stand-in.ts';

export type ChatFamilyName = keyof typeof strictProfiles;

/** How a family sends what is not text. */
interface Manner {
  /** Returns the delta with a piece of reasoning; null: reasoning is not sent. */
  readonly reasoning: ((text: string) => object) | null;
  /** Whether calls come whole, all at once. */
  readonly wholeCalls?: boolean;
  /** Returns the id of a call. `n`: its place among all calls so far; `i`: among those of its response. */
  callId(n: number, name: string, i: number): string;
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const asReasoningContent = (text: string) => ({ reasoning_content: text });
const asReasoning = (text: string) => ({ reasoning: text });

const manners: Readonly<Record<ChatFamilyName, Manner>> = {
  openai: { reasoning: null, callId: () => `call_${hex(12)}` },
  gemini: {
    reasoning: null,
    wholeCalls: true,
    callId: () => `function-call-${randomBytes(8).readBigUInt64BE()}`,
  },
  deepseek: { reasoning: asReasoningContent, callId: (_, __, i) => `call_0${i}_${hex(10)}` },
  kimi: { reasoning: asReasoningContent, callId: (_, name, i) => `functions.${name}:${i}` }, // the same in each response
  mistral: {
    reasoning: (text) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }),
    wholeCalls: true,
    callId: (n) => `D${String(n).padStart(8, '0')}`,
  },
  qwen: { reasoning: asReasoningContent, callId: () => `call_${hex(12)}` },
  xai: { reasoning: asReasoningContent, wholeCalls: true, callId: () => `call_${Number(`0x${hex(4)}`)}` },
  groq: { reasoning: asReasoning, wholeCalls: true, callId: () => hex(5).slice(0, 9) },
  openrouter: {
    reasoning: (text) => ({ reasoning: text, reasoning_details: [{ type: 'reasoning.text', index: 0, text }] }),
    callId: () => `toolu_${hex(12)}`,
  },
  llamacpp: { reasoning: asReasoningContent, callId: () => hex(16) },
  vllm: { reasoning: asReasoning, callId: () => `chatcmpl-tool-${hex(16)}` },
  ollama: { reasoning: asReasoning, wholeCalls: true, callId: () => `call_${hex(4)}` },
  lmstudio: { reasoning: asReasoningContent, callId: (n) => String(100_000_000 + n) },
  // a server behind a proxy that has no rules of its own: reasoning between tags, and one id for all calls
  unknown: { reasoning: (content) => ({ content }), callId: () => 'call_0' },
};

/** Returns whether the family sends the arguments of a call piece by piece. */
export const streamsArguments = (family: ChatFamilyName): boolean => manners[family].wholeCalls !== true;

/** Returns the rules of an endpoint of the family. */
export function chatCompletions(family: ChatFamilyName): Dialect {
  const sent = new SentState();
  return {
    basePath: '/v1',
    check: (request) => checkRequest(request, family, sent),
    errorBody: ({ message }) => ({ error: { message, type: 'invalid_request_error', code: null } }),
    pieces: (play) => chunks(play, family, sent),
  };
}

/** What went out with calls, by their arguments' place: it has to come back as it was. */
class SentState {
  #calls = 0;
  readonly #reasonings = new Set<string>();
  readonly #signatures = new Set<string>(['skip_thought_signature_validator']);

  nextCall(): number {
    return ++this.#calls;
  }

  add(reasoning: string, signature: string | null): void {
    this.#reasonings.add(reasoning);
    if (signature !== null) this.#signatures.add(signature);
  }

  /** Returns why a message cannot have been made here; null: it can. */
  problemOf(message: unknown): string | null {
    const { reasoning_content, reasoning, tool_calls } = fieldsOf(message);
    const texts = [reasoning_content, reasoning].filter((text) => text !== undefined);
    const strange = texts.find((text) => !this.#reasonings.has(String(text).trim()));
    if (strange !== undefined) return `reasoning that was never sent: ${JSON.stringify(strange)}`;
    const calls = Array.isArray(tool_calls) ? tool_calls : [];
    for (const call of calls) {
      const { thought_signature: signature } = fieldsOf(fieldsOf(fieldsOf(call)['extra_content'])['google']);
      if (signature !== undefined && !this.#signatures.has(String(signature)))
        return `Thought signature is not valid: ${signature}`;
    }
    return null;
  }
}

const bad = (message: string, status = 400): EndpointRefusal => ({ status, message });

function checkRequest(
  { path, headers, body }: SeenRequest,
  family: ChatFamilyName,
  sent: SentState,
): EndpointRefusal | null {
  if (path !== '/v1/chat/completions') return bad('Not found', 404);
  if (!headers.authorization?.startsWith('Bearer ')) return bad('Unauthorized', 401);
  const [problem] = wireProblems(body, strictProfiles[family]);
  if (problem) return bad(problem);
  for (const message of body.messages) {
    const strange = sent.problemOf(message);
    if (strange !== null) return bad(strange);
    if (family === 'deepseek' && message.reasoning_content === '')
      return bad('The reasoning_content in the thinking mode must be passed back to the API.');
  }
  return null;
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const reasons = { length: 'length', filter: 'content_filter', refusal: 'stop', error: 'error' } as const;

function* chunks(play: Play, family: ChatFamilyName, sent: SentState): Generator<string | typeof hangs> {
  const { reasoning = '', text, calls = [], hang, ends } = play;
  yield chunk({ role: 'assistant', content: family === 'mistral' ? '' : null });
  yield* reasoningChunks(reasoning, hang === 'reasoning', family);
  if (text !== undefined) yield* deltas(text, hang === 'text', (content) => chunk({ content }));
  const signature = family === 'gemini' && calls.length > 0 ? `signature ${sent.nextCall()}==` : null;
  sent.add(manners[family].reasoning && family !== 'unknown' ? reasoning : '', signature);
  yield* callChunks(play, family, sent, signature);
  if (ends === 'error') {
    yield event({ error: { message: 'The upstream is not available.', code: 502 } });
    return;
  }
  yield chunk({}, ends ? reasons[ends] : calls.length > 0 ? 'tool_calls' : 'stop');
  yield event({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
  yield 'data: [DONE]\n\n';
}

function* reasoningChunks(text: string, isHanging: boolean, family: ChatFamilyName) {
  const { reasoning } = manners[family];
  if (text === '' || !reasoning) {
    if (isHanging) yield hangs; // it thinks, and shows nothing of it
    return;
  }
  const isTagged = family === 'unknown';
  if (isTagged) yield chunk({ content: '<think>' });
  yield* deltas(text, isHanging, (piece) => chunk(reasoning(piece)));
  if (isTagged) yield chunk({ content: '</think>\n\n' });
}

function* callChunks({ calls = [], hang }: Play, family: ChatFamilyName, sent: SentState, signature: string | null) {
  const { callId, wholeCalls = false } = manners[family];
  for (const [index, [name, input, id]] of calls.entries()) {
    const isCut = hang === 'arguments' && index === calls.length - 1;
    if (isCut && wholeCalls) yield hangs;
    const text = JSON.stringify(input);
    const [first, second] = wholeCalls ? [text, ''] : halves(text);
    const google = index === 0 && signature !== null ? { google: { thought_signature: signature } } : null;
    const head = { index, id: id ?? callId(sent.nextCall(), name, index), type: 'function' };
    const more = google && { extra_content: google };
    yield chunk({ tool_calls: [{ ...head, function: { name, arguments: first }, ...more }] });
    if (isCut) yield hangs;
    if (second !== '') yield chunk({ tool_calls: [{ index, function: { arguments: second } }] });
  }
}
