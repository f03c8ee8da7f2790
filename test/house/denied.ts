// Finds the words that a floor may not use: globals of time, randomness and abort, and properties that bypass the road of a CANCEL.
import type { Row } from './floors.ts';
import { codeTokens, type Token } from './tokens.ts';

export interface DeniedUse {
  readonly line: number;
  readonly word: string;
  readonly message: string;
}

/** Returns the denied words in a source of the row. */
export function deniedUses(row: Row, source: string): DeniedUse[] {
  const tokens = codeTokens(source);
  const found: DeniedUse[] = [];
  tokens.forEach((token, index) => {
    if (token.kind !== 'word') return;
    const message =
      globalMessage(row, tokens, index) ?? propertyMessage(row, tokens, index) ?? dateMessage(row, tokens, index);
    if (message !== undefined) found.push({ line: token.line, word: token.text, message });
  });
  return found;
}

function globalMessage(row: Row, tokens: readonly Token[], index: number): string | undefined {
  const word = tokens[index]?.text ?? '';
  if (!Object.hasOwn(row.denied, word)) return undefined;
  const isProperty = tokens[index - 1]?.text === '.' && tokens[index - 2]?.text !== 'globalThis';
  return isProperty || isKey(tokens, index) ? undefined : row.denied[word];
}

/** `name:` and `name?:` are keys, fields and parameters (or a branch of a conditional, which Biome sees). */
function isKey(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1]?.text;
  return next === ':' || (next === '?' && tokens[index + 2]?.text === ':');
}

function propertyMessage(row: Row, tokens: readonly Token[], index: number): string | undefined {
  if (tokens[index - 1]?.text !== '.') return undefined;
  const word = tokens[index]?.text;
  const object = tokens[index - 2]?.text;
  return row.properties.find((denied) => denied.property === word && (denied.object ?? object) === object)?.message;
}

/** `new Date()` and `Date()` read the clock as `Date.now()` does; with an argument they do not. Biome does not see the difference. */
function dateMessage(row: Row, tokens: readonly Token[], index: number): string | undefined {
  const [name, open, close] = tokens.slice(index, index + 3).map(({ text }) => text);
  const reads = name === 'Date' && (open !== '(' || close === ')') && tokens[index - 1]?.text === 'new';
  const called = name === 'Date' && open === '(' && tokens[index - 1]?.text !== 'new';
  if (!reads && !called) return undefined;
  return row.properties.find(({ object }) => object === 'Date')?.message;
}
