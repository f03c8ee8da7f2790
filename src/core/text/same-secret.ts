// Compares two secrets in a time that reveals nothing about them.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other));

const digestOf = (text: string) => createHash('sha256').update(text).digest();
