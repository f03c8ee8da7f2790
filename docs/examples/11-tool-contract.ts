// The contract of a tool: what its author declares is checked by running it; a tool with a false declaration is caught; code that blocks goes into a thread.
import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, isolatedTool } from '@belay/runtime';
import { ContractBroken, toolContract } from '@belay/runtime/testing';
import { z } from 'zod';

const folder = await mkdtemp(join(tmpdir(), 'belay-example-'));

// -- a tool with a commit that must be whole

const note = defineTool({
  name: 'note',
  description: 'Puts a line under the notes.',
  input: z.object({ line: z.string().max(200) }),
  access: 'exclusive', // one at a time in a session
  cancel: 'shielded', // it ends by its signal, but not in the middle of its commit
  shieldMaxMs: 500,
  effect: 'some',
  async run({ line }, { signal, shield, roots: [root = ''], call }) {
    signal.throwIfAborted();
    const [notes, draft] = [join(root, 'notes.txt'), join(root, `.${call}`)];
    const before = await readFile(notes, 'utf8').catch(() => '');
    await writeFile(draft, `${before}${line}\n`);
    try {
      await shield(() => rename(draft, notes)); // rejects, and does not begin it, where the call is being stopped
    } finally {
      await rm(draft, { force: true });
    }
    return 'noted';
  },
});

const report = await toolContract(note, {
  good: { line: 'buy tea' },
  bad: [{ input: { line: 7 }, names: 'line' }],
  roots: [folder],
});
console.log(`note keeps its contract: ${report.kept.join(', ')}`);
assert(report.kept.includes('shield'));
assert.deepEqual(
  report.skipped.map(({ check }) => check),
  ['endless', 'forced'],
);

// -- a tool with a false declaration

const peek = defineTool({
  name: 'peek',
  description: 'Looks at the notes.',
  input: z.object({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none', // declared to be one that only reads
  async run(_, { signal, roots: [root = ''] }) {
    signal.addEventListener('abort', () => {}); // and forgets a listener
    await appendFile(join(root, 'notes.txt'), 'somebody has looked\n');
    return 'seen';
  },
});

const caught = await toolContract(peek, { good: {}, roots: [folder] }).catch((error: unknown) => error);
assert(caught instanceof ContractBroken);
console.log(caught.message);
const untrue = Object.fromEntries(caught.report.broken.map(({ check, why }) => [check, why]));
assert.match(untrue['completes'] ?? '', /listener/);
assert.match(untrue['fired'] ?? '', /runs although its signal had fired/);

// -- code that blocks: in a thread, which gets a signal to stop and is then terminated

const primes = isolatedTool({
  name: 'count_primes',
  description: 'Counts the primes below a number.',
  input: z.object({ below: z.int().min(2) }),
  access: 'parallel',
  effect: 'none',
  isolate: { kind: 'thread', module: new URL('./primes.ts', import.meta.url), termGraceMs: 200 },
});
assert.equal(primes.cancel, 'killable');
const counted = await toolContract(primes, { good: { below: 1_000 }, endless: { below: 1_000_000_000 } });
console.log(`count_primes keeps its contract: ${counted.kept.join(', ')}`);
assert(counted.kept.includes('endless') && counted.kept.includes('forced'));

await rm(folder, { recursive: true });
