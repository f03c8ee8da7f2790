// Remembers signed tokens that were verified in the last minutes, by their hashes: their signatures are not verified again.
import { createHash } from 'node:crypto';
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import { msSince } from '../../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../../core/sources/sources.ts';
import type { Proof } from './authenticator.ts';

const maxTokens = 10_000;
/** A token that was not shown for this long is forgotten, in milliseconds. */
const keepMs = 600_000;

interface Verified {
  readonly proof: Proof;
  readonly shownAt: MonotonicTime;
}

export class VerifiedTokens {
  readonly #clock: Clock;
  readonly #tokens: BoundedMap<string, Verified>;

  /** `capacity`: a new token takes the place of the one that was not shown for the longest time. */
  constructor(clock: Clock, capacity = maxTokens) {
    this.#clock = clock;
    this.#tokens = new BoundedMap(capacity);
  }

  get size(): number {
    return this.#tokens.size;
  }

  add(token: string, proof: Proof): void {
    this.#tokens.set(hashOf(token), { proof, shownAt: this.#clock.elapsed() });
  }

  /** Returns the proof of a token that was verified and has not expired; null: it has to be verified. */
  find(token: string): Proof | null {
    const hash = hashOf(token);
    const found = this.#tokens.get(hash);
    if (!found) return null;
    const { expiresAt } = found.proof;
    const isExpired = expiresAt !== null && expiresAt <= this.#clock.now();
    if (isExpired || msSince(this.#clock, found.shownAt) >= keepMs) {
      this.#tokens.delete(hash);
      return null;
    }
    this.add(token, found.proof);
    return found.proof;
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
