// Signing in again: after a start with another key, and after a token that is not good.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { openBelay, room, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { useEndpoint } from '../support/journey.ts';
import { pageMs, untilShows } from './page-actions.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

describeInBrowser('a page that has to sign in again', () => {
  const browser = useBrowser();

  test('after a start with another key the page says so, and the new address signs in again', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'belay-page-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 3 }));
    const start = async (port: string) => {
      const child = startChild('src/programs/serve.ts', { args: ['--port', port, '--store', 'memory'], cwd });
      const [, address = ''] = await child.untilPrinted(/(http:\/\/127\.0\.0\.1:\d+\/#key=\S+)/, pageMs);
      return { child, address };
    };
    const first = await start('0');
    const page = await openTab(browser, first.address, { expected: /WebSocket|ERR_CONNECTION_REFUSED|Failed to load/ });
    await untilShows(page.getByRole('navigation', { name: 'Sessions' }), 'local');
    first.child.signal('SIGKILL');
    await first.child.ended();
    const second = await start(new URL(first.address).port);
    await untilShows(page.getByRole('alert'), 'A key is another at each start of the gateway.');
    await page.getByLabel('Token, or the address').fill(second.address);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await untilShows(page.getByRole('navigation', { name: 'Sessions' }), 'local');
  });

  test('a token that is not good is refused in a sentence, and another one can be typed', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: 'Welcome.' } }]);
    const address = new URL('/', belay.url.replace(/^ws/, 'http')).href;
    const page = await openTab(browser, `${address}#/session/${room}?token=wrong`, { expected: /401/ });
    await untilShows(page.getByRole('alert'), 'does not accept this token');
    await page.getByLabel('Token, or the address').fill(tokenOf('ann'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await untilShows(page.getByRole('navigation', { name: 'Sessions' }), 'ann');
  });
});
