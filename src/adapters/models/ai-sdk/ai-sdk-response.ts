// Reads the parts of one response by the AI SDK: passes on text, reasoning and arguments, and keeps what is whole.
//
// 1. A call counts when its `tool-call` has arrived. What was still arriving at a stop is dropped whole.
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describeMedia } from '../../../../machines/content.ts';
import type { Json, MessageCall } from '../../../../machines/messages.ts';
import { type Finish, type Usage, unknownUsage } from '../../../../machines/vocabulary.ts';
import { dropUndefined } from '../../../core/collections/fields.ts';
import type { ModelRequest, ModelStream } from '../../../core/contracts/provider.ts';
import { toBase64 } from '../data-url.ts';
import { responseIdentity } from '../endpoint-ids.ts';
import { estimatedUsage } from '../estimate-usage.ts';
import type { CompletedEnd } from '../model-exchange.ts';
import { OverLimit, responseLimits } from '../response-limits.ts';
import { AiSdkProviderCalls } from './ai-sdk-provider-calls.ts';
import { type ResponsePart, stateOfParts } from './ai-sdk-state.ts';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>;
type Finished = Part<'finish'>;
type Metadata = Json | undefined;

const metadataOf = ({ providerMetadata }: { readonly providerMetadata?: unknown }): Metadata =>
  // what a provider says of its parts is JSON by its type
  providerMetadata as Metadata;

/** A block of text or reasoning, which grows. */
interface Block {
  readonly type: 'text' | 'reasoning';
  readonly id: string;
  readonly from: number;
  to: number;
  text: string;
  metadata: Metadata;
}

export class AiSdkResponse {
  readonly #stream: ModelStream;
  readonly #request: ModelRequest;
  readonly #providerCalls: AiSdkProviderCalls;
  readonly #parts: (Block | ResponsePart)[] = [];
  readonly #calls: MessageCall[] = [];
  /** Calls whose arguments arrive, by their id. */
  readonly #inputs = new Map<string, { readonly position: number; readonly name: string }>();
  #finished: Finished | null = null;
  #hasStarted = false;
  #textChars = 0;
  #reasoningChars = 0;
  #inputChars = 0;

  constructor(stream: ModelStream, request: ModelRequest) {
    this.#stream = stream;
    this.#request = request;
    this.#providerCalls = new AiSdkProviderCalls(stream);
  }

  /** Whether anything of a response has arrived: then the request is not sent again. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get isFinished(): boolean {
    return this.#finished !== null;
  }

  /** The calls that are whole by now, in their order. */
  wholeCalls(): readonly MessageCall[] {
    return this.#calls;
  }

  /** Throws `OverLimit`, or the error that the part is. */
  addPart(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-end':
        return this.#addText(part.id, '', metadataOf(part));
      case 'text-delta':
        return this.#addText(part.id, part.delta, metadataOf(part));
      case 'reasoning-start':
      case 'reasoning-end':
        return this.#addReasoning(part.id, '', metadataOf(part));
      case 'reasoning-delta':
        return this.#addReasoning(part.id, part.delta, metadataOf(part));
      case 'tool-input-start':
        return this.#startInput(part);
      case 'tool-input-delta':
        return this.#addInput(part);
      case 'tool-call':
        return this.#addCall(part);
      case 'tool-result':
        return this.#addOther(this.#providerCalls.endCall(part), metadataOf(part));
      case 'tool-approval-request':
        return this.#providerCalls.refuse(part);
      case 'custom':
        return this.#addOther({ type: 'custom', kind: part.kind }, metadataOf(part));
      case 'file':
        return this.#describeFile(part);
      case 'finish':
        this.#finished = part;
        return;
      case 'reasoning-file':
        return this.#addOther({ type: 'reasoning-file', ...fileOf(part) }, metadataOf(part));
      case 'response-metadata':
        return this.#stream.onResponse?.(responseIdentity({ id: part.id, model: part.modelId }));
      case 'error':
        throw part.error;
      case 'tool-input-end':
      case 'source':
      case 'stream-start':
      case 'ping':
      case 'raw':
        return;
    }
  }

  usage(): Usage {
    const chars = this.#textChars + this.#reasoningChars + this.#inputChars;
    const estimate = chars > 0 ? estimatedUsage(this.#request, chars) : unknownUsage;
    return (this.#finished && usageOfPart(this.#finished)) ?? estimate;
  }

  /** Returns the end of a response that is finished; a sentence if the provider says that it is not whole. */
  completedEnd(): CompletedEnd | string {
    const finish = finishOfPart(this.#finished, this.#calls.length > 0);
    if (finish === null) return 'The provider says that the response was interrupted.';
    const state = stateOfParts(this.#parts.map(keptPart));
    return {
      kind: 'completed',
      finish,
      calls: this.#calls,
      usage: this.usage(),
      ...dropUndefined({ state: state.length > 0 ? state : undefined }),
    };
  }

  #addText(id: string, delta: string, metadata: Metadata): void {
    if (delta === '' && metadata === undefined) return;
    const block = this.#block('text', id);
    this.#textChars += delta.length;
    if (this.#textChars > responseLimits.maxTextChars) throw new OverLimit('maxTextChars');
    block.to = this.#textChars;
    block.metadata = metadata ?? block.metadata;
    if (delta !== '') this.#stream.onText(delta);
  }

  #addReasoning(id: string, delta: string, metadata: Metadata): void {
    if (delta === '' && metadata === undefined) return;
    const isFirst = this.#reasoningChars === 0;
    const block = this.#block('reasoning', id);
    if (block.text === '' && delta !== '' && !isFirst) this.#stream.onReasoning?.('\n\n');
    block.text += delta;
    block.metadata = metadata ?? block.metadata;
    this.#reasoningChars += delta.length;
    if (this.#reasoningChars > responseLimits.maxTextChars) throw new OverLimit('maxTextChars');
    if (delta !== '') this.#stream.onReasoning?.(delta);
  }

  /** The block of that id, if nothing has come after it; else a new one. */
  #block(type: Block['type'], id: string): Block {
    this.#hasStarted = true;
    const last = this.#parts.at(-1);
    if (last && 'id' in last && last.id === id && last.type === type) return last;
    const from = this.#textChars;
    const block: Block = { type, id, from, to: from, text: '', metadata: undefined };
    this.#parts.push(block);
    return block;
  }

  #startInput({ id, toolName, providerExecuted }: Part<'tool-input-start'>): void {
    this.#hasStarted = true;
    if (providerExecuted) return this.#providerCalls.start(id, toolName);
    this.#inputs.set(id, { position: this.#inputs.size, name: toolName });
    if (this.#inputs.size > responseLimits.maxCalls) throw new OverLimit('maxCalls');
  }

  #addInput({ id, delta }: Part<'tool-input-delta'>): void {
    this.#inputChars += delta.length;
    if (this.#inputChars > responseLimits.maxArgumentsChars) throw new OverLimit('maxArgumentsChars');
    const input = this.#inputs.get(id);
    if (input) this.#stream.onCallInput?.({ ...input, text: delta });
  }

  #addCall(part: Part<'tool-call'>): void {
    this.#hasStarted = true;
    const { toolCallId, toolName, input, providerExecuted } = part;
    if (providerExecuted) return this.#addOther(this.#providerCalls.call(part), metadataOf(part));
    if (this.#calls.length >= responseLimits.maxCalls) throw new OverLimit('maxCalls');
    if (!this.#inputs.has(toolCallId)) this.#inputChars += input.length;
    this.#parts.push({ type: 'call', position: this.#calls.length, metadata: metadataOf(part) });
    this.#calls.push({ callId: toolCallId, name: toolName, arguments: input });
  }

  #addOther(part: Readonly<Record<string, Json>> | null, metadata: Metadata): void {
    this.#hasStarted = true;
    if (part) this.#parts.push({ type: 'other', part, metadata });
  }

  /** Names a file that the model has made: the words are all that is kept of it. */
  #describeFile({ mediaType, data }: Part<'file'>): void {
    const { type } = data;
    const bytes = type === 'data' ? data.data.length : 0;
    const kind = mediaType.startsWith('image/') ? 'image' : mediaType.startsWith('audio/') ? 'audio' : 'file';
    const words = describeMedia({ type: kind, mediaType, bytes }, 'which is not kept');
    this.#addText(`file ${this.#parts.length}`, words, undefined);
  }
}

/** The file as JSON. */
function fileOf({ mediaType, data }: Part<'reasoning-file'>): Readonly<Record<string, Json>> {
  if (data.type === 'url') return { mediaType, data: { type: 'url', url: String(data.url) } };
  const text = typeof data.data === 'string' ? data.data : toBase64(data.data);
  return { mediaType, data: { type: 'data', data: text } };
}

function keptPart(part: Block | ResponsePart): ResponsePart {
  if (!('id' in part)) return part;
  const { type, from, to, text, metadata } = part;
  return type === 'text' ? { type, from, to, metadata } : { type: 'other', part: { type, text }, metadata };
}

/** Returns why a response ended; null: it is not whole. */
function finishOfPart(finished: Finished | null, hasCalls: boolean): Finish | null {
  if (!finished) return null;
  const { unified, raw } = finished.finishReason;
  switch (unified) {
    case 'length':
      return 'length';
    case 'content-filter':
      return raw === 'refusal' ? 'refusal' : 'content_filter';
    case 'error':
    case 'interrupted':
      return null;
    case 'stop':
    case 'tool-calls':
    case 'other':
      return hasCalls ? 'tool_calls' : 'stop';
  }
}

/** Returns the usage; null if the provider has not said it. */
function usageOfPart({ usage }: Finished): Usage | null {
  const { inputTokens, outputTokens } = usage;
  const { total: input, cacheRead: cachedInput, cacheWrite } = inputTokens;
  const { total: output, reasoning } = outputTokens;
  if (input === undefined || output === undefined || input + output === 0) return null;
  return { kind: 'exact', input, output, ...dropUndefined({ cachedInput, cacheWrite, reasoning }) };
}
