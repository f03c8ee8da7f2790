// Turns the output of the compiler in dist into the package: adds its package.json, command and docs (npm run build).
import { copyFileSync, cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { manifestOf, packageFiles, packageFolders } from './manifest.ts';
import { packedPage } from './packed-page.ts';

const root = new URL('../', import.meta.url);
const dist = new URL('dist/', root);

for (const name of packageFiles) copyFileSync(new URL(name, root), new URL(name, dist));
copyFileSync(new URL('README.package.md', root), new URL('README.md', dist));
for (const name of packageFolders) cpSync(new URL(name, root), new URL(name, dist), { recursive: true });
for (const page of globSync('{docs/**/,}*.md', { cwd: fileURLToPath(dist) })) {
  const file = new URL(page, dist);
  writeFileSync(file, packedPage(page, readFileSync(file, 'utf8')));
}
const checkout = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const manifest = manifestOf(checkout, dist);
writeFileSync(new URL('package.json', dist), `${JSON.stringify(manifest, null, 2)}\n`);
