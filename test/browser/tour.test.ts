// The first minute of a newcomer, in a browser: the address that `npm start` prints, three tools and a sub-agent, a stop of one, a stop of all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { startEndpoint } from '../support/endpoint.ts';
import { until } from '../support/until.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

/** Starts what a newcomer starts. Returns the address of the page that it prints. `env`: what stands before `npm start`. */
async function startDemo(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'belay-page-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 3 }));
  const serve = startChild('src/cli/serve.ts', { args: ['--port', '0'], cwd, env });
  const [, address = ''] = await serve.untilPrinted(/(http:\/\/127\.0\.0\.1:\d+\/#key=\S+)/, 30_000);
  return address;
}

describeInBrowser('the tour', () => {
  const browser = useBrowser();

  test('the printed address opens the page signed in, and leaves no key in the address bar, in cookies or in what outlives the tab', async () => {
    const address = await startDemo();
    const page = await openTab(browser, address);
    await page.getByRole('heading', { name: 'Say something. You can stop all of it.' }).waitFor({ timeout: patientMs });
    await untilShows(page.getByRole('navigation', { name: 'Sessions' }), 'local');
    expect(page.url()).not.toContain('key');
    expect(await page.context().cookies()).toEqual([]);
    const kept = await page.evaluate('JSON.stringify([Object.entries(localStorage), document.cookie])');
    const key = new URLSearchParams(new URL(address).hash.slice(1)).get('key') ?? '';
    expect(key.length).toBeGreaterThan(20);
    expect(kept).not.toContain(key);
    await page.reload();
    await untilShows(page.getByRole('navigation', { name: 'Sessions' }), 'local');
  });

  test('three tools and a sub-agent run; one is stopped, then all, with receipts; and a word after it works [page.chat]', async () => {
    const page = await openTab(browser, await startDemo());
    await page.getByRole('button', { name: 'research this and run the build' }).click();
    const build = cardOf(page, /^shell i=1/);
    const tests = cardOf(page, /^run_code/);
    const pages = cardOf(page, /^shell \.\.\/pages/);
    const agent = cardOf(page, /^researcher/);
    for (const card of [build, tests, pages, agent]) await untilShows(card, 'running');
    await untilShows(build, /step 2 of 60/);
    await untilShows(cardOf(page, /^read_file/), 'done'); // inside of the sub-agent

    await build.getByRole('button', { name: 'Stop shell' }).click();
    await untilShows(build, /cancelled/);
    expect(await pages.textContent()).toContain('running');
    expect(await tests.textContent()).toContain('running');

    await page.getByRole('article').getByRole('button', { name: 'Stop your turn' }).click();
    for (const card of [tests, pages]) await untilShows(card, /cancelled/);
    await untilShows(page.getByRole('article').first(), /You stopped this: (all \d+|\d+ of \d+) stopped in/);
    await page.getByRole('button', { name: 'Resume' }).waitFor({ timeout: patientMs });
    await untilShows(page.getByRole('article', { name: 'Reply to the stop' }), 'I have stopped');

    await sayOn(page, 'hello');
    await untilShows(page.getByRole('log', { name: 'Conversation' }), 'The history has a note of my last turn');
  }, 90_000);

  test('Escape stops the turn, wherever the focus is', async () => {
    const page = await openTab(browser, await startDemo());
    await page.getByRole('button', { name: 'research this and run the build' }).click();
    const build = cardOf(page, /^shell i=1/);
    await untilShows(build, 'running');
    await page.getByRole('searchbox', { name: 'Search sessions' }).focus();
    await page.keyboard.press('Escape');
    await untilShows(build, /cancelled/);
    await untilShows(page.getByRole('article').first(), /You stopped this/);
    await until(async () => (await page.getByRole('button', { name: 'Stop your turn' }).count()) === 0, {
      ms: patientMs,
      what: 'no button that stops the turn',
    });
  }, 60_000);

  test('as the beginning says, OPENAI_BASE_URL and BELAY_MODEL put in a real model', async () => {
    const endpoint = await startEndpoint();
    onTestFinished(() => endpoint.close());
    await endpoint.script([{ reply: { text: 'I am the model of that endpoint.' } }]);
    const page = await openTab(browser, await startDemo({ OPENAI_BASE_URL: endpoint.url, BELAY_MODEL: 'my-model' }));
    const hint = page.getByText('For a real model start the gateway with');
    await untilShows(hint, 'OPENAI_BASE_URL and BELAY_MODEL for another endpoint');
    await page.getByRole('button', { name: 'hello' }).click();
    await untilShows(page.getByRole('article'), 'I am the model of that endpoint.');
    expect((await endpoint.requests()).at(-1)?.model).toBe('my-model');
  }, 60_000);

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
  }, 90_000);
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if ((await element.and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error('Tab leads past the element.');
}
