// Compares two secrets in a time that reveals nothing about them.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other));

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/** Returns the hash under which a secret that was made at random is kept: it is too long to be guessed, so it needs no salt and no slow hash. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
