// The tour of a newcomer with the keyboard alone.
import type { Locator, Page } from 'playwright-core';
import { test } from 'vitest';
import { startDemo } from './demo.ts';
import { cardOf, patientMs, untilShows } from './page-actions.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

describeInBrowser('the tour', () => {
  const browser = useBrowser();

  test('with the keyboard alone: the suggestion, the stop of one card, Escape, Resume, and the words after it [page.chat]', async () => {
    const page = await openTab(browser, await startDemo());
    await page.getByRole('button', { name: 'research this and run the build' }).waitFor({ timeout: patientMs });
    await tabTo(page, page.getByRole('button', { name: 'research this and run the build' }));
    await page.keyboard.press('Enter');
    const build = cardOf(page, /^shell i=1/);
    await untilShows(build, /step 2 of 60/);
    await tabTo(page, build.getByRole('button', { name: 'Stop shell' }));
    await page.keyboard.press('Enter');
    await untilShows(build.locator('.card-status'), 'cancelled');
    await page.keyboard.press('Escape');
    const first = page.getByRole('article').first();
    await untilShows(first, 'You stopped this');
    await tabTo(page, first.getByRole('button', { name: 'Resume' }));
    await page.keyboard.press('Enter');
    await untilShows(page.getByRole('article').last(), 'resumed');
    await page.keyboard.press('Escape');
    await tabTo(page, page.getByRole('textbox', { name: 'What you say' }));
    await page.keyboard.type('hello');
    await page.keyboard.press('Enter');
    const resumed = page.getByRole('article').filter({ hasText: 'resumed' });
    await untilShows(resumed, 'You stopped this');
    await untilShows(page.getByRole('article').filter({ hasText: 'hello' }).last(), '(scripted model)');
  });
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if ((await element.and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error('Tab leads past the element.');
}
