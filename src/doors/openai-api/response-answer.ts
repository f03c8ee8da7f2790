// Folds the frames of a turn into a response: its items, and the events of its stream.
import type { Usage } from '../../../machines/vocabulary.ts';
import type { ServerFrame, ServerFrameOf, TextDeltaFrame } from '../../wire/server-frames.ts';
import type { TurnListener } from '../door-turns/door-turn.ts';
import { type TurnFailure, TurnOutcome } from '../door-turns/turn-outcome.ts';

type ItemStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed';

interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly status: ItemStatus;
  readonly role: 'assistant';
  readonly content: readonly {
    readonly type: 'output_text';
    readonly text: string;
    readonly annotations: readonly [];
  }[];
}

/** A tool that ran inside has the form of a call to a server of tools: the client has nothing to run. */
interface CallItem {
  readonly type: 'mcp_call';
  readonly id: string;
  readonly status: ItemStatus;
  readonly server_label: 'belay';
  readonly name: string;
  readonly arguments: string;
  readonly output: string | null;
  readonly error: string | null;
}

export type ResponseItem = MessageItem | CallItem;

/** Receives the events of a response as it is made. */
export interface ItemReader {
  /** Whether it has room for text: the rest of a text comes with the end of its block. */
  readonly hasRoom: boolean;
  event(type: string, fields: object): void;
}

/** For a response that is read at its end. */
export const unread: ItemReader = { hasRoom: true, event() {} };

/** What does not change while a response is made. */
export interface ResponseHead {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created_at: number;
  readonly model: string;
  readonly previous_response_id: string | null;
  readonly background: boolean;
  readonly store: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An open text block: where it is in the output, and what was sent of it. */
interface OpenText {
  readonly at: number;
  readonly id: string;
  readonly passedOn: number;
}

export class ResponseAnswer implements TurnListener {
  readonly summary: TurnOutcome;
  readonly #head: ResponseHead;
  readonly #to: ItemReader;
  readonly #output: ResponseItem[] = [];
  readonly #calls = new Map<string, number>();
  #text: OpenText | null = null;
  /** Why the turn cannot be followed to its end. */
  #lost: TurnFailure | null = null;
  /** What stands for a turn where words have opened none. */
  #instead: object | null = null;

  constructor(head: ResponseHead, session: string, turn: string, to: ItemReader = unread) {
    this.summary = new TurnOutcome(session, turn);
    this.#head = head;
    this.#to = to;
  }

  onText({ turn, index, offset, text }: TextDeltaFrame): void {
    if (turn !== this.summary.turn || text === '') return;
    const open = this.#text ?? this.#openText(index);
    if (offset === open.passedOn && this.#to.hasRoom) this.#passOn(open, text);
  }

  onFrame(frame: ServerFrame): void {
    this.summary.onFrame(frame);
    if (!('turn' in frame) || frame.turn !== this.summary.turn) return;
    if (frame.type === 'model_ended') this.#endText(frame);
    if (frame.type === 'tool_call') this.#openCall(frame);
    if (frame.type === 'tool_result') this.#endCall(frame);
  }

  /** The first events of a stream. */
  start(): void {
    this.#to.event('response.created', { response: this.response });
    this.#to.event('response.in_progress', { response: this.response });
  }

  /** The last event of a stream. */
  sendEnd(): void {
    const { response } = this;
    const type = response.status === 'completed' || response.status === 'failed' ? response.status : 'incomplete';
    this.#to.event(`response.${type}`, { response });
  }

  /** The session has ended before the turn. */
  lose(failure: TurnFailure): void {
    this.#lost = failure;
  }

  /** Says something where there is no turn. */
  say(text: string, belay: object): void {
    this.#instead = belay;
    this.#finishText(this.#openText(0), text, 'completed');
  }

  /** The response as it is now. */
  get response() {
    const { turnEnd: end, belay } = this.summary;
    const failure = this.#lost ?? this.summary.failure;
    const reason = end?.outcome === 'completed' ? incompleteReasons[end.finish ?? ''] : undefined;
    return {
      ...this.#head,
      object: 'response',
      status: this.#statusOf(failure, reason),
      error: failure && { code: failure.code, message: failure.message },
      incomplete_details: reason === undefined ? null : { reason },
      instructions: null,
      output: [...this.#output],
      parallel_tool_calls: true,
      temperature: null,
      tool_choice: 'auto',
      tools: [],
      top_p: null,
      ...(end && { usage: responseUsageOf(end.usage) }),
      belay: this.#instead ?? belay,
    };
  }

  #statusOf(failure: TurnFailure | null, reason: string | undefined): string {
    if (this.#instead) return 'completed';
    if (failure) return 'failed';
    if (!this.summary.turnEnd) return 'in_progress';
    if (this.summary.turnEnd.outcome !== 'completed') return 'cancelled';
    return reason === undefined ? 'completed' : 'incomplete';
  }

  #openText(index: number): OpenText {
    const id = `msg_${this.summary.turn}_${index}`;
    const item: MessageItem = { type: 'message', id, status: 'in_progress', role: 'assistant', content: [] };
    const at = this.#add(item);
    this.#text = { at, id, passedOn: 0 };
    this.#to.event('response.content_part.added', { ...placeOf(this.#text), part: textPart('') });
    return this.#text;
  }

  #passOn(open: OpenText, text: string): void {
    this.#text = { ...open, passedOn: open.passedOn + text.length };
    this.#to.event('response.output_text.delta', { ...placeOf(open), delta: text, logprobs: [] });
  }

  #endText({ index, text, cutOff }: ServerFrameOf<'model_ended'>): void {
    if (text === '' && this.#text === null) return;
    this.#finishText(this.#text ?? this.#openText(index), text, cutOff ? 'incomplete' : 'completed');
  }

  #finishText(open: OpenText, text: string, status: ItemStatus): void {
    if (text.length > open.passedOn) this.#passOn(open, text.slice(open.passedOn));
    this.#text = null;
    const item: MessageItem = { type: 'message', id: open.id, status, role: 'assistant', content: [textPart(text)] };
    this.#to.event('response.output_text.done', { ...placeOf(open), text, logprobs: [] });
    this.#to.event('response.content_part.done', { ...placeOf(open), part: textPart(text) });
    this.#finish(open.at, item);
  }

  #openCall({ node, name, arguments: given }: ServerFrameOf<'tool_call'>): void {
    const common = { type: 'mcp_call', id: node, server_label: 'belay', name, output: null, error: null } as const;
    const at = this.#add({ ...common, status: 'in_progress', arguments: '' });
    this.#calls.set(node, at);
    this.#output[at] = { ...common, status: 'in_progress', arguments: given };
    const place = { item_id: node, output_index: at };
    this.#to.event('response.mcp_call.in_progress', place);
    this.#to.event('response.mcp_call_arguments.delta', { ...place, delta: given });
    this.#to.event('response.mcp_call_arguments.done', { ...place, arguments: given });
  }

  #endCall({ node, outcome, output, code, message }: ServerFrameOf<'tool_result'>): void {
    const at = this.#calls.get(node);
    const item = at === undefined ? undefined : this.#output[at];
    if (at === undefined || item?.type !== 'mcp_call') return;
    const isGood = outcome === 'completed';
    const error = isGood ? null : [outcome, code, message].filter((each) => each !== undefined).join(': ');
    const place = { item_id: node, output_index: at };
    this.#to.event(`response.mcp_call.${isGood ? 'completed' : 'failed'}`, place);
    this.#finish(at, { ...item, status: isGood ? 'completed' : 'failed', output: output ?? null, error });
  }

  #add(item: ResponseItem): number {
    const at = this.#output.push(item) - 1;
    this.#to.event('response.output_item.added', { output_index: at, item });
    return at;
  }

  #finish(at: number, item: ResponseItem): void {
    this.#output[at] = item;
    this.#to.event('response.output_item.done', { output_index: at, item });
  }
}

/** Why a text is not whole, by the finish of its model call. */
const incompleteReasons: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

const textPart = (text: string) => ({ type: 'output_text', text, annotations: [] }) as const;
const placeOf = ({ id, at }: OpenText) => ({ item_id: id, output_index: at, content_index: 0 });

/** Returns the usage in the form of that API, which has no word for "not known": 0. */
function responseUsageOf({ input, output, cachedInput = 0, cacheWrite = 0, reasoning = 0 }: Usage) {
  const [asked, answered] = [input ?? 0, output ?? 0];
  return {
    input_tokens: asked,
    input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: cacheWrite },
    output_tokens: answered,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: asked + answered,
  };
}
