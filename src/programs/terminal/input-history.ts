// The texts that a person has entered, over all chats of this user: a file with a line of JSON for each.
import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** How many texts are kept. */
const maxEntries = 1_000;
/** Longer texts are not kept, in characters. */
const maxEntryChars = 16_384;

/** Returns the path of the history: `belay/chat-history` in XDG_STATE_HOME, or in `~/.local/state`. */
export function historyPath(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { XDG_STATE_HOME: state = '' } = environment;
  return join(isAbsolute(state) ? state : join(homedir(), '.local', 'state'), 'belay', 'chat-history');
}

/** A walk through earlier texts: it starts after the newest, where the text that is being typed is. */
export class InputHistory {
  readonly #path: string;
  readonly #entries: string[];
  #place: number;
  /** The text that was being typed when the walk began. */
  #draft = '';

  /** Reads the file; without one, or if it cannot be read, the history is empty. */
  constructor(path: string) {
    this.#path = path;
    this.#entries = readEntries(path);
    this.#place = this.#entries.length;
    if (this.#entries.length > maxEntries) this.#shorten();
  }

  /** Keeps a text that was entered. Not kept: the same text twice in a row, a very long one, and one that begins with a space. */
  add(text: string): void {
    const isKept = text !== this.#entries.at(-1) && text.length <= maxEntryChars && !/^(\s|$)/.test(text);
    if (isKept) {
      this.#entries.push(text);
      this.#save(() => appendFileSync(this.#path, `${JSON.stringify(text)}\n`, { mode: 0o600 }));
    }
    this.#place = this.#entries.length;
  }

  /** Returns the text before the current one; null at the oldest. `current`: what is typed now. */
  older(current: string): string | null {
    if (this.#place === 0) return null;
    if (this.#place === this.#entries.length) this.#draft = current;
    this.#place -= 1;
    return this.#entries[this.#place] ?? null;
  }

  /** Returns the text after the current one, at the end the one that was being typed; null if the walk has not begun. */
  newer(): string | null {
    if (this.#place >= this.#entries.length) return null;
    this.#place += 1;
    return this.#entries[this.#place] ?? this.#draft;
  }

  /** Returns the newest texts that contain the words, the newest first. */
  find(words: string): readonly string[] {
    return [...new Set(this.#entries.filter((entry) => entry.includes(words)).toReversed())];
  }

  #shorten(): void {
    this.#entries.splice(0, this.#entries.length - maxEntries);
    this.#place = this.#entries.length;
    this.#save(() => {
      const draft = `${this.#path}.${process.pid}.new`;
      writeFileSync(draft, this.#entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 });
      renameSync(draft, this.#path);
    });
  }

  /** A history that cannot be written is kept for this chat alone. */
  #save(write: () => void): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      write();
      chmodSync(this.#path, 0o600);
    } catch {
      // a full disk, a folder of somebody else
    }
  }
}

function readEntries(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(parseEntry);
  } catch {
    return [];
  }
}

function parseEntry(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'string' ? [entry] : [];
  } catch {
    return []; // the end of a line that was cut off
  }
}
