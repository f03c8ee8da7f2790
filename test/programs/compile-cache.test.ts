// The compile cache: what a gateway has compiled is there for the next start, also after a kill; and only what nobody else could have put there.
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { until } from '../support/until.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const serve = (cache: string) =>
  startChild('src/programs/belay.ts', {
    args: ['serve', '--port', '0', '--store', 'memory'],
    cwd: newFolder(),
    env: { NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: cache },
  });

/** Returns the number of modules in the cache. */
const compiledIn = (cache: string) => globSync('belay/compiled/*/*', { cwd: cache }).length;

test('it is written while the gateway runs, in a folder of its user alone [boot.cache]', async () => {
  const cache = newFolder();
  await serve(cache).untilPrinted(/listens at (\S+)/, 30_000);
  await until(() => compiledIn(cache) > 300, { ms: 20_000, what: 'the cache to be written' });
  expect(statSync(join(cache, 'belay', 'compiled')).mode & 0o777).toBe(0o700);
});

test('what others could have written is not run [boot.cache]', async () => {
  const cache = newFolder();
  mkdirSync(join(cache, 'belay', 'compiled'), { recursive: true });
  chmodSync(join(cache, 'belay', 'compiled'), 0o777);
  const gateway = serve(cache);
  await gateway.untilPrinted(/listens at (\S+)/, 30_000);
  gateway.signal('SIGTERM');
  expect(await gateway.ended()).toBe(0);
  expect(compiledIn(cache)).toBe(0);
});

test('a start does without a folder that cannot be made [boot.cache]', async () => {
  const gateway = serve('/dev/null');
  await gateway.untilPrinted(/listens at (\S+)/, 30_000);
});
