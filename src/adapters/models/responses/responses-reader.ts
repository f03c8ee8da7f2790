// Reads one response of the Responses API: passes on text, reasoning and arguments, and keeps the items that are whole.
//
// 1. An item counts when its `output_item.done` has arrived. What was still arriving at a stop is dropped whole.
// 2. An event is untrusted: it never makes the reader throw, unless it is an error or exceeds a limit.
import type { MessageCall } from '../../../../machines/messages.ts';
import { type Finish, type Usage, unknownUsage } from '../../../../machines/vocabulary.ts';
import { dropUndefined, fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';
import type { ModelRequest, ModelStream } from '../../../core/contracts/provider.ts';
import { responseIdentity } from '../endpoint-ids.ts';
import { estimatedUsage } from '../estimate-usage.ts';
import type { CompletedEnd, ResponseReader } from '../model-exchange.ts';
import { OverLimit, responseLimits } from '../response-limits.ts';
import { providerCallOf } from './provider-calls.ts';
import { failureIn, finishIn, usageIn } from './response-end.ts';
import { type OutputItem, stateOfItems } from './responses-state.ts';

/** An item that has started. */
interface OpenItem {
  readonly type: string;
  readonly name: string;
  /** The place of a call among those of the response. */
  readonly position: number;
  /** Where its text begins in the text of the response. */
  from: number;
  /** Characters of its text that have been passed on. */
  textChars: number;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export class ResponsesReader implements ResponseReader {
  readonly #stream: ModelStream;
  readonly #request: ModelRequest;
  /** By `output_index`. */
  readonly #open = new Map<number, OpenItem>();
  readonly #items = new Map<number, OutputItem>();
  #finish: Finish | null = null;
  #usage: Usage | null = null;
  #hasRefused = false;
  #hasReasoning = false;
  #textChars = 0;
  #hiddenChars = 0;
  #inputChars = 0;
  #calls = 0;

  constructor(stream: ModelStream, request: ModelRequest) {
    this.#stream = stream;
    this.#request = request;
  }

  get hasStarted(): boolean {
    return this.#open.size > 0 || this.#items.size > 0;
  }

  get isFinished(): boolean {
    return this.#finish !== null;
  }

  addEvent(value: unknown): void {
    const event = fieldsOf(value);
    const failure = failureIn(event);
    if (failure) throw failure;
    switch (event['type']) {
      case 'response.created':
        return this.#stream.onResponse?.(responseIdentity(fieldsOf(event['response'])));
      case 'response.output_item.added':
        this.#start(indexOf(event), fieldsOf(event['item']));
        return;
      case 'response.output_text.delta':
        return this.#addText(indexOf(event), textOf(event['delta']));
      case 'response.refusal.delta':
        this.#hasRefused = true;
        return this.#addText(indexOf(event), textOf(event['delta']));
      case 'response.reasoning_summary_part.added':
        return this.#hasReasoning ? this.#addReasoning('\n\n') : undefined;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#addReasoning(textOf(event['delta']));
      case 'response.function_call_arguments.delta':
        return this.#addInput(indexOf(event), textOf(event['delta']));
      case 'response.output_item.done':
        return this.#finishItem(indexOf(event), fieldsOf(event['item']));
      case 'response.completed':
      case 'response.incomplete':
        return this.addWhole(event['response']);
    }
  }

  addWhole(value: unknown): void {
    const response = fieldsOf(value);
    const failure = failureIn(response);
    if (failure) throw failure;
    this.#stream.onResponse?.(responseIdentity(response));
    const output: readonly unknown[] = Array.isArray(response['output']) ? response['output'] : [];
    // some endpoints stream no items
    for (const [index, item] of output.entries()) if (!this.#items.has(index)) this.#finishItem(index, fieldsOf(item));
    this.#usage = usageIn(response) ?? this.#usage;
    this.#finish = finishIn(response, { hasRefused: this.#hasRefused, hasCalls: this.wholeCalls().length > 0 });
  }

  /** The API has no `[DONE]`. */
  markDone(): void {}

  wholeCalls(): readonly MessageCall[] {
    return this.#outputs().flatMap(({ type, item }) =>
      type === 'function_call'
        ? [{ callId: textOf(item['call_id']), name: textOf(item['name']), arguments: textOf(item['arguments']) }]
        : [],
    );
  }

  usage(): Usage {
    const chars = this.#textChars + this.#hiddenChars + this.#inputChars;
    return this.#usage ?? (chars > 0 ? estimatedUsage(this.#request, chars) : unknownUsage);
  }

  completedEnd(): CompletedEnd {
    const state = stateOfItems(this.#outputs());
    return {
      kind: 'completed',
      finish: this.#finish ?? 'stop',
      calls: this.wholeCalls(),
      usage: this.usage(),
      ...dropUndefined({ state: state.length > 0 ? state : undefined }),
    };
  }

  #outputs(): readonly OutputItem[] {
    return [...this.#items].sort(([a], [b]) => a - b).map(([, output]) => output);
  }

  #start(index: number, item: UntrustedFields): OpenItem {
    const known = this.#open.get(index);
    if (known) return known;
    const type = textOf(item['type']);
    const position = type === 'function_call' ? this.#calls++ : 0;
    if (this.#calls > responseLimits.maxCalls) throw new OverLimit('maxCalls');
    const open: OpenItem = { type, name: textOf(item['name']), position, from: this.#textChars, textChars: 0 };
    this.#open.set(index, open);
    const call = providerCallOf(item, false);
    if (call) this.#stream.onProviderCall?.(call);
    return open;
  }

  #addText(index: number, text: string): void {
    if (text === '') return;
    const open = this.#start(index, { type: 'message' });
    if (open.textChars === 0) {
      if (this.#textChars > 0) this.#passText('\n\n'); // a comment of the model before its calls, and then its answer
      open.from = this.#textChars;
    }
    open.textChars += text.length;
    this.#passText(text);
  }

  #passText(text: string): void {
    this.#textChars += text.length;
    if (this.#textChars > responseLimits.maxTextChars) throw new OverLimit('maxTextChars');
    this.#stream.onText(text);
  }

  #addReasoning(text: string): void {
    if (text === '') return;
    this.#hasReasoning = true;
    this.#hiddenChars += text.length;
    this.#stream.onReasoning?.(text);
  }

  #addInput(index: number, text: string): void {
    this.#inputChars += text.length;
    if (this.#inputChars > responseLimits.maxArgumentsChars) throw new OverLimit('maxArgumentsChars');
    const { position, name } = this.#start(index, { type: 'function_call' });
    this.#stream.onCallInput?.({ position, name, text });
  }

  #finishItem(index: number, item: UntrustedFields): void {
    const open = this.#start(index, item);
    const type = textOf(item['type']);
    if (item['status'] === 'incomplete' && (type === 'function_call' || type === 'reasoning')) return; // cut off
    if (type === 'message') {
      const { text, hasRefused } = contentOf(item);
      this.#hasRefused ||= hasRefused;
      this.#addText(index, text.slice(open.textChars)); // some endpoints stream no deltas
      this.#items.set(index, { type, item, from: open.from, to: open.from + open.textChars });
    } else if (type === 'function_call') {
      this.#items.set(index, { type, item, position: open.position });
    } else {
      this.#items.set(index, { type: 'other', item });
    }
    const call = providerCallOf(item, true);
    if (call) this.#stream.onProviderCall?.(call);
  }
}

const indexOf = (event: UntrustedFields): number => Number(event['output_index'] ?? 0);

function contentOf({ content }: UntrustedFields): { readonly text: string; readonly hasRefused: boolean } {
  const parts = Array.isArray(content) ? content.map(fieldsOf) : [];
  return {
    text: parts.map((part) => textOf(part['text']) + textOf(part['refusal'])).join(''),
    hasRefused: parts.some(({ type }) => type === 'refusal'),
  };
}
