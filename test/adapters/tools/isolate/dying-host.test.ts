// Browsers and isolated calls of a host that is killed: they end because their pipes close.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../../../src/adapters/tools/browser/chromium.ts';
import { startChild } from '../../../support/child.ts';
import { until } from '../../../support/until.ts';
import { living, newToken } from '../../processes/processes.ts';
import { serveSite } from '../browser/site.ts';

test('an isolated process ends after its host was killed [tool.process] [store.durable]', async () => {
  const token = newToken();
  const host = startChild('test/children/host-with-tool.ts', { args: ['isolated', 'titled', token] });
  await host.untilPrinted('entered');
  await until(() => living(`isolate-${token}`).length === 1, { what: 'its process' });
  host.process.kill('SIGKILL');
  await until(() => living(`isolate-${token}`).length === 0, { what: 'its end' });
});

test.runIf(findChromium() !== null)('so does a browser, with its helpers [tool.process] [store.durable]', async () => {
  // a killed host leaves its browser's profile: in a folder of this test's own, by whose name its browser is known
  const own = mkdtempSync(join(tmpdir(), 'dying-host-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true, maxRetries: 5 }));
  const site = await serveSite((_, response) => response.setHeader('content-type', 'text/html').end('<p>words'));
  const host = startChild('test/children/host-with-tool.ts', { args: ['browse', site.url], env: { TMPDIR: own } });
  await until(() => site.requests.length > 0, { ms: 20_000, what: 'the page to be asked for' });
  expect(living(basename(own)).length).toBeGreaterThan(0);
  host.process.kill('SIGKILL');
  await until(() => living(basename(own)).length === 0, { ms: 10_000, what: 'the end of the browser' });
});
