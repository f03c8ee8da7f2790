// Makes the package of what the compiler has put into dist: its own package.json, and nothing that only a checkout needs (npm run build).
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { manifestOf } from './manifest.ts';

const root = new URL('../', import.meta.url);
const dist = new URL('dist/', root);

// the scripted endpoint is for a tour of the checkout: it stands on a package for tests
rmSync(new URL('src/cli/scripted/', dist), { recursive: true, force: true });
for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(new URL(name, root), new URL(name, dist));
cpSync(new URL('docs/', root), new URL('docs/', dist), { recursive: true });
const checkout = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const manifest = manifestOf(checkout, dist);
writeFileSync(new URL('package.json', dist), `${JSON.stringify(manifest, null, 2)}\n`);
