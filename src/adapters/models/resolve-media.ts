// Resolves the media in the messages of a request: reads the bytes of those that the endpoint takes, and puts words in the place of the others.
//
// 1. A message in which only words are left has no parts: its content is text, as that of any other.
// 2. A request has a limited number of media, and of their bytes. The newest are kept: words stand for the older ones.
// 3. Where an endpoint takes only text as the result of a call, its media follow in a message of the user, after all results of the round.
import {
  type ContentPart,
  describeMedia,
  type LoadedMedia,
  type LoadedPart,
  type MediaPart,
  type TextPart,
} from '../../../machines/content.ts';
import type { Message } from '../../../machines/messages.ts';
import { dropUndefined } from '../../core/collections/fields.ts';
import type { ModelStream } from '../../core/contracts/provider.ts';

/** The media that an endpoint takes: media types, for example `image/png`, or `image/*` for all of a kind. */
export interface AcceptedMedia {
  /** In what a speaker says. */
  readonly user: readonly string[];
  /** In the result of a call. `after`: none there, but those of `user` in a message of the user after the results. */
  readonly result: readonly string[] | 'after';
  /** Bytes of one of them. Left out: as many as a request may have. */
  readonly maxBytes?: number | undefined;
}

type Resolved<M> = M extends { readonly parts?: readonly ContentPart[] }
  ? Omit<M, 'parts'> & { readonly parts?: readonly LoadedPart[] }
  : M;

/** A message with the bytes of its media. `parts` is left out where its content is text alone. */
export type ResolvedMessage = Resolved<Message>;

/** The media of one request. Base64 makes their bytes a third more; endpoints take bodies of 20 MB and more. */
export const mediaOfRequest = { maxBytes: 12 * 1_048_576, maxCount: 50 };

const notTaken = 'which this model cannot read';
const tooLarge = 'too large for this model';
const tooOld = 'left out: this conversation has newer ones, up to the limit of a request';
const notStored = 'no longer stored';

/** A part of a message, as the request has it: its bytes, or why it has none. */
type Finding = { readonly data: Uint8Array } | { readonly why: string };

/**
 * Resolves the media of all messages of a request.
 *
 * @param readBlob As in `ModelStream`. Left out: nothing is stored.
 */
export async function resolveMedia(
  messages: readonly Message[],
  accepts: AcceptedMedia,
  readBlob: ModelStream['readBlob'],
): Promise<readonly ResolvedMessage[]> {
  if (messages.every(hasTextAlone)) return messages;
  const findings = await findMedia(messages, accepts, readBlob);
  const resolved: ResolvedMessage[] = [];
  let shownAfter = new MediaAfterResults();
  for (const message of messages) {
    const parts = partsOf(message).map((part): LoadedPart => {
      if (part.type === 'text') return part;
      const found = findings.get(part) ?? { why: notStored };
      if ('why' in found) return { type: 'text', text: describeMedia(part, found.why) };
      const { type, mediaType, name } = part;
      const media = { type, mediaType, data: found.data, ...dropUndefined({ name }) };
      return message.role === 'tool' && accepts.result === 'after' ? shownAfter.add(part, media) : media;
    });
    if (message.role === 'tool' || shownAfter.count === 0) {
      resolved.push(withParts(message, parts));
      continue;
    }
    resolved.push(...shownAfter.before(withParts(message, parts)));
    shownAfter = new MediaAfterResults();
  }
  return shownAfter.count > 0 ? [...resolved, shownAfter.message()] : resolved;
}

/** Returns the messages with words in the place of all media: the endpoint has refused them. */
export const mediaInWords = (messages: readonly ResolvedMessage[]): readonly ResolvedMessage[] =>
  messages.map((message) => {
    if (message.role === 'assistant' || !message.parts) return message;
    const parts = message.parts.map((part): LoadedPart => {
      if (part.type === 'text') return part;
      const { type, mediaType, data, name } = part;
      const described = { type, mediaType, bytes: data.length, ...dropUndefined({ name }) };
      return { type: 'text', text: describeMedia(described, notTaken) };
    });
    return withParts(message, parts);
  });

const hasTextAlone = (message: Message): message is Message & ResolvedMessage =>
  message.role === 'assistant' || message.parts === undefined;

const partsOf = (message: Message): readonly ContentPart[] =>
  message.role === 'assistant' ? [] : (message.parts ?? []);

function withParts(message: Message | ResolvedMessage, parts: readonly LoadedPart[]): ResolvedMessage {
  if (message.role === 'assistant') return message;
  const { parts: _, ...rest } = message;
  if (parts.length === 0) return rest;
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  return texts.length === parts.length ? { ...rest, content: texts.join('\n') } : { ...rest, parts };
}

/** The media of the results of one round, for the message after them. */
class MediaAfterResults {
  readonly #parts: LoadedPart[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns what stands in the result instead. */
  add(part: MediaPart, media: LoadedMedia): TextPart {
    this.#count += 1;
    this.#parts.push({ type: 'text', text: `[${part.type} ${this.#count} of the results above]` }, media);
    return { type: 'text', text: describeMedia(part, `shown below as ${part.type} ${this.#count}`) };
  }

  /** Returns their message, and the one that follows it: one message, if the user said that too. Some chat templates reject two in a row. */
  before(next: ResolvedMessage): readonly ResolvedMessage[] {
    const media = this.message();
    if (next.role !== 'user') return [media, next];
    const said: readonly LoadedPart[] = next.parts ?? [{ type: 'text', text: next.content }];
    const content = `${media.content}\n\n${next.content}`;
    return [{ role: 'user', content, parts: [...this.#parts, ...said] }];
  }

  message(): ResolvedMessage {
    const content = this.#parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
    return { role: 'user', content, parts: this.#parts };
  }
}

/** Reads the media that the request shows, the newest first. */
async function findMedia(
  messages: readonly Message[],
  accepts: AcceptedMedia,
  readBlob: ModelStream['readBlob'],
): Promise<ReadonlyMap<MediaPart, Finding>> {
  const findings = new Map<MediaPart, Finding>();
  const blobs = new Map<string, Promise<Uint8Array | null>>();
  const budget = { bytes: mediaOfRequest.maxBytes, count: mediaOfRequest.maxCount };
  for (const message of messages.toReversed()) {
    for (const part of partsOf(message).toReversed()) {
      if (part.type === 'text') continue;
      const why = whyNot(part, message.role, accepts) ?? (takeFromBudget(budget, part) ? null : tooOld);
      if (why !== null) {
        findings.set(part, { why });
        continue;
      }
      const bytes = blobs.get(part.blob) ?? readBlob?.(part.blob) ?? Promise.resolve(null);
      blobs.set(part.blob, bytes);
      const data = await bytes;
      findings.set(part, data ? { data } : { why: notStored });
    }
  }
  return findings;
}

function whyNot({ mediaType, bytes }: MediaPart, role: Message['role'], accepts: AcceptedMedia): string | null {
  const accepted = role === 'tool' && accepts.result !== 'after' ? accepts.result : accepts.user;
  const isTaken = accepted.some(
    (one) => one === mediaType || (one.endsWith('/*') && mediaType.startsWith(one.slice(0, -1))),
  );
  if (!isTaken) return notTaken;
  return bytes > (accepts.maxBytes ?? mediaOfRequest.maxBytes) ? tooLarge : null;
}

/** Takes the part from the budget. Returns whether there was room for it; after the first one without room there is none for older ones. */
function takeFromBudget(budget: { bytes: number; count: number }, { bytes }: MediaPart): boolean {
  budget.bytes -= bytes;
  budget.count -= 1;
  return budget.bytes >= 0 && budget.count >= 0;
}
