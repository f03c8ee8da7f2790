// Reads the header of a file: the comment at its top.
import { tokensOf } from './tokens.ts';

/** Returns the comment at the top of a file, after its `#!` line; empty where there is none. */
export function headerOf(source: string): string {
  const [first, second] = tokensOf(source);
  const header = first?.text.startsWith('#!') ? second : first;
  if (header?.kind !== 'comment') return '';
  if (!header.text.startsWith('//')) return header.text;
  const lines = source.split('\n').slice(header.line - 1);
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end === -1 ? lines.length : end).join('\n');
}
