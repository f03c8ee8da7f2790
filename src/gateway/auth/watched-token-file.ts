// The tokens of a file that is read again when it changes: a token that was taken out proves nothing from then on, and what was opened with it is closed.
// The system looks for changes, so that nothing runs here while there is none. What it misses (soon after the start, on some file systems) a later reading sees.
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Clock, Disarm } from '../../core/sources/sources.ts';
import type { Authenticator, Proof } from './authenticator.ts';
import { findProof, type KnownToken, parseTokens, tokenFileError } from './token-file.ts';

/** How often the system looks at the file, in milliseconds. */
const lookEveryMs = 1_000;
/** When the file is read although no change was seen, in milliseconds: once after the start, then again and again. */
const firstReadMs = 2_000;
const readEveryMs = 60_000;

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
  readonly #onSeen = () => this.#readAgain();
  /** Readings come one after the other: an earlier one must not bring back what a later one has taken out. */
  #reading: Promise<void> = Promise.resolve();
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
    watchFile(options.path, { interval: lookEveryMs, persistent: false }, this.#onSeen);
    this.#arm(firstReadMs);
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
    unwatchFile(this.#options.path, this.#onSeen);
  }

  #arm(ms: number): void {
    this.#disarm = this.#options.clock.after(ms, () => {
      this.#arm(readEveryMs);
      this.#readAgain();
    });
  }

  #readAgain(): void {
    this.#reading = this.#reading.then(() => this.#read());
  }

  async #read(): Promise<void> {
    const { path, onProblem } = this.#options;
    let problem: unknown;
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      problem = error;
      return null;
    });
    if (text === this.#text || this.#isClosed) return;
    this.#text = text;
    try {
      if (text === null) throw problem;
      this.#replace(parseTokens(text));
    } catch (error) {
      onProblem(tokenFileError(path, error));
    }
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
