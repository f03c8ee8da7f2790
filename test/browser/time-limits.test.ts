// Time limits of the settings: the page stops what is the speaker's and runs longer, and the receipt says why.
import { test } from 'vitest';
import { newToken } from '../process/processes.ts';
import { openBelay, room } from '../support/belay.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
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
    await untilShows(page.getByRole('article'), 'You stopped this (time limit of this browser: 1 s)');
    await untilShows(page.getByRole('article'), 'It took too long.');
  }, 60_000);
});
