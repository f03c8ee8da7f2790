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

const kibibyte = 1024;

const sizeInWords = (bytes: number): string =>
  bytes < kibibyte ? `${bytes} bytes` : `${Math.round(bytes / kibibyte)} KiB`;

/** Describes a part that its reader cannot see or hear. `why`: a clause, for example `this model takes text only`. */
export function describeMedia({ type, name, mediaType, bytes }: MediaPart, why?: string): string {
  const what = name === undefined ? type : `${type} ${name}`;
  return `[${what}: ${mediaType}, ${sizeInWords(bytes)}${why === undefined ? '' : `, ${why}`}]`;
}

/** Returns the text form of a content: its texts, and a description in the place of each other part. */
export const textOfContent = (parts: readonly ContentPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : describeMedia(part))).join('\n');
