// Finds the offers of MCP servers that a typed line names: resources as `@server:resource`, or a prompt as `/server:prompt name=value`, the whole line.
import type { ReadOptions } from '../client/command-options.ts';

/** `@server:address`, at the start of a word. The name of a server has at most 24 letters: see adapters/mcp/server-config.ts. */
const resourcePattern = /(?<=^|\s)@([\w-]{1,24}):(\S+)/g;
/** `@@` stands for an `@` that names nothing. */
const escapedPattern = /(?<=^|\s)@@(?=\S)/g;
const promptPattern = /^\/([\w-]{1,24}):(\S+)(.*)$/s;
const argumentPattern = /([\w-]+)=(?:"([^"]*)"|(\S+))/g;

export interface NamedOffers {
  /** The words to say. */
  readonly text: string;
  /** The resources, or the prompt, to read before the words are said, in the order of the line. */
  readonly reads: readonly ReadOptions[];
}

/** Returns what the line says, and what it names. */
export function findNamedOffers(line: string): NamedOffers {
  if (line.startsWith('//')) return { text: line.slice(1), reads: [] }; // `//` stands for a `/` that starts neither a command nor a prompt
  const [, server, prompt, rest = ''] = promptPattern.exec(line) ?? [];
  if (server !== undefined && prompt !== undefined) {
    const values = [...rest.matchAll(argumentPattern)].map(([, name = '', quoted, plain]) => [
      name,
      quoted ?? plain ?? '',
    ]);
    return {
      text: line,
      reads: [{ server, prompt, ...(values.length > 0 && { arguments: Object.fromEntries(values) }) }],
    };
  }
  const reads = [...line.matchAll(resourcePattern)].map(([, name, resource]) => ({ server: name, resource }));
  return { text: line.replaceAll(escapedPattern, '@'), reads };
}
