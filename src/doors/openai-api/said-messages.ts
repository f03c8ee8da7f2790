// What a request of OpenAI's API says, whichever of its forms it has: texts and images, and the conversation before them.
import type { BroughtCall } from '../../core/transcript/imported.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';

/** A piece of what was said: a text, or the bytes of an image. */
export type SaidPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly data: Uint8Array };

export type SaidMessage =
  | { readonly role: 'user' | 'tool'; readonly content: readonly SaidPiece[] }
  | { readonly role: 'assistant'; readonly content: readonly SaidPiece[]; readonly calls: readonly BroughtCall[] };

/** What a request says: the words of now, and the conversation before them. */
export interface BroughtConversation {
  readonly before: readonly SaidMessage[];
  readonly said: readonly SaidPiece[];
}

const dataUrl = /^data:(image\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/]*={0,2})$/i;

/** Returns an image that was sent within the request. Throws an `HttpProblem` with the field that it stands in. */
export function imageOf(url: string, field: string): SaidPiece {
  const [, mediaType, base64] = dataUrl.exec(url) ?? [];
  if (mediaType === undefined || base64 === undefined)
    throw new HttpProblem('bad_field', {
      field,
      message: 'An image must be sent as a data: URL with base64: the gateway fetches no addresses.',
    });
  return { type: 'image', mediaType: mediaType.toLowerCase(), data: new Uint8Array(Buffer.from(base64, 'base64')) };
}

/** Returns the conversation of a request. Throws an `HttpProblem` with the field if it says nothing new. */
export function splitConversation(all: readonly SaidMessage[], field: string): BroughtConversation {
  const start = all.findLastIndex(({ role }) => role !== 'user') + 1;
  const said = all.slice(start).flatMap(({ content }) => content);
  if (said.every((piece) => piece.type === 'text' && piece.text.trim() === ''))
    throw new HttpProblem('bad_field', {
      field,
      message: `The last of the field "${field}" must be words of the user.`,
    });
  return { before: all.slice(0, start), said };
}
