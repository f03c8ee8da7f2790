// The package.json of the package: what the built files need, no more; it brings neither Node nor anything that only a checkout needs.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Checkout {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** What can be imported, and from which source it is built. */
const entries = {
  '.': 'src/index',
  './client': 'src/client/index',
  './protocol': 'src/protocol/index',
  './machines': 'machines/index',
  './testing': 'src/testing/index',
} as const;

type Exports = Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;

/** `dist`: where the built files lie. Throws where they import a package that the checkout does not list. */
export function manifestOf(checkout: Checkout, dist: URL) {
  const { name, version, description, license } = checkout;
  const needed = packagesOf(dist).filter((found) => found !== name); // examples in the comments name the package itself
  const strangers = needed.filter((found) => !(found in checkout.dependencies));
  if (strangers.length > 0) throw new Error(`built files import what is no dependency: ${strangers.join(', ')}`);
  const exports: Exports = {
    ...Object.fromEntries(
      Object.entries(entries).map(([entry, path]) => [entry, { types: `./${path}.d.ts`, default: `./${path}.js` }]),
    ),
    './package.json': './package.json',
  };
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    os: ['linux', 'darwin'],
    bin: { belay: 'src/cli/belay.js' },
    exports,
    dependencies: Object.fromEntries(needed.map((found) => [found, checkout.dependencies[found]])),
  };
}

/** The packages that the built files name, sorted. */
function packagesOf(dist: URL): string[] {
  const folder = fileURLToPath(dist);
  const found = new Set<string>();
  for (const path of globSync('**/*.{js,d.ts}', { cwd: folder })) {
    const text = readFileSync(new URL(path, dist), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
      if (name && !specifier.startsWith('.') && !specifier.startsWith('node:')) found.add(name);
    }
  }
  return [...found].sort();
}
