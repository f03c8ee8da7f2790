// Finds the lines in the stderr of a server that explain its exit.
import { truncate } from '../../core/text/bound-text.ts';

const maxChars = 300;

/** Lines that say where an error was thrown, and the line of code and the marks that Node and Python print with it. */
const positions = [/^\s+at .+/, /^\s*File ".+", line \d+/, /^Node\.js v\d/, /^\s*[\^~]+\s*$/, /^\S*[/\\]\S+:\d+$/];
const isPosition = (line: string) => positions.some((pattern) => pattern.test(line));

/** Lines that name an error, the surest first. */
const explanations = [
  /^(?:Uncaught |Unhandled )?[\w.]*(?:Error|Exception)\b.*:/,
  /\b(?:panicked|panic|fatal)\b/i,
  /\b(?:error|failed|cannot|missing|not found|denied|invalid|unknown)\b/i,
];

/** Returns the part of a program's stderr that most likely says why it has ended; empty: it has printed nothing. */
export function explanationOf(stderr: string): string {
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => line.slice(0, 2 * maxChars))
    .filter((line) => line.trim() !== '' && !isPosition(line));
  const text = lines.join('\n').trim();
  if (text.length <= maxChars) return text;
  for (const pattern of explanations) {
    const at = lines.findIndex((line) => pattern.test(line));
    if (at !== -1) return truncate(lines.slice(at).join('\n').trim(), maxChars);
  }
  return text.slice(-maxChars);
}
