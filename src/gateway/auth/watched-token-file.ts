// The tokens of a file that is read again and again: a token that was taken out proves nothing from then on, and what was opened with it is closed.
// The text is compared, not the times of the file: they miss changes that come soon after one another, or behind a link.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Clock, Disarm } from '../../core/sources/sources.ts';
import type { Authenticator, Proof } from './authenticator.ts';
import { findProof, type KnownToken, parseTokens, tokenFileError } from './token-file.ts';

/** From one reading of the file to the next, in milliseconds. */
const readEveryMs = 1_000;

export interface TokenChanges {
  /** Counts of tokens. One whose speaker, roles or sessions have changed is both. */
  readonly added: number;
  readonly revoked: number;
}

export interface WatchedTokenFileOptions {
  readonly path: string;
  readonly clock: Clock;
  onChange(changes: TokenChanges): void;
  /** Called once with the reason when the file cannot be used any more: the tokens that were read before count on. */
  onProblem(error: Error): void;
}

export class WatchedTokenFile implements Authenticator {
  readonly kind = 'tokens';
  readonly #options: WatchedTokenFileOptions;
  readonly #listeners = new Set<(proof: Proof) => void>();
  #known: readonly KnownToken[];
  /** What was read last; null: nothing could be read. */
  #text: string | null;
  #disarm: Disarm = () => {};
  #isClosed = false;

  /** Throws an error that names the file when it cannot be read or is not valid. */
  constructor(options: WatchedTokenFileOptions) {
    this.#options = options;
    try {
      this.#text = readFileSync(options.path, 'utf8');
      this.#known = parseTokens(this.#text);
    } catch (error) {
      throw tokenFileError(options.path, error);
    }
    this.#arm();
  }

  lookUp(token: string): Proof | null {
    return findProof(this.#known, token);
  }

  async verify(token: string | null): Promise<Proof | null> {
    return token === null ? null : this.lookUp(token);
  }

  onRevoked(listener: (proof: Proof) => void): void {
    this.#listeners.add(listener);
  }

  /** Reads the file no more. */
  close(): void {
    this.#isClosed = true;
    this.#disarm();
  }

  #arm(): void {
    if (!this.#isClosed) this.#disarm = this.#options.clock.after(readEveryMs, () => void this.#readAgain());
  }

  async #readAgain(): Promise<void> {
    const { path, onProblem } = this.#options;
    const before = this.#text;
    try {
      this.#text = await readFile(path, 'utf8').catch((error: unknown) => {
        this.#text = null;
        throw error;
      });
      if (this.#text !== before && !this.#isClosed) this.#replace(parseTokens(this.#text));
    } catch (error) {
      if (this.#text !== before) onProblem(tokenFileError(path, error));
    }
    this.#arm();
  }

  #replace(read: readonly KnownToken[]): void {
    const before = new Map(this.#known.map((token) => [identityOf(token), token]));
    const now = read.map((token) => before.get(identityOf(token)) ?? token);
    const revoked = this.#known.filter((token) => !now.includes(token));
    const added = now.filter((token) => !this.#known.includes(token)).length;
    this.#known = now;
    for (const { proof } of revoked) for (const listener of this.#listeners) listener(proof);
    if (added + revoked.length > 0) this.#options.onChange({ added, revoked: revoked.length });
  }
}

/** The same for two entries that prove the same by the same token. */
const identityOf = ({ digest, proof }: KnownToken): string => `${digest.toString('hex')} ${JSON.stringify(proof)}`;
