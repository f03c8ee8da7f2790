// Every view of the page, light and dark, wide and on a phone: no violation that axe finds, nothing wider than the screen.
import { expect, test } from 'vitest';
import { openBelay, room, serveBelay } from '../support/belay.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { addAxe, overflowOf, violationsOn } from './axe.ts';
import { looks, phone } from './looks.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

const markdown =
  '# A title\n\nWords with `code`, **weight** and [a link](https://example.org).\n\n' +
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n```\na line of code that is longer than a phone is wide, so that it has to be scrolled\n```\n\n- one\n- two\n\n> quoted';

describeInBrowser('the views', () => {
  const browser = useBrowser();

  test.each(looks)('$name: no violation, nothing sticks out', async ({ colorScheme, viewport }) => {
    const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
    await endpoint.script([
      { when: { user: 'show', toolResult: true }, reply: { text: markdown } },
      { when: { user: 'show' }, reply: { text: 'I ask first.', calls: [shellCall('echo out', belay.folder.a)] } },
      { reply: { text: 'I go on and on', end: 'hang' } },
    ]);
    const expected = /status of 40[34]/; // the inspector is for moderators
    const page = await openRoom(browser, belay, 'ann', { colorScheme, viewport, bypassCSP: true, expected });
    await addAxe(page);
    const check = async (what: string) => {
      expect(await violationsOn(page), what).toEqual([]);
      expect(await overflowOf(page), `${what}: width`).toBe(0);
    };
    await check('empty');
    await sayOn(page, 'show');
    await cardOf(page, /^shell/)
      .getByRole('button', { name: 'Approve', exact: true })
      .waitFor({ timeout: patientMs });
    await check('a question');
    await cardOf(page, /^shell/)
      .getByRole('button', { name: 'Approve', exact: true })
      .click({ timeout: patientMs });
    await untilShows(page.getByRole('log', { name: 'Conversation' }), 'quoted');
    await cardOf(page, /^shell/)
      .getByRole('button', { expanded: false })
      .click();
    await check('a reply with Markdown');
    await sayOn(page, 'go on');
    await untilShows(page.getByRole('log', { name: 'Conversation' }), 'I go on and on');
    await check('a turn that runs');
    await page.keyboard.press('Escape');
    await untilShows(page.getByRole('article').last(), 'You stopped this');
    await check('a turn that was stopped');
    await page.evaluate("location.assign('#/settings')");
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor({ timeout: patientMs });
    await check('settings');
    await page.evaluate(`location.assign('#/inspector/${room}')`);
    await page.getByRole('tree', { name: 'Actors' }).waitFor({ timeout: patientMs });
    await check('inspector');
  });

  test('on a phone the list of sessions opens over the view, and closes with a choice', async () => {
    const belay = await openBelay(endpoint);
    const page = await openRoom(browser, belay, 'ann', { viewport: phone, bypassCSP: true });
    const list = page.getByRole('navigation', { name: 'Sessions' });
    expect(await list.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Sessions' }).click();
    await list.getByRole('link', { name: room }).waitFor({ timeout: patientMs });
    await addAxe(page);
    expect(await violationsOn(page)).toEqual([]);
    await list.getByRole('link', { name: 'New session' }).click();
    await page.getByRole('heading', { name: 'Say something. You can stop all of it.' }).waitFor({ timeout: patientMs });
    await list.waitFor({ state: 'hidden', timeout: patientMs });
  });
});
