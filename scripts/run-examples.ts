// Runs the examples of docs/examples in order, each a program that checks itself; prints a line for each (npm run examples).
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../docs/examples/', import.meta.url));
const limitMs = 60_000;
/** The environment of an example. It names a folder for what Node has compiled of the sources: each example would compile them again. */
const env = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/examples-compile', import.meta.url)),
  ...process.env,
};
/** An example's name starts with its number; the other files belong to them. */
const names = readdirSync(folder)
  .filter((name) => /^\d\d-.+\.ts$/.test(name))
  .sort();

let failed = 0;
for (const name of names) {
  const began = performance.now();
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [`${folder}${name}`], {
    encoding: 'utf8',
    env,
    timeout: limitMs,
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  if (status === 0) console.log(`ok      ${name} (${seconds} s)`);
  else {
    failed++;
    console.log(`FAILED  ${name} (${seconds} s): ${signal ? `ended by ${signal}` : `exit code ${status}`}`);
    console.log(`${stdout}${stderr}`.replace(/^/gm, '        | '));
  }
}
console.log(`${names.length - failed} examples passed, ${failed} failed`);
process.exitCode = failed === 0 && names.length > 0 ? 0 : 1;
