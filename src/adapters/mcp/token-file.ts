// The file with the tokens of MCP servers that people have signed in to. Only this user may read it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { fieldsOf } from '../../core/collections/fields.ts';

/** The record of one sign-in. */
export interface KeptSignIn {
  /** How Belay is registered at the authorization server. */
  readonly client: StoredOAuthClientInformation;
  readonly tokens: StoredOAuthTokens;
}

/** What a server has asked for with a refusal. */
export interface SignInChallenge {
  readonly scope?: string | undefined;
  /** Where it describes itself, with its authorization server. */
  readonly resourceMetadata?: string | undefined;
}

/** Reads the file anew each time: a sign-in takes effect while a gateway runs. */
export class TokenFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Returns the sign-in to the server at the address; null: there is none. */
  read(url: string): KeptSignIn | null {
    const { client, tokens } = fieldsOf(this.#readAll()[addressOf(url)]);
    const isWhole = 'client_id' in fieldsOf(client) && 'access_token' in fieldsOf(tokens);
    return isWhole ? ({ client, tokens } as KeptSignIn) : null; // Belay has written it
  }

  /** Returns what the server has asked for since the last sign-in; null: nothing. */
  readChallenge(url: string): SignInChallenge | null {
    const { challenge } = fieldsOf(this.#readAll()[addressOf(url)]);
    return challenge === undefined ? null : (challenge as SignInChallenge); // Belay has written it
  }

  /** Keeps a sign-in, which answers every challenge before it. Throws if the file cannot be written. */
  save(url: string, signIn: KeptSignIn): void {
    this.#write({ ...this.#readAll(), [addressOf(url)]: signIn });
  }

  /** Keeps the refreshed tokens of a sign-in. Throws if the file cannot be written. */
  saveTokens(url: string, tokens: StoredOAuthTokens): void {
    this.#change(url, { tokens });
  }

  /** Keeps a challenge for the next sign-in. Throws if the file cannot be written. */
  saveChallenge(url: string, challenge: SignInChallenge): void {
    if (!isDeepStrictEqual(this.readChallenge(url), challenge)) this.#change(url, { challenge });
  }

  /** Removes a sign-in. Returns whether there was one. */
  remove(url: string): boolean {
    const wasSignedIn = this.read(url) !== null;
    const { [addressOf(url)]: found, ...others } = this.#readAll();
    if (found !== undefined) this.#write(others);
    return wasSignedIn;
  }

  #change(url: string, part: object): void {
    const all = this.#readAll();
    this.#write({ ...all, [addressOf(url)]: { ...fieldsOf(all[addressOf(url)]), ...part } });
  }

  #readAll(): Readonly<Record<string, unknown>> {
    try {
      return fieldsOf(JSON.parse(readFileSync(this.path, 'utf8')));
    } catch {
      return {}; // it does not exist, or is not JSON
    }
  }

  /** Replaces the file by a rename, so that a reader never finds half of it. */
  #write(signIns: object): void {
    const draft = `${this.path}.${process.pid}.new`;
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true }); // one that was left would keep its permissions
    writeFileSync(draft, `${JSON.stringify(signIns, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.path);
  }
}

/** Returns the address of a server without its fragment, which is not sent. */
const addressOf = (url: string): string => {
  const address = new URL(url);
  address.hash = '';
  return address.href;
};
