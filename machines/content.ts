// The content of a SAY, of a tool's output or of a message, where it is more than text: parts, in their order. The blob store has their bytes.

/** The kinds of parts that are not text. */
export const mediaKinds = ['image', 'audio', 'file'] as const;
export type MediaKind = (typeof mediaKinds)[number];

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image, a sound or a file. A session's blob store has its bytes, unless they were swept. */
export interface MediaPart {
  readonly type: MediaKind;
  /** The id of the blob: the SHA-256 of its bytes, as 64 hexadecimal digits. */
  readonly blob: string;
  /** A media type as of RFC 6838, for example `image/png`. */
  readonly mediaType: string;
  /** The size of the blob, in bytes. */
  readonly bytes: number;
  /** The name of the file it comes from. */
  readonly name?: string;
}

export type ContentPart = TextPart | MediaPart;

/** An image, a sound or a file with its bytes: before they are stored, and on their way to a model. */
export interface LoadedMedia {
  readonly type: MediaKind;
  readonly data: Uint8Array;
  readonly mediaType: string;
  readonly name?: string | undefined;
}

export type LoadedPart = TextPart | LoadedMedia;

const kibibyte = 1024;

const sizeInWords = (bytes: number): string =>
  bytes < kibibyte ? `${bytes} bytes` : `${Math.round(bytes / kibibyte)} KiB`;

/** Bytes of a sound or a file that a model reads as one token: of a sound in MP3, and of a PDF. Endpoints differ by a factor of two or more. */
const bytesPerToken: Readonly<Record<Exclude<MediaKind, 'image'>, number>> = { audio: 512, file: 32 };
/** Tokens of an image of about a megapixel. A smaller image has fewer; most endpoints reduce a larger one. */
const tokensOfImage = 1_500;

/** Estimates the tokens that a model needs to read an image, a sound or a file. */
export const tokensOfMedia = ({ type, bytes }: Pick<MediaPart, 'type' | 'bytes'>): number =>
  type === 'image' ? tokensOfImage : Math.ceil(bytes / bytesPerToken[type]);

/** In the name of a file: what could end the description early, or start a line of its own. */
const unsafeInName = /[[\]\p{Cc}\u2028\u2029]/gu;

/** Describes a part that its reader cannot see or hear. `why`: a clause, for example `this model takes text only`. */
export function describeMedia({ type, name, mediaType, bytes }: Omit<MediaPart, 'blob'>, why?: string): string {
  const what = name === undefined ? type : `${type} ${name.replaceAll(unsafeInName, '_')}`;
  return `[${what}: ${mediaType}, ${sizeInWords(bytes)}${why === undefined ? '' : `, ${why}`}]`;
}

/** Returns the text form of a content: its texts, and a description in the place of each other part. */
export const textOfContent = (parts: readonly ContentPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : describeMedia(part))).join('\n');
