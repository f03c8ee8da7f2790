// Recognizes image files that models read, by their first bytes.

/** Bytes that `imageTypeOf` needs. */
export const signatureBytes = 12;

/** The first bytes of an image of each media type, as Latin-1 text. */
const signatures: readonly (readonly [mediaType: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];

/** Returns the media type of an image that starts with these bytes; null: it is none of PNG, JPEG, GIF and WebP. */
export function imageTypeOf(start: Uint8Array): string | null {
  const text = Buffer.from(start.subarray(0, signatureBytes)).toString('latin1');
  return signatures.find(([, signature]) => signature.test(text))?.[0] ?? null;
}
