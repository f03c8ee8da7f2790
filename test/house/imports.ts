// Reads from its text which files and packages a file imports. Type imports count like any other, because they tie files too.
import { posix } from 'node:path';
import { codeTokens, type Token } from './tokens.ts';

export interface Import {
  readonly specifier: string;
  /** Relative to the root for a file of the checkout; null for a package or a part of Node. */
  readonly path: string | null;
  /** Names that are imported; null where that is the whole module, or unknown. */
  readonly names: readonly string[] | null;
  readonly line: number;
}

/** Files that load a module of an embedder, a bundle that a test has built, a component of the page, or a client of a door. */
const loaders: readonly string[] = [
  'src/adapters/tools/isolate/load-module.ts',
  'test/client/bundle.test.ts',
  'test/children/mcp-everything-http.ts',
  'test/children/counted-renderers.ts',
  'src/adapters/models/ai-sdk/ai-sdk-packages.ts',
  'test/doors/official-client.ts',
];

/** An import whose name is computed, which no test can follow. */
export class ComputedImport extends Error {
  override readonly name = 'ComputedImport';
}

/**
 * Returns static imports and re-exports, `import()` of values and of types, `require()`, and `new URL(…, import.meta.url)`, which names a
 * worker. `path` is the importing file, relative to the root. Throws `ComputedImport`.
 */
export function importsOf(path: string, source: string): Import[] {
  const tokens = codeTokens(source);
  const found: Import[] = [];
  const add = (specifier: string, line: number, names: readonly string[] | null = null): void => {
    const relative = specifier.startsWith('.') || specifier.startsWith('/');
    found.push({ specifier, line, names, path: relative ? posix.join(posix.dirname(path), specifier) : null });
  };
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    const after = tokens[index + 2];
    if (token.kind !== 'word' || !next || isPunctuation(tokens[index - 1], '.')) return;
    if (token.text === 'import' && next.kind === 'string') add(next.text, next.line);
    if (token.text === 'from' && next.kind === 'string') add(next.text, next.line, namesBefore(tokens, index));
    if ((token.text === 'import' || token.text === 'require') && isPunctuation(next, '(')) {
      if (after?.kind !== 'string' && loaders.includes(path.replace(/\.js$/, '.ts'))) return;
      if (after?.kind !== 'string') throw new ComputedImport(`${path}:${token.line} imports a name that is computed`);
      add(after.text, after.line);
    }
    if (token.text === 'URL' && isPunctuation(next, '(')) {
      for (const file of filesNamed(tokens.slice(index + 2))) add(file.text, file.line);
    }
  });
  return found;
}

/** Returns the names in `import { a, type b as c } from`; null where there is more than the braces. */
function namesBefore(tokens: readonly Token[], from: number): string[] | null {
  if (!isPunctuation(tokens[from - 1], '}')) return null;
  const open = tokens.findLastIndex((token, index) => index < from && isPunctuation(token, '{'));
  const before = tokens[open - 1]?.text === 'type' ? tokens[open - 2] : tokens[open - 1];
  if (before?.text !== 'import' && before?.text !== 'export') return null;
  const parts = tokens.slice(open + 1, from - 1);
  return parts.flatMap(({ kind, text }, index) => {
    const first = index === 0 || isPunctuation(parts[index - 1], ',') || parts[index - 1]?.text === 'type';
    return kind === 'word' && text !== 'type' && first ? [text] : [];
  });
}

/** Returns the sources named between `new URL(` and its `)`; a built file counts as its source. */
function filesNamed(tokens: readonly Token[]): { text: string; line: number }[] {
  let depth = 1;
  const end = tokens.findIndex((token) => {
    if (isPunctuation(token, '(')) depth++;
    if (isPunctuation(token, ')')) depth--;
    return depth === 0;
  });
  return tokens
    .slice(0, end)
    .filter(({ kind, text }) => (kind === 'string' || kind === 'template') && /^\.\.?\/.*(\.[jt]s|\{\})$/.test(text))
    .map(({ text, line }) => ({ text: text.replace(/\.?(\{\}|[jt]s)$/, '.ts'), line }));
}

function isPunctuation(token: Token | undefined, text: string): boolean {
  return token?.kind === 'punctuation' && token.text === text;
}
