// Loads the module that the author of a tool names. The only import in the sources whose name is computed.

/** Loads a function. `url` is a file: URL. Rejects where it cannot be loaded, or exports no function of that name. */
export async function loadFunction(url: string, name: string): Promise<(...args: never[]) => unknown> {
  const loaded = (await import(url)) as Readonly<Record<string, unknown>>;
  const found = loaded[name];
  if (typeof found !== 'function') throw new Error(`${url} exports no function \`${name}\``);
  return found as (...args: never[]) => unknown;
}
