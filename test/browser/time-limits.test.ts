// Time limits of the settings: the page stops what is the speaker's and runs longer, and the receipt says why.
import { test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { openBelay, room } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { cardOf, pageMs, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

describeInBrowser('a time limit of the settings', () => {
  const browser = useBrowser();

  test('a call that runs longer is stopped, with its reason; the turn goes on', async () => {
    const belay = await openBelay(endpoint);
    const command = `true ${newToken()}; until test -e go; do sleep 0.02; done`;
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'It took too long.' } },
      { reply: { calls: [shellCall(command, belay.folder.a)] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('A tool or sub-agent, in seconds').fill('1');
    await page.getByRole('link', { name: room }).click();
    await page.getByRole('log', { name: 'Conversation' }).waitFor({ timeout: patientMs });
    await sayOn(page, 'wait for it');
    await untilShows(cardOf(page, /^shell/), /cancelled/);
    await untilShows(page.getByRole('article'), 'You stopped shell (time limit of this browser: 1 s)');
    await untilShows(page.getByRole('article'), 'It took too long.');
  });

  test('a turn that runs longer is stopped while another view is shown [page.chat]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    const command = `true ${token}; until test -e go; do sleep 0.02; done`;
    await endpoint.script([{ reply: { calls: [shellCall(command, belay.folder.a)] } }]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'wait for it');
    await untilRunning(token);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('A turn, in seconds').fill('1');
    await until(() => living(token).length === 0, { ms: pageMs, what: 'the command to be gone' });
    await page.getByRole('link', { name: 'Chat', exact: true }).click(); // back to where they were
    await untilShows(page.getByRole('article'), 'You stopped this (time limit of this browser: 1 s)');
  });
});
