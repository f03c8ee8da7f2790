// Finds what a typed line names of MCP servers: `@server:resource`, and `/server:prompt name=value` as the whole line.
import type { ReadOptions } from '../client/command-options.ts';

/** `@server:address`, at the start of a word. Two `@` are one that names nothing. */
const resourcePattern = /(?<=^|\s)@([\w-]{1,24}):(\S+)/g;
const escapedPattern = /(?<=^|\s)@@(?=\S)/g;
const promptPattern = /^\/([\w-]{1,24}):(\S+)(.*)$/s;
const argumentPattern = /([\w-]+)=(?:"([^"]*)"|(\S+))/g;

export interface NamedOffers {
  /** The words to say. */
  readonly text: string;
  /** What to read before, in the order of the line. */
  readonly reads: readonly ReadOptions[];
}

/** Returns what the line says, and what it names. */
export function findNamedOffers(line: string): NamedOffers {
  if (line.startsWith('//')) return { text: line.slice(1), reads: [] }; // no command, and no prompt
  const [, server, prompt, rest = ''] = promptPattern.exec(line) ?? [];
  if (server !== undefined && prompt !== undefined) {
    const given = [...rest.matchAll(argumentPattern)].map(([, name = '', quoted, plain]) => [
      name,
      quoted ?? plain ?? '',
    ]);
    return {
      text: line,
      reads: [{ server, prompt, ...(given.length > 0 && { arguments: Object.fromEntries(given) }) }],
    };
  }
  const reads = [...line.matchAll(resourcePattern)].map(([, name, resource]) => ({ server: name, resource }));
  return { text: line.replaceAll(escapedPattern, '@'), reads };
}
