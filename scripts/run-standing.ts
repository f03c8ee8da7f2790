// Runs the tests of who may stop what, and of the phrases by which people say it, and ends with one line of counts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The lines by which the tests say what they have counted, in the order of the last line. */
const counted = [
  /^standing (table: .+)$/,
  /^standing (trees: .+)$/,
  /^standing (rooms: .+)$/,
  /^standing (voice: .+)$/,
  /^(phrases: .+)$/,
  /^(\d+ passed, \d+ failed)$/,
];

const counts = counted.map(() => '');
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const run = spawn(process.execPath, [vitest, 'run', 'test/standing', 'test/voice', 'test/core/intent'], {
  stdio: ['inherit', 'pipe', 'inherit'],
  env: { ...process.env, NO_COLOR: '1' },
});
const ended = once(run, 'close');

for await (const line of createInterface({ input: run.stdout })) {
  console.log(line);
  for (const [i, pattern] of counted.entries()) counts[i] = pattern.exec(line.trim())?.[1] ?? counts[i] ?? '';
}
await ended;

const missing = counts.includes('');
console.log(`test:standing: ${counts.map((count) => count || 'not counted').join('; ')}`);
process.exitCode = run.exitCode === 0 && !missing ? 0 : 1;
