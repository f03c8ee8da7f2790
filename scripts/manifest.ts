// Makes the package.json of the package: it lists what the built files import, and nothing that only a checkout needs (its Node, its tools).
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Checkout {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  /** Packages that users install where they need them. */
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

/** What the package has of the checkout beside the built files; its README is README.package.md. */
export const packageFiles = ['LICENSE', 'CHANGELOG.md', 'SECURITY.md'];
export const packageFolders = ['docs/', 'bin/', 'page/'];

/** Entry points, each with the source that it is built from. */
const entries = {
  '.': 'src/index',
  './client': 'src/client/index',
  './ai-sdk': 'src/client/belay-transport',
  './protocol': 'src/wire/index',
  './machines': 'machines/index',
  './intent': 'src/core/intent/index',
  './inspector': 'src/inspector/index',
  './testing': 'src/testing/index',
} as const;

type Exports = Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;

/** Returns the manifest for the built files in the folder `dist`. Throws if they import a package that the checkout does not list. */
export function manifestOf(checkout: Checkout, dist: URL) {
  const { name, version, description, license, engines, peerDependencies, peerDependenciesMeta } = checkout;
  // examples in the comments name the package itself
  const needed = packagesOf(dist).filter((found) => found !== name && !(found in peerDependencies));
  const unlisted = needed.filter((found) => !(found in checkout.dependencies));
  if (unlisted.length > 0)
    throw new Error(
      `The built files import ${unlisted.join(', ')}: add it to "dependencies" in package.json, or do not import it from src/.`,
    );
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
    engines,
    os: ['linux', 'darwin'],
    bin: { belay: 'bin/belay' },
    exports,
    dependencies: Object.fromEntries(needed.map((found) => [found, checkout.dependencies[found]])),
    peerDependencies,
    peerDependenciesMeta,
  };
}

/** The packages that the built files name, sorted. */
function packagesOf(dist: URL): string[] {
  const folder = fileURLToPath(dist);
  const found = new Set<string>();
  for (const path of globSync('{src,machines}/**/*.{js,d.ts}', { cwd: folder })) {
    const text = readFileSync(new URL(path, dist), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:(?<![.'"])\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)) {
      const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
      if (name && !specifier.startsWith('.') && !specifier.startsWith('node:')) found.add(name);
    }
  }
  return [...found].sort();
}
