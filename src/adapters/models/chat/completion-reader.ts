// Reads a chat completion, chunk by chunk or whole: its text, its reasoning, its calls, why it ended, its usage and its state.
//
// 1. Only the first choice counts; an endpoint may send several.
// 2. A chunk is untrusted: it makes the reader throw only if it exceeds a limit, or says that the response failed.

import type { MessageCall } from '../../../../machines/messages.ts';
import { type Finish, type Usage, unknownUsage } from '../../../../machines/vocabulary.ts';
import { fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';
import type { CallInputPiece, ModelRequest, ModelStream } from '../../../core/contracts/provider.ts';
import { responseIdentity } from '../endpoint-ids.ts';
import { ErrorResponse } from '../error-response.ts';
import { estimatedUsage } from '../estimate-usage.ts';
import type { CompletedEnd, ResponseReader } from '../model-exchange.ts';
import { OverLimit, responseLimits } from '../response-limits.ts';
import type { ChatFamily } from './chat-family.ts';
import { StateCollector } from './chat-state.ts';
import { failureOfReason, finishOf } from './finish-reason.ts';
import { readDelta, readUsage } from './read-chunk.ts';
import { StreamedCalls } from './streamed-calls.ts';

export class CompletionReader implements ResponseReader {
  readonly #request: ModelRequest;
  readonly #stream: ModelStream;
  readonly #family: Pick<ChatFamily, 'state' | 'withoutState'>;
  readonly #calls = new StreamedCalls();
  readonly #state = new StateCollector();
  readonly #tags = new ThinkTags();
  hasStarted = false;
  #reason: string | null = null;
  #hasRefused = false;
  #textChars = 0;
  #reasoningChars = 0;
  #index: number | null = null;
  #usage: Usage | null = null;

  constructor(request: ModelRequest, family: Pick<ChatFamily, 'state' | 'withoutState'>, stream: ModelStream) {
    this.#request = request;
    this.#stream = stream;
    this.#family = family;
  }

  get isFinished(): boolean {
    return this.#reason !== null;
  }

  addEvent(chunk: unknown): void {
    const fields = fieldsOf(chunk);
    const { choices } = fields;
    if (!Array.isArray(choices)) {
      if (isError(fields)) throw new ErrorResponse(null, new Headers(), chunk);
      this.#usage = readUsage(fields, {}) ?? this.#usage;
      return;
    }
    const text = this.#tags.areOver ? textAlone(fields, choices, this.#index) : null;
    if (text !== null) return this.#publish({ text, reasoning: '' });
    if (!this.hasStarted) this.#stream.onResponse?.(responseIdentity(fields));
    this.hasStarted = true;
    const choice = this.#choiceIn(choices);
    this.#usage = readUsage(fields, choice) ?? this.#usage;
    const { delta, message, error } = choice;
    if (error) throw new ErrorResponse(null, new Headers(), choice);
    const piece = fieldsOf(delta ?? message);
    this.#addMessage(piece, choice['text']);
    const fragments = fragmentsOf(piece);
    if (fragments.length > 0) this.#publishInput(this.#calls.addFragments(fragments, this.#family.state.call));
    this.#finish(choice['finish_reason']);
  }

  addWhole(completion: unknown): void {
    if (Array.isArray(completion)) {
      for (const each of completion) this.addEvent(each);
      return;
    }
    const fields = fieldsOf(completion);
    const { choices } = fields;
    if (!Array.isArray(choices) || choices.length === 0) {
      if (isError(fields)) throw new ErrorResponse(null, new Headers(), completion);
      return;
    }
    this.#stream.onResponse?.(responseIdentity(fields));
    this.hasStarted = true;
    const choice = fieldsOf(choices[0]);
    this.#usage = readUsage(fields, choice);
    const message = fieldsOf(choice['message'] ?? choice['delta']);
    this.#addMessage(message, choice['text']);
    this.#publishInput(this.#calls.addWhole(fragmentsOf(message), this.#family.state.call));
    this.#finish(choice['finish_reason'] || 'stop');
  }

  markDone(): void {
    // `[DONE]` says that the response is complete, also where no finish reason has come; the text of a call says the contrary
    if (this.hasStarted && !this.#calls.endsWithinCall) this.#finish('stop');
  }

  wholeCalls(): readonly MessageCall[] {
    const calls = this.#calls.wholeCalls(this.isFinished);
    // at a limit the last call may have been cut
    const isCut = this.#reason !== null && cutFinishes.has(finishOf(this.#reason)) && this.#calls.endsWithinCall;
    return isCut ? calls.slice(0, -1) : calls;
  }

  /** The provider's counts hold only for a whole response: before the finish they belong to an earlier chunk. */
  usage(): Usage {
    if (this.isFinished && this.#usage) return this.#usage;
    const chars = this.#textChars + this.#reasoningChars + this.#calls.chars;
    return chars > 0 ? estimatedUsage(this.#request, chars) : (this.#usage ?? unknownUsage);
  }

  completedEnd(): CompletedEnd {
    const calls = this.wholeCalls();
    const state = this.#state.parts(this.#calls.states(), this.#family);
    return {
      kind: 'completed',
      finish: this.#finishOf(calls),
      calls,
      usage: this.usage(),
      ...(state.length > 0 && { state }),
    };
  }

  /** Some endpoints say `stop` where there are calls, or `tool_calls` where there are none. */
  #finishOf(calls: readonly MessageCall[]): Finish {
    const finish = finishOf(this.#reason ?? 'stop');
    if (finish !== 'stop' && finish !== 'tool_calls') return finish;
    if (this.#hasRefused) return 'refusal';
    return calls.length > 0 ? 'tool_calls' : 'stop';
  }

  /** The first choice is that of the index 0, or of the first index that came: some endpoints count from 1. */
  #choiceIn(choices: readonly unknown[]): UntrustedFields {
    if (this.#index === null && choices.length > 0)
      this.#index = choices.some((each) => indexOf(each) === 0) ? 0 : indexOf(choices[0]);
    return fieldsOf(choices.find((each) => indexOf(each) === this.#index));
  }

  #addMessage(message: UntrustedFields, text: unknown): void {
    const pieces = readDelta(message);
    const hasState = pieces.thinking.length > 0 || this.#family.state.message.some((name) => name in message);
    if (hasState) this.#state.add(message, pieces.thinking, this.#family);
    this.#hasRefused ||= pieces.isRefusal;
    const separated = this.#tags.push(typeof text === 'string' ? pieces.text + text : pieces.text);
    this.#publish({ text: separated.text, reasoning: pieces.reasoning + separated.reasoning });
  }

  #publish({ text, reasoning }: { readonly text: string; readonly reasoning: string }): void {
    this.#textChars += text.length;
    this.#reasoningChars += reasoning.length;
    if (this.#textChars > responseLimits.maxTextChars) throw new OverLimit('maxTextChars');
    if (reasoning !== '' && !this.#stream.signal.aborted) this.#stream.onReasoning?.(reasoning);
    if (text !== '' && !this.#stream.signal.aborted) this.#stream.onText(text);
  }

  #publishInput(pieces: readonly CallInputPiece[]): void {
    for (const piece of pieces) if (!this.#stream.signal.aborted) this.#stream.onCallInput?.(piece);
  }

  /** Some endpoints send an empty reason with every chunk, or a second one. */
  #finish(reason: unknown): void {
    if (typeof reason !== 'string' || reason === '' || reason === 'null' || this.isFinished) return;
    const failure = failureOfReason(reason);
    if (failure) throw failure;
    this.#reason = reason;
    this.#publish(this.#tags.release());
  }
}

/** The finishes of a response that was not complete. */
const cutFinishes: ReadonlySet<Finish> = new Set(['length', 'content_filter']);

const indexOf = (choice: unknown): number => Number(fieldsOf(choice)['index'] ?? 0);

/** The calls in a piece of a message, or the one call of the API before there were several. */
function fragmentsOf({ tool_calls: calls, function_call: call }: UntrustedFields): readonly unknown[] {
  if (Array.isArray(calls)) return calls;
  if (!calls && !call) return [];
  return [calls, call && { function: call }].filter((each) => typeof each === 'object' && each !== null);
}

/** Returns the text of a chunk that has nothing beside it, as most chunks are: it is not searched for the rest. Null: it may have more. */
function textAlone(
  { usage, x_groq, timings }: UntrustedFields,
  choices: readonly unknown[],
  index: number | null,
): string | null {
  if (choices.length !== 1 || usage || x_groq || timings) return null;
  const choice = fieldsOf(choices[0]);
  const delta = fieldsOf(choice['delta']);
  const { content } = delta;
  if (typeof content !== 'string' || choice['index'] !== index) return null;
  const isAlone = hasOnly(choice, 'index', 'delta') && hasOnly(delta, 'content', 'role');
  return isAlone ? content : null;
}

/** Returns whether each field but these two is null. */
function hasOnly(fields: UntrustedFields, one: string, other: string): boolean {
  for (const name in fields) if (name !== one && name !== other && fields[name] !== null) return false;
  return true;
}

/** An error that came where a chunk was due, in the shapes without a field `error`. */
function isError({ object, message, detail, errors, code, type, base_resp: base }: UntrustedFields): boolean {
  if (object === 'error' || (Array.isArray(errors) && errors.length > 0)) return true;
  if (Number(fieldsOf(base)['status_code'] ?? 0) !== 0) return true; // MiniMax
  return (typeof message === 'string' && (code ?? type) !== undefined) || detail !== undefined;
}

const openTag = '<think>';
const closeTag = '</think>';

interface SeparatedText {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Separates reasoning from text where a model writes its reasoning between `<think>` and `</think>`, at the start of its response. What may be
 * the beginning of a tag is held back until the next piece.
 */
class ThinkTags {
  #phase: 'start' | 'reasoning' | 'gap' | 'text' = 'start';
  #held = '';

  /** No tag is recognized any more: the text of the response has begun. */
  get areOver(): boolean {
    return this.#phase === 'text';
  }

  push(piece: string): SeparatedText {
    if (this.#phase === 'text') return { text: piece, reasoning: '' };
    this.#held += piece;
    if (this.#phase === 'start') {
      const start = this.#held.trimStart();
      if (start.startsWith(openTag)) {
        this.#phase = 'reasoning';
        this.#held = start.slice(openTag.length);
      } else if (openTag.startsWith(start)) return { text: '', reasoning: '' };
      else this.#phase = 'text';
    }
    const reasoning = this.#phase === 'reasoning' ? this.#readReasoning() : '';
    if (this.#phase === 'reasoning') return { text: '', reasoning };
    // the blank lines between the reasoning and the text are left out
    const text = this.#phase === 'gap' ? this.#held.trimStart() : this.#held;
    this.#held = '';
    if (text !== '') this.#phase = 'text';
    return { text, reasoning };
  }

  /** Returns what was held back: nothing follows. */
  release(): SeparatedText {
    const held = this.#held;
    this.#held = '';
    return this.#phase === 'reasoning' ? { text: '', reasoning: held } : { text: held, reasoning: '' };
  }

  #readReasoning(): string {
    const end = this.#held.indexOf(closeTag);
    if (end >= 0) {
      this.#phase = 'gap';
      const reasoning = this.#held.slice(0, end);
      this.#held = this.#held.slice(end + closeTag.length);
      return reasoning;
    }
    const keep = [...closeTag].findLastIndex((_, i) => this.#held.endsWith(closeTag.slice(0, i + 1))) + 1;
    const reasoning = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return reasoning;
  }
}
