// Conversation of a provider, as far as its events say it, and the changes that make it equal to the messages of a request.
//
// 1. The messages are right. An item of the provider is kept where it says the same: its sound is worth more than its text.
// 2. An answer that was not heard to its end is truncated to what was heard, and never to more than the provider has sent of it; one of which nothing was heard is deleted.
// 3. An item that is not judged yet is left alone: a response that must not have it names the items that it reads.
import type { NodeId } from '../../../../machines/vocabulary.ts';
import type { CutSpeech } from '../../../core/contracts/speech-model.ts';
import type { RealtimeClientEvent, RealtimeItem } from './realtime-events.ts';
import { type HeardItem, type WantedItem, wantedItems } from './wanted-items.ts';

/** A message of a response, as far as it has come. */
export interface SpokenPart {
  readonly turn: NodeId;
  readonly index: number;
  text: string;
  /** Milliseconds of sound. */
  ms: number;
  /** Whether the provider was told to stop: it may have made more than has come. */
  isCancelled: boolean;
  /** What was heard of the part; null: all of it, as far as is known. */
  heard: { readonly offset: number; readonly ms: number } | null;
}

/** An item of the conversation at the provider. */
type KnownItem = { readonly id: string } & (
  | WantedItemOf<'text'>
  | WantedItemOf<'call'>
  | WantedItemOf<'output'>
  | SpokenItem
  | HeardSound
  | { readonly kind: 'unknown' }
);
type WantedItemOf<Kind extends WantedItem['kind']> = Extract<WantedItem, { readonly kind: Kind }>;

interface SpokenItem {
  readonly kind: 'spoken';
  readonly part: SpokenPart;
  /** The milliseconds that it was truncated to; null: it is whole. */
  truncatedMs: number | null;
}

interface HeardSound {
  readonly kind: 'heard';
  /** `unjudged`: the words are not known, or nobody has decided what becomes of them. */
  fate: 'unjudged' | 'said' | 'dropped';
  words: string;
}

/** The changes before a response. */
export interface ConversationChanges {
  readonly instructions: string;
  readonly events: readonly RealtimeClientEvent[];
  /** The items that the response reads; null: those of the conversation, which are the same. */
  readonly input: readonly string[] | null;
}

/** Pairs of items that are compared at most: beyond them all that differs is made anew. */
const maxPairs = 1_000_000;

/** The mark that the history puts at the end of what was cut off. */
const cutOffMark = /… \[cut off here[^\]]*\]$/;

export class ProviderConversation {
  readonly #createId: () => string;
  #items: KnownItem[] = [];

  constructor(createId: () => string) {
    this.#createId = createId;
  }

  /** Whether words are still to be judged. */
  get isHearing(): boolean {
    return this.#items.some((item) => item.kind === 'heard' && item.fate === 'unjudged');
  }

  has(id: string): boolean {
    return this.#items.some((item) => item.id === id);
  }

  // -- what the provider says

  /** Notes an item that the provider has added, after another one. An own one is known already. */
  add(
    id: string,
    item: Omit<SpokenItem, 'truncatedMs'> | HeardSound | WantedItemOf<'call'> | { readonly kind: 'unknown' },
    after?: string | null,
  ): void {
    if (this.has(id)) return;
    // each kind of item has its fields, and only the id is added
    const known = { ...(item.kind === 'spoken' ? { ...item, truncatedMs: null } : item), id } as KnownItem;
    this.#insert(known, after);
  }

  remove(id: string): void {
    this.#items = this.#items.filter((item) => item.id !== id);
  }

  /** Notes the words of an item, or what becomes of them. */
  judge(id: string, judged: Partial<Pick<HeardSound, 'fate' | 'words'>>): void {
    const item = this.#items.find((known) => known.id === id);
    if (item?.kind === 'heard') Object.assign(item, judged);
  }

  /** Notes that a call is whole. */
  noteCall(id: string, call: Omit<WantedItemOf<'call'>, 'kind'>): void {
    const at = this.#items.findIndex((known) => known.id === id);
    this.#items.splice(at < 0 ? this.#items.length : at, 1, { ...call, kind: 'call', id });
  }

  /** Notes what was heard of a block. */
  noteHeard({ turn, index, offset, ms }: CutSpeech): void {
    let left = { offset, ms };
    for (const item of this.#items) {
      if (item.kind !== 'spoken' || item.part.turn !== turn || item.part.index !== index) continue;
      const { part } = item;
      part.heard = { offset: Math.min(left.offset, part.text.length), ms: Math.min(left.ms, part.ms) };
      left = { offset: left.offset - part.heard.offset, ms: left.ms - part.heard.ms };
    }
  }

  /** Returns the events that give a call an output, or delete it, without a response. */
  settleCall(id: string, how: { readonly output: string } | 'delete'): readonly RealtimeClientEvent[] {
    const item = this.#items.find((known) => known.id === id);
    if (!item) return [];
    if (how === 'delete' || item.kind !== 'call') {
      this.remove(id);
      return [deleteEvent(id)];
    }
    const { callId } = item;
    return [this.#create({ kind: 'output', callId, output: how.output }, id)];
  }

  // -- the changes before a response

  /** Returns the changes that make the conversation equal to the messages, and notes them. */
  update(messages: Parameters<typeof wantedItems>[0]): ConversationChanges {
    // words that a message has are said, also if their room has not told it yet
    const heard = this.#items.flatMap((item): HeardItem | [] =>
      item.kind === 'heard' && item.fate !== 'dropped' && item.words !== '' ? { id: item.id, words: item.words } : [],
    );
    const { instructions, items: wanted } = wantedItems(messages, heard);
    const kept = commonItems(this.#items, wanted);
    const keptIds = new Set(kept.map((known) => known?.id));
    const deleted = this.#items.filter((item) => !keptIds.has(item.id) && !isUnjudged(item));
    const events: RealtimeClientEvent[] = deleted.map(({ id }) => deleteEvent(id));
    for (const { id } of deleted) this.remove(id);
    const order: string[] = [];
    for (const [at, item] of wanted.entries()) {
      const known = kept[at];
      if (known) {
        order.push(known.id);
        events.push(...truncation(known));
        continue;
      }
      if (item.kind === 'heard') continue; // it is gone
      const event = this.#create(item, order.at(-1) ?? null);
      events.push(event);
      order.push(event.item.id);
    }
    const isSame = this.#items.length === order.length && this.#items.every(({ id }, at) => id === order[at]);
    return { instructions, events, input: isSame ? null : order };
  }

  #create(item: Exclude<WantedItem, { readonly kind: 'heard' }>, after: string | null) {
    const id = this.#createId();
    this.#insert({ ...item, id }, after);
    return { type: 'conversation.item.create', previous_item_id: after ?? 'root', item: itemOf(id, item) } as const;
  }

  /** `after` null: at the beginning; undefined: at the end. */
  #insert(item: KnownItem, after: string | null | undefined): void {
    const at = after === undefined ? this.#items.length : this.#items.findIndex(({ id }) => id === after) + 1;
    this.#items.splice(after && at === 0 ? this.#items.length : at, 0, item);
  }
}

const isUnjudged = (item: KnownItem): boolean => item.kind === 'heard' && item.fate === 'unjudged';

const deleteEvent = (id: string) => ({ type: 'conversation.item.delete', item_id: id }) as const;

/** Returns the items without their ids, for a response that is outside of the conversation. */
export const itemsApart = (messages: Parameters<typeof wantedItems>[0], createId: () => string) => {
  const { instructions, items } = wantedItems(messages);
  return {
    instructions,
    input: items.flatMap((item) => (item.kind === 'heard' ? [] : itemOf(createId(), item))),
  };
};

function itemOf(
  id: string,
  item: Exclude<WantedItem, { readonly kind: 'heard' }>,
): RealtimeItem & { readonly id: string } {
  if (item.kind === 'call')
    return { id, type: 'function_call', call_id: item.callId, name: item.name, arguments: item.arguments };
  if (item.kind === 'output') return { id, type: 'function_call_output', call_id: item.callId, output: item.output };
  const { role, text } = item;
  if (role === 'user') return { id, type: 'message', role, content: [{ type: 'input_text', text }] };
  return { id, type: 'message', role, content: [{ type: 'output_text', text }] };
}

/** The milliseconds that an answer is to have at the provider; null: all that it has. */
function targetMs({ part }: SpokenItem): number | null {
  if (part.heard) return Math.floor(Math.min(part.heard.ms, part.ms));
  return part.isCancelled ? Math.floor(part.ms) : null;
}

/** Returns the event that truncates an answer to what was heard, and notes it; none if it need not be. */
function truncation(item: KnownItem): readonly RealtimeClientEvent[] {
  if (item.kind !== 'spoken' || item.truncatedMs !== null) return [];
  const ms = targetMs(item);
  if (ms === null) return [];
  item.truncatedMs = ms;
  return [{ type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: ms }];
}

/** Whether an item of the provider says what is wanted. */
function matches(known: KnownItem, wanted: WantedItem): boolean {
  switch (known.kind) {
    case 'spoken':
      return wanted.kind === 'text' && wanted.role === 'assistant' && saysWhatWasHeard(known, wanted.text);
    case 'text':
      return wanted.kind === 'text' && wanted.role === known.role && wanted.text === known.text;
    case 'heard':
      return wanted.kind === 'heard' && wanted.id === known.id;
    case 'call':
      return wanted.kind === 'call' && wanted.callId === known.callId && wanted.arguments === known.arguments;
    case 'output':
      return wanted.kind === 'output' && wanted.callId === known.callId && wanted.output === known.output;
    case 'unknown':
      return false;
  }
}

/** Whether an answer is, or can be made, what the history has of it. Truncated sound cannot be changed any more; text cannot be truncated. */
function saysWhatWasHeard(item: SpokenItem, text: string): boolean {
  const { part, truncatedMs } = item;
  const ms = targetMs(item);
  if (ms === 0 || (ms !== null && part.ms === 0)) return false;
  if (truncatedMs !== null && truncatedMs !== ms) return false;
  return text.replace(cutOffMark, '') === (part.heard ? part.text.slice(0, part.heard.offset) : part.text);
}

/** Returns for each wanted item the known one that stands for it, so that as many as possible are kept in their order. */
function commonItems(known: readonly KnownItem[], wanted: readonly WantedItem[]): readonly (KnownItem | null)[] {
  let start = 0;
  while (start < wanted.length && isPair(known[start], wanted[start])) start++;
  const [restKnown, restWanted] = [known.slice(start), wanted.slice(start)];
  if (restKnown.length * restWanted.length > maxPairs) return [...known.slice(0, start), ...restWanted.map(() => null)];
  // the longest common subsequence: lengths[i][j] is that of what follows known[i] and wanted[j]
  const lengths = Array.from({ length: restKnown.length + 1 }, () => new Uint16Array(restWanted.length + 1));
  const lengthAt = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = restKnown.length - 1; i >= 0; i--)
    for (let j = restWanted.length - 1; j >= 0; j--) {
      const row = lengths[i] as Uint16Array; // it was made above
      row[j] = isPair(restKnown[i], restWanted[j])
        ? lengthAt(i + 1, j + 1) + 1
        : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  const found: (KnownItem | null)[] = known.slice(0, start);
  for (let [i, j] = [0, 0]; j < restWanted.length; ) {
    const one = restKnown[i];
    if (one && isPair(one, restWanted[j])) {
      found.push(one);
      i++;
      j++;
    } else if (one && lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else {
      found.push(null);
      j++;
    }
  }
  return found;
}

const isPair = (known: KnownItem | undefined, wanted: WantedItem | undefined): boolean =>
  known !== undefined && wanted !== undefined && matches(known, wanted);
