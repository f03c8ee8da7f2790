// Finds the files that typed words name (`@path`, `@"a path with spaces"`), and reads them: a picture is attached, a text is put in.
import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { imageTypeOf } from '../core/text/image-type.ts';
import type { ContentPart } from '../wire/said-parts.ts';
import type { Candidate, Completion } from './terminal/terminal-view.ts';

/** Bytes of all text files of a message: the words of a SAY have a limit, too. */
export const maxTextBytes = 24_576;
/** Bytes of a picture that are read at all; the gateway has a limit of its own. */
const maxPictureBytes = 67_108_864;

/** `@path` at the start of a word; not `@@…`, and not `@server:resource`. */
const filePattern = /(?<=^|\s)@(?:"([^"\n]+)"|(?!@|"|[\w-]{1,24}:\S)(\S+))/g;
/** What may follow a path in a sentence. */
const punctuation = /[.,;:!?)\]}'"]+$/;

export interface FileReader {
  readonly folder: string;
  /** Stores bytes in the session. Resolves with the id of the blob. */
  readonly store: (bytes: Uint8Array) => Promise<string>;
}

/** A file that was read, and some words about it for the person who has named it. */
export interface ReadNamedFile {
  readonly part: ContentPart;
  readonly about: string;
}

/** Returns the words after each `@` that may name a file. */
export const fileWords = (line: string): readonly string[] =>
  line.startsWith('//') ? [] : [...line.matchAll(filePattern)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/**
 * Reads the files that a line names. A word after `@` that neither is a file nor looks like a path is left alone.
 *
 * @throws Error with a sentence that names the file, if there is none, if it is a folder, too large, or neither a text nor a picture.
 */
export async function readNamedFiles(line: string, { folder, store }: FileReader): Promise<readonly ReadNamedFile[]> {
  const paths = await Promise.all(fileWords(line).map((word) => findFile(word, folder)));
  const read: ReadNamedFile[] = [];
  let textBytes = 0;
  for (const path of new Set(paths.filter((path) => path !== null))) {
    const file = await readOne(path, store, maxTextBytes - textBytes);
    if (file.part.type === 'text') textBytes += file.part.text.length;
    read.push(file);
  }
  return read;
}

const absolute = (word: string, folder: string): string =>
  resolve(folder, word.startsWith('~/') ? join(homedir(), word.slice(2)) : word);

/** Resolves with the path that a word names; null: it names none. */
async function findFile(word: string, folder: string): Promise<string | null> {
  for (const spelled of new Set([word, word.replace(punctuation, '')])) {
    if (spelled === '') continue;
    const path = absolute(spelled, folder);
    const found = await stat(path).catch(() => null);
    if (found?.isFile()) return path;
    if (found?.isDirectory() && spelled.includes('/')) throw new Error(`${spelled} is a folder. Name a file in it.`);
    if (found && !found.isDirectory()) throw new Error(`${spelled} is no ordinary file.`);
  }
  const looksLikePath = /[/\\]|^~|\.\w{1,5}$/.test(word.replace(punctuation, ''));
  if (looksLikePath) throw new Error(`There is no file ${word} in ${folder}. Write @@${word} to say it as it is.`);
  return null;
}

async function readOne(path: string, store: FileReader['store'], textRoom: number): Promise<ReadNamedFile> {
  const name = basename(path);
  const { size } = await stat(path);
  if (size > maxPictureBytes)
    throw new Error(`${name} has ${bytesText(size)}; ${bytesText(maxPictureBytes)} is the limit.`);
  const bytes = await readFile(path);
  const mediaType = imageTypeOf(bytes);
  if (mediaType !== null) {
    const part = { type: 'image', blob: await store(bytes), mediaType, bytes: bytes.length, name } as const;
    return { part, about: `${name} (${mediaType}, ${bytesText(bytes.length)})` };
  }
  const text = textOf(bytes);
  if (text === null)
    throw new Error(`${name} is binary, and no picture (png, jpeg, webp, gif): only pictures and texts can be said.`);
  if (bytes.length > textRoom)
    throw new Error(
      `${name} has ${bytesText(bytes.length)}; the text files of one message may have ${bytesText(maxTextBytes)} together. Name a smaller one, or let the bot read it with a tool.`,
    );
  return {
    part: { type: 'text', text: `File ${name}:\n${text}` },
    about: `${name} (text, ${bytesText(bytes.length)})`,
  };
}

/** Decodes UTF-8; null: the bytes are no text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const bytesText = (count: number): string => `${count.toLocaleString('en-US')} bytes`;

/** Resolves with completions of the path after the last `@` before the cursor; null: there is none. */
export async function completePath(text: string, cursor: number, folder: string): Promise<Completion | null> {
  const found = /(?:^|\s)@("?)([^"\n]*)$/.exec(text.slice(0, cursor));
  const [, quote = '', typed = ''] = found ?? [];
  if (!found || typed.startsWith('@') || (quote === '' && /\s/.test(typed))) return null;
  const parent = typed.endsWith('/') ? typed : typed.includes('/') ? `${dirname(typed)}/` : '';
  const start = typed.slice(typed.lastIndexOf('/') + 1);
  const entries = await readdir(absolute(parent === '' ? '.' : parent, folder), { withFileTypes: true });
  const candidates = entries
    .filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map((entry): Candidate => {
      const slash = parent === '' || typed.includes('/') ? typed.slice(0, typed.lastIndexOf('/') + 1) : parent;
      const path = `${slash}${entry.name}${entry.isDirectory() ? '/' : ''}`;
      const quoted = /\s/.test(path) || quote !== '';
      return { text: quoted ? `@"${path}${entry.isDirectory() ? '' : '"'}` : `@${path}` };
    });
  return { from: cursor - typed.length - quote.length - 1, candidates };
}
