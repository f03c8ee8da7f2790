// Checks the key or the token that a request, an upgrade or a HELLO shows. All doors of a gateway share one.
//
// 1. The key, and a token that the authenticator finds by a lookup, are accepted before any limit is asked. So nobody can keep its holder out.
// 2. Any other token is verified under the limit of its address, few at a time from all addresses, with a place for stops.
// 3. A request without a credential is no guess, and costs its address nothing.
import { BoundedMap } from '../core/collections/bounded-map.ts';
import type { Clock } from '../core/sources/sources.ts';
import { type Rate, TokenBucket } from '../core/sources/token-bucket.ts';
import { speakerNameProblem } from '../core/text/printable.ts';
import { isSameSecret } from '../core/text/same-secret.ts';
import type { Authenticator, Proof } from './auth/authenticator.ts';
import { VerificationPlaces } from './verification-places.ts';

export interface ShownCredential {
  /** The key or the token; null: nothing is shown. */
  readonly secret: string | null;
  /** The share of the address that it comes from. */
  readonly address: string;
  /** The use of the credential. Left out: `other`. */
  readonly kind?: 'stop' | 'other';
}

/** `rate_limited`: the address has shown too many wrong ones, or too many requests wait; nothing was verified. `bad_speaker`: the token is good, and the name of its speaker is not. */
export type CredentialRefusal = 'unauthorized' | 'rate_limited' | 'bad_speaker';

/** Returns what a proof is worth: itself; none; or one whose speaker has a name that no speaker may have. */
export const usableProof = (proof: Proof | null): Proof | CredentialRefusal =>
  proof === null ? 'unauthorized' : speakerNameProblem(proof.speaker.id) === null ? proof : 'bad_speaker';

/** Says what `bad_speaker` is. */
export const badSpeaker =
  'The speaker in the token has a name that is not allowed: in `sub` of a signed token, or `speaker`. It must have 1 to 128 characters, no blank at its beginning or end, no two blanks in a row, and no character that cannot be seen.';

export interface CredentialCheckOptions {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  /** How many wrong keys and tokens an address may show. */
  readonly rate: Rate;
  /** How long a token may be verified, in milliseconds. */
  readonly timeoutMs: number;
}

/** Addresses whose rate is kept. */
const maxRates = 10_000;

export class CredentialCheck {
  readonly #options: CredentialCheckOptions;
  readonly #places = new VerificationPlaces();
  readonly #budgets = new BoundedMap<string, TokenBucket>(maxRates);
  /** For authenticators that let in who has no token: how often they are asked without one, and refuse. */
  readonly #budgetWithoutToken: TokenBucket;

  constructor(options: CredentialCheckOptions) {
    this.#options = options;
    this.#budgetWithoutToken = new TokenBucket(options.clock, options.rate);
  }

  /** Resolves with the speaker, or why there is none. Rejects with the error of the authenticator, and when it has not answered in time. */
  async check({ secret, address, kind = 'other' }: ShownCredential): Promise<Proof | CredentialRefusal> {
    const { authenticator } = this.#options;
    if (authenticator.kind === 'local')
      return this.refusalOfKey({ secret, address }) ?? usableProof(await authenticator.verify(secret));
    const known = secret === null ? null : (authenticator.lookUp?.(secret) ?? null);
    if (known) return usableProof(known);
    const budget = secret === null ? this.#budgetWithoutToken : this.#budgetOf(address);
    const refusal = secret === null ? 'unauthorized' : 'rate_limited';
    const placeKind = secret === null ? 'other' : kind; // without a token it must not hold up a stop
    if (!budget.has() || !(await this.#places.occupy(placeKind, address))) return refusal;
    try {
      if (!budget.spend()) return refusal; // others of the address came first
      const proof = await this.#verify(secret);
      if (proof) budget.giveBack();
      return usableProof(proof);
    } finally {
      this.#places.free(address);
    }
  }

  /** Compares the key of a gateway without tokens. Returns null if it is right, or none is needed. */
  refusalOfKey(shown: ShownCredential): CredentialRefusal | null {
    const { kind, key } = this.#options.authenticator;
    return kind === 'local' && key !== undefined ? this.compare(shown, key) : null;
  }

  /** Compares a secret that is no speaker's with the one that is right. Returns null if it is the same. */
  compare({ secret, address }: ShownCredential, right: string): CredentialRefusal | null {
    if (secret !== null && isSameSecret(secret, right)) return null;
    return secret === null || this.#budgetOf(address).spend() ? 'unauthorized' : 'rate_limited';
  }

  #budgetOf(address: string): TokenBucket {
    const budget = this.#budgets.get(address) ?? new TokenBucket(this.#options.clock, this.#options.rate);
    this.#budgets.set(address, budget);
    return budget;
  }

  /** A token whose verification hangs must not hold its place. */
  async #verify(token: string | null): Promise<Proof | null> {
    const { authenticator, clock, timeoutMs } = this.#options;
    const { promise: overdue, reject } = Promise.withResolvers<never>();
    const error = new Error(`The authenticator has not answered within ${timeoutMs} ms.`);
    const disarm = clock.after(timeoutMs, () => reject(error));
    try {
      return await Promise.race([authenticator.verify(token), overdue]);
    } finally {
      disarm();
    }
  }
}
