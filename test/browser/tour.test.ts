// The first minute of a newcomer, in a browser: the address that `npm start` prints, three tools and a sub-agent, a stop of one, a stop of all.
import { expect, onTestFinished, test } from 'vitest';
import { startEndpoint } from '../support/endpoint.ts';
import { until } from '../support/until.ts';
import { startDemo } from './demo.ts';
import { cardOf, pageMs, patientMs, sayOn, untilShows } from './page-actions.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

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
    await untilShows(cardOf(page, /^read_file/), 'completed'); // inside of the sub-agent

    await build.getByRole('button', { name: 'Stop shell' }).click();
    await untilShows(build, /cancelled/);
    expect(await pages.textContent()).toContain('running');
    expect(await tests.textContent()).toContain('running');

    await page.getByRole('article').getByRole('button', { name: 'Stop your turn' }).click();
    for (const card of [tests, pages]) await untilShows(card, /cancelled/);
    await untilShows(page.getByRole('article').first(), /You stopped this: (all \d+|\d+ of \d+) stopped in/);
    await page.getByRole('button', { name: 'Resume' }).waitFor({ timeout: patientMs });
    await untilShows(page.getByRole('article', { name: 'Reply to the stop' }), 'I have stopped');

    await sayOn(page, 'what did you leave undone?');
    await untilShows(
      page.getByRole('log', { name: 'Conversation' }),
      'My last turn did not finish: it was stopped by local',
    );
  });

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
      ms: pageMs,
      what: 'no button that stops the turn',
    });
  });

  test('as the beginning says, OPENAI_BASE_URL and BELAY_MODEL put in a real model', async () => {
    const endpoint = await startEndpoint();
    onTestFinished(() => endpoint.close());
    await endpoint.script([{ reply: { text: 'I am the model of that endpoint.' } }]);
    const scripted = await openTab(browser, await startDemo());
    const hint = scripted.getByText('For a real model start the gateway with');
    await untilShows(hint, 'OPENAI_BASE_URL and BELAY_MODEL for another endpoint');
    const page = await openTab(browser, await startDemo({ OPENAI_BASE_URL: endpoint.url, BELAY_MODEL: 'my-model' }));
    await page.getByRole('button', { name: 'What can you do here?' }).click();
    await untilShows(page.getByRole('article'), 'I am the model of that endpoint.');
    expect((await endpoint.requests()).at(-1)?.model).toBe('my-model');
  });
});
