// The relay of Stately's inspector where Stately's site cannot be reached: its page says so, and points to Belay's own.
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createInspector } from '../../src/inspector/inspector.ts';
import { startRelay } from '../../src/inspector/relay.ts';
import { patientMs } from './page-actions.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const ownPage = 'http://127.0.0.1:7077/#/inspector/all';

describeInBrowser('the page of the relay without the internet', () => {
  const browser = useBrowser();

  async function openRelay(): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
    const relay = await startRelay({ inspector: createInspector({ clock: { now: Date.now } }), port: 0, ownPage });
    const context = await browser.browser.newContext();
    onTestFinished(async () => {
      await context.close();
      await relay.close();
    });
    await context.route(/stately\.ai/, (route) => route.abort('internetdisconnected'));
    const page = await context.newPage();
    await page.goto(relay.url);
    expect(await page.getByRole('status').isVisible()).toBe(false);
    return { page, context };
  }

  const untilNoticed = async (page: Page) => {
    const notice = page.getByRole('status');
    await notice.waitFor({ timeout: patientMs });
    expect(await notice.textContent()).toContain("Stately's site cannot be reached");
    expect(await notice.getByRole('link').getAttribute('href')).toBe(ownPage);
  };

  test('offline it says so at once', async () => {
    const { page, context } = await openRelay();
    await context.setOffline(true);
    await page.getByRole('button').click();
    await untilNoticed(page);
  });

  test('where only the site does not answer it says so after some seconds', async () => {
    const { page } = await openRelay();
    await page.getByRole('button').click();
    await untilNoticed(page);
  });
});
