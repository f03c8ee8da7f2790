// Loads the module that the author of a tool names. This is the only import in the sources with a computed name.
import { fieldsOf } from '../../../core/collections/fields.ts';

/** Loads a function. `url` is a file: URL. Rejects if the module cannot be loaded, or exports no function of that name. */
export async function loadFunction(url: string, name: string): Promise<(...args: never[]) => unknown> {
  const found = fieldsOf(await import(url))[name];
  if (typeof found !== 'function') throw new Error(`${url} exports no function \`${name}\``);
  return found as (...args: never[]) => unknown; // its parameters are known to the caller only
}
