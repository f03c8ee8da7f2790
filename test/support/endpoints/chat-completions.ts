// Chat Completions as each family of endpoints has it: what the strictest one refuses, its call ids, and how it sends reasoning and calls.
import { createHmac, randomBytes } from 'node:crypto';
import { fieldsOf, type UntrustedFields } from '../../../src/core/collections/fields.ts';
import { type StrictProfile, strictProfiles } from '../strict/strict-profiles.ts';
import { wireProblems } from '../strict/wire-problems.ts';
import { type Dialect, deltas, type EndpointRefusal, halves, hangs, type Play, type SeenRequest } from './stand-in.ts';

export type ChatFamilyName = keyof typeof strictProfiles;

/** How a family sends what is not text. */
interface Manner {
  /** Returns the delta with a piece of reasoning; null: reasoning is not sent. */
  readonly reasoning: ((text: string) => object) | null;
  /** Returns the delta that signs the reasoning before it. Left out: it is not signed. */
  readonly signature?: (signature: string) => object;
  /** Whether calls come whole, all at once. */
  readonly wholeCalls?: boolean;
  /** Returns the id of a call. `n`: its place among all calls so far; `i`: among those of its response. */
  callId(n: number, name: string, i: number): string;
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const asReasoningContent = (text: string) => ({ reasoning_content: text });
const asReasoning = (text: string) => ({ reasoning: text });

/** The fields of each piece of a thinking block of Claude: OpenRouterTeam/ai-sdk-provider#423. */
const claudeThinking = { type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1' };

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
    reasoning: (text) => ({ reasoning: text, reasoning_details: [{ ...claudeThinking, text }] }),
    signature: (signature) => ({ reasoning_details: [{ ...claudeThinking, signature }] }),
    callId: () => `toolu_${hex(12)}`,
  },
  llamacpp: { reasoning: asReasoningContent, callId: () => hex(16) },
  vllm: { reasoning: asReasoning, callId: () => `chatcmpl-tool-${hex(16)}` },
  ollama: { reasoning: asReasoning, wholeCalls: true, callId: () => `call_${hex(4)}` },
  lmstudio: { reasoning: asReasoningContent, callId: (n) => String(100_000_000 + n) },
  // a server behind a proxy that has no rules of its own: reasoning between tags, and one id for all calls
  unknown: { reasoning: (content) => ({ content }), callId: () => 'call_0' },
};

/** Families that give the calls of each response the same ids: they tell nothing about the response. */
const repeatsIds: ReadonlySet<ChatFamilyName> = new Set(['kimi', 'unknown']);

/** Returns whether the family sends the arguments of a call piece by piece. */
export const streamsArguments = (family: ChatFamilyName): boolean => manners[family].wholeCalls !== true;

/** Returns the rules of an endpoint of the family. */
export function chatCompletions(family: ChatFamilyName): Dialect {
  const sent = new SentState(strictProfiles[family]);
  return {
    basePath: '/v1',
    check: (request) => checkRequest(request, family, sent),
    errorBody: ({ message }) => ({ error: { message, type: 'invalid_request_error', code: null } }),
    pieces: (play) => chunks(play, family, sent),
  };
}

/** The state that a response went out with. */
interface Sent {
  readonly reasoning: string;
  /** The signature of its reasoning, or of its first call. */
  readonly signature: string | null;
}

/** What went out: it has to come back as it was. */
class SentState {
  readonly #profile: StrictProfile;
  #calls = 0;
  readonly #reasonings = new Set<string>();
  readonly #signatures = new Set<string>(['skip_thought_signature_validator']);
  /** By the ids of their calls. */
  readonly #responses = new Map<string, Sent>();

  constructor(profile: StrictProfile) {
    this.#profile = profile;
  }

  nextCall(): number {
    return ++this.#calls;
  }

  add(response: Sent): void {
    this.#reasonings.add(response.reasoning);
    if (response.signature !== null) this.#signatures.add(response.signature);
  }

  addCall(id: string, response: Sent): void {
    this.#responses.set(id, response);
  }

  /** Returns why a message cannot have been made here; null: it can. `at`: its place. `isCurrent`: it belongs to the turn that goes on. */
  problemOf(message: unknown, at: number, isCurrent: boolean): string | null {
    const { reasoning_content, reasoning, tool_calls } = fieldsOf(message);
    const texts = [reasoning_content, reasoning].filter((text) => text !== undefined);
    const strange = texts.find((text) => !this.#reasonings.has(String(text).trim()));
    if (strange !== undefined) return `reasoning that was never sent: ${JSON.stringify(strange)}`;
    const calls = Array.isArray(tool_calls) ? tool_calls.map(fieldsOf) : [];
    for (const call of calls) {
      const { thought_signature: signature } = fieldsOf(fieldsOf(call['extra_content'])['google']);
      if (signature !== undefined && !this.#signatures.has(String(signature)))
        return `Thought signature is not valid: ${signature}`;
    }
    const response = this.#responses.get(String(calls[0]?.['id']));
    if (this.#profile.state === 'signed_thinking')
      return thinkingProblem(message, at, isCurrent ? response : undefined);
    return response === undefined ? null : this.#lossIn(fieldsOf(message), response);
  }

  /** A response that is known by its calls goes back with the state that it came with, and with that of no other one. */
  #lossIn(
    { reasoning_content: text, tool_calls: calls }: UntrustedFields,
    { reasoning, signature }: Sent,
  ): string | null {
    if (this.#profile.state === 'reasoning_content' && reasoning !== '' && text !== reasoning)
      return 'The reasoning_content in the thinking mode must be passed back to the API.';
    if (this.#profile.state !== 'thought_signature') return null;
    const [first] = calls as readonly unknown[]; // it was found by its calls
    const { thought_signature: returned } = fieldsOf(fieldsOf(fieldsOf(first)['extra_content'])['google']);
    return returned === signature ? null : `Thought signature is not valid: ${returned}`;
  }
}

/**
 * Returns why Claude refuses the thinking of a message; null: it takes it. `response`: what went out with the calls of the message, where
 * it must come back with them.
 */
function thinkingProblem(message: unknown, at: number, response: Sent | undefined): string | null {
  const { reasoning_details: details = [] } = fieldsOf(message);
  if (!Array.isArray(details)) return `messages.${at}.reasoning_details: Input should be a valid list`;
  const blocks = details.map(fieldsOf);
  for (const [i, { text, signature }] of blocks.entries()) {
    if (typeof signature !== 'string') return `messages.${at}.content.${i}.thinking.signature: Field required`;
    if (signature !== signatureOf(String(text ?? '')))
      return `messages.${at}.content.${i}: Invalid \`signature\` in \`thinking\` block`;
  }
  if (!response || response.reasoning === '' || blocks[0]?.['signature'] === response.signature) return null;
  return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`.`;
}

/** The signature of a thinking block: nobody else can make one, and it holds for no other text. */
const signatureOf = (thinking: string): string => createHmac('sha256', signingKey).update(thinking).digest('base64');
const signingKey = randomBytes(16);

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
  const turn = body.messages.findLastIndex(({ role }: { readonly role: string }) => role === 'user');
  for (const [at, message] of body.messages.entries()) {
    const strange = sent.problemOf(message, at, at > turn);
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
  const response: Sent = {
    reasoning: manners[family].reasoning && family !== 'unknown' ? reasoning : '',
    signature:
      family === 'gemini' && calls.length > 0
        ? `signature ${sent.nextCall()}==`
        : manners[family].signature
          ? signatureOf(reasoning)
          : null,
  };
  sent.add(response);
  yield* callChunks(play, family, sent, response);
  if (ends === 'error') {
    yield event({ error: { message: 'The upstream is not available.', code: 502 } });
    return;
  }
  yield chunk({}, ends ? reasons[ends] : calls.length > 0 ? 'tool_calls' : 'stop');
  yield event({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
  yield 'data: [DONE]\n\n';
}

function* reasoningChunks(text: string, isHanging: boolean, family: ChatFamilyName) {
  const { reasoning, signature } = manners[family];
  if (text === '' || !reasoning) {
    if (isHanging) yield hangs; // it thinks, and shows nothing of it
    return;
  }
  const isTagged = family === 'unknown';
  if (isTagged) yield chunk({ content: '<think>' });
  yield* deltas(text, isHanging, (piece) => chunk(reasoning(piece)));
  if (isTagged) yield chunk({ content: '</think>\n\n' });
  if (signature) yield chunk(signature(signatureOf(text)));
}

function* callChunks({ calls = [], hang }: Play, family: ChatFamilyName, sent: SentState, response: Sent) {
  const { callId, wholeCalls = false } = manners[family];
  for (const [index, [name, input, id]] of calls.entries()) {
    const isCut = hang === 'arguments' && index === calls.length - 1;
    if (isCut && wholeCalls) yield hangs;
    const text = JSON.stringify(input);
    const [first, second] = wholeCalls ? [text, ''] : halves(text);
    const isSigned = family === 'gemini' && index === 0;
    const google = isSigned ? { google: { thought_signature: response.signature } } : null;
    const head = { index, id: id ?? callId(sent.nextCall(), name, index), type: 'function' };
    if (!repeatsIds.has(family)) sent.addCall(head.id, response);
    const more = google && { extra_content: google };
    yield chunk({ tool_calls: [{ ...head, function: { name, arguments: first }, ...more }] });
    if (isCut) yield hangs;
    if (second !== '') yield chunk({ tool_calls: [{ index, function: { arguments: second } }] });
  }
}
