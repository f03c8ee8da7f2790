// Small things that somebody meets who uses the page every day: where a link leads, where the focus is, what the first view says.
import { expect, test } from 'vitest';
import { openBelay, tokenOf } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { addAxe, violationsOn } from './axe.ts';
import { startDemo } from './demo.ts';
import { openInspector } from './inspector-tab.ts';
import { pageMs, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

describeInBrowser('in the second week', () => {
  const browser = useBrowser();

  test('All charts stays in the inspector, of the same session; nothing of it has a violation [page.inspect]', async () => {
    const belay = await openBelay(endpoint);
    const page = await openInspector(browser, belay, 'room', {
      viewport: { width: 1_280, height: 420 },
      bypassCSP: true,
      expected: /404/, // the session has no facts yet
    });
    const views = page.getByRole('navigation', { name: 'Views of the inspector' });
    await views.getByRole('link', { name: 'All charts' }).click();
    await page.getByRole('region', { name: 'Statechart of turn' }).waitFor({ timeout: patientMs });
    await page.getByRole('navigation', { name: 'Machines' }).getByRole('link', { name: 'tool-call' }).click();
    await page.getByRole('region', { name: 'Statechart of tool-call' }).waitFor({ timeout: patientMs });
    expect(page.url()).toContain('#/inspector/room/charts/tool-call');
    await page.getByLabel('Show').selectOption({ index: 3 });
    await addAxe(page);
    expect(await violationsOn(page)).toEqual([]);
    await views.getByRole('link', { name: 'Events', exact: true }).click();
    expect(page.url()).toContain('#/inspector/room/events');
  });

  test('the focus follows the question of a deletion: to Keep, back to its button, and to a row beside the one that is gone [page.chat]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: 'Noted.' } }]);
    const page = await openRoom(browser, belay, 'ann');
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByRole('link', { name: 'New session' }).click();
    await sayOn(page, 'water the plants');
    await untilShows(page.getByRole('log', { name: 'Conversation' }), 'Noted.');
    await list.getByRole('link', { name: 'room' }).click();
    const focused = () =>
      page.evaluate("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent");
    const untilFocused = (name: RegExp) =>
      until(async () => name.test(String(await focused())), { ms: pageMs, what: `the focus on ${name}` });
    const ask = list.getByRole('button', { name: 'Delete water the plants' });
    await ask.focus();
    await page.keyboard.press('Enter');
    await untilFocused(/^Keep$/);
    await page.keyboard.press('Enter');
    await untilFocused(/^Delete water the plants$/);
    await page.keyboard.press('Enter');
    await untilFocused(/^Keep$/);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await list.getByRole('link', { name: 'water the plants' }).waitFor({ state: 'detached', timeout: patientMs });
    await untilFocused(/^room/);
  });

  test('the first view speaks of the script only where one plays the model [page.chat]', async () => {
    const belay = await openBelay(endpoint);
    const page = await openTab(browser, `${pageOf(belay)}#token=${tokenOf('ann')}`);
    const hello = page.getByRole('heading', { name: 'Say something. You can stop all of it.' });
    await hello.waitFor({ timeout: patientMs });
    expect(await page.getByText(/script/i).count()).toBe(0);
    const demo = await openTab(browser, await startDemo());
    await hello.waitFor({ timeout: patientMs });
    await demo.getByText('A script plays the model').waitFor({ timeout: patientMs });
  });
});
