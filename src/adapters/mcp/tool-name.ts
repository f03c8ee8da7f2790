// Names the tool of a server for the model: `files__read_file`.
import { createHash } from 'node:crypto';

/** The longest name of a function that model endpoints accept. */
const maxNameChars = 64;
const hashChars = 8;

/** Two servers of such names could have tools of the same name: `a__b` with `c`, `a` with `b__c`. */
const isAmbiguous = (server: string) => `${server}_`.includes('__');

/**
 * The name of a server's tool. Characters that model endpoints reject become `_`; a hash keeps names apart that could be the same then. The name
 * depends on its two parts alone, so that no other server changes it.
 */
export function toolName(server: string, tool: string): string {
  const joined = `${server}__${tool}`;
  const name = joined.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (name === joined && name.length <= maxNameChars && !isAmbiguous(server)) return name;
  const hash = createHash('sha256').update(`${server}/${tool}`).digest('hex').slice(0, hashChars);
  return `${name.slice(0, maxNameChars - hashChars - 1)}_${hash}`;
}

/** Whether the name can be that of a tool of the server. */
export const mayBeToolOf = (server: string, name: string): boolean => name.startsWith(`${server}__`);
