// The parts of a call's end, where it is more than text: their limits, and their check as untrusted.
import { z } from 'zod';
import { describeMedia, type LoadedMedia, type LoadedPart, type MediaKind } from '../../../machines/content.ts';
import { maxOutputChars } from '../contracts/tool.ts';
import { boundText } from '../text/bound-text.ts';

/** Parts of one end. */
export const maxToolParts = 64;
/** Bytes of all images, sounds and files of one end. */
export const maxPartsBytes = 16_777_216;
/** Characters of the name of one. */
const maxNameChars = 255;

const name = z
  .string()
  .transform((text) =>
    text
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, maxNameChars)
      .toWellFormed(),
  )
  .optional();

/** `mediaTypes`: the media types of this kind, as of RFC 6838. */
const mediaPart = <const Kind extends MediaKind>(kind: Kind, mediaTypes: RegExp) =>
  z.object({
    type: z.literal(kind),
    data: z.instanceof(Uint8Array).refine(({ length }) => length > 0, 'must not be empty'),
    mediaType: z.string().max(127).toLowerCase().regex(mediaTypes),
    name,
  });

export const partsSchema = z
  .array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      mediaPart('image', /^image\/[a-z0-9][\w!#$&^.+-]*$/),
      mediaPart('audio', /^audio\/[a-z0-9][\w!#$&^.+-]*$/),
      mediaPart('file', /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/),
    ]),
  )
  .max(maxToolParts);

/** Returns words for a part that is not kept. `why`: a clause, as of `describeMedia`. */
export function describeLoaded({ type, mediaType, data, name: given }: LoadedMedia, why: string): LoadedPart {
  const media = { type, mediaType, bytes: data.length, ...(given !== undefined && { name: given }) };
  return { type: 'text', text: describeMedia(media, why) };
}

export interface BoundParts {
  readonly parts: readonly LoadedPart[];
  /** Characters that are missing in their texts. */
  readonly omitted: number;
}

/** Bounds the parts of an end: all texts together to `maxOutputChars`, everything else to `maxPartsBytes`. Words stand for what is above that. */
export function boundParts(parts: readonly LoadedPart[]): BoundParts {
  let leftChars = maxOutputChars;
  let leftBytes = maxPartsBytes;
  let omitted = 0;
  const bound = parts.map((part): LoadedPart => {
    if (part.type !== 'text') {
      if (part.data.length > leftBytes)
        return describeLoaded(part, `left out, because the limit is ${maxPartsBytes} bytes`);
      leftBytes -= part.data.length;
      return part;
    }
    const result = boundText(part.text, leftChars);
    leftChars = Math.max(0, leftChars - result.output.length);
    omitted += result.omitted;
    return { type: 'text', text: result.output };
  });
  return { parts: bound.filter((part) => part.type !== 'text' || part.text !== ''), omitted };
}
