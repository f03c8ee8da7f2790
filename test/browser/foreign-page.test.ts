// A page of another site in the browser of somebody who works at a gateway: its images ask the gateway, and take nothing from it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../support/until.ts';
import { startDemo } from './demo.ts';
import { untilShows } from './page-actions.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

/** Starts a site whose page has an image of the gateway fifty times a second, without a key and with a wrong one. Returns its address. */
async function startSite(gateway: string): Promise<string> {
  const page = `<!doctype html><title>0</title><script>
    let count = 0;
    setInterval(() => {
      const image = new Image();
      image.onerror = () => { document.title = String(++count); };
      image.src = '${gateway}api/sessions?' + (count % 2 ? 'key=wrong&' : '') + 'n=' + Math.random();
    }, 20);
  </script>`;
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
}

describeInBrowser('a page of another site', () => {
  const browser = useBrowser();

  test('that shows images of the gateway keeps nobody out who has the key [http.api.limits.guesses]', async () => {
    const address = await startDemo();
    const gateway = new URL('/', address).href;
    const key = new URL(address).hash.replace('#key=', '');
    const context = await browser.browser.newContext();
    onTestFinished(() => context.close());
    const site = await context.newPage();
    await site.goto(await startSite(gateway));
    const countOfImages = async () => Number(await site.title());
    await until(async () => (await countOfImages()) > 50, { ms: 30_000, what: 'the images to be refused' });
    const before = await countOfImages();
    const guess = async () => (await fetch(`${gateway}api/sessions?key=wrong`)).status;
    await until(async () => (await guess()) === 429, {
      what: 'the images to have used up what this address may guess',
    });
    for (let n = 0; n < 20; n++) {
      const stop = await fetch(`${gateway}api/sessions/nothing-${n}/abort?key=${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(stop.status).toBe(404); // it was let in: there is no such session
      expect(await stop.json()).toMatchObject({ code: 'access_denied' });
    }
    const page = await openTab(browser, address);
    await untilShows(page.getByRole('navigation', { name: 'Sessions' }), 'local');
    await until(async () => (await countOfImages()) > before, { what: 'the images to go on' });
  });
});
