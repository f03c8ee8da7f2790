// Writes bytes into a URL, as endpoints take media.
import type { LoadedMedia } from '../../../machines/content.ts';

/** Returns the bytes as Base64. */
export const toBase64 = (data: Uint8Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64');

/** Returns a `data:` URL of the media. */
export const toDataUrl = ({ mediaType, data }: Pick<LoadedMedia, 'mediaType' | 'data'>): string =>
  `data:${mediaType};base64,${toBase64(data)}`;
