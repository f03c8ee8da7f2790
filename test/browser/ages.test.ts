// The age of what runs, after a reload and on a second device whose clock is wrong: it counts from the gateway's time of its start.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { openBelay, room, tokenOf } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { cardOf, pageMs, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Waits until a page shows the ages of the call and of its turn. Resolves with both, in seconds. */
async function secondsOn(page: Page): Promise<readonly number[]> {
  const article = page.getByRole('article');
  const timers = [cardOf(page, /^shell/).getByRole('timer'), article.locator('.turn-line').getByRole('timer')];
  for (const timer of timers) await timer.waitFor({ timeout: patientMs });
  const texts = await Promise.all(timers.map((timer) => timer.textContent()));
  return texts.map((text) => Number(/^(\d+) s$/.exec(text ?? '')?.[1]));
}

describeInBrowser('the age of what runs', () => {
  const browser = useBrowser();

  test('is that of the gateway, right after a reload and on a second device with a wrong clock; time limits count from it [clock.ages] [page.chat]', async () => {
    const belay = await openBelay(endpoint);
    const token = newToken();
    const command = `true ${token}; until test -e go; do sleep 0.02; done`;
    await endpoint.script([
      { reply: { calls: [shellCall(command, belay.folder.a)] } },
      { reply: { text: 'Stopped.' } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'work');
    await untilRunning(token);
    const isOld = async () => (await secondsOn(page)).every((seconds) => seconds >= 6);
    await until(isOld, { ms: pageMs, what: 'a call of 6 s' });
    await page.reload();
    for (const seconds of await secondsOn(page)) expect(seconds).toBeGreaterThanOrEqual(6);

    const phone = await openTab(browser, `${pageOf(belay)}#/session/${room}?token=${tokenOf('ann')}`);
    await phone.clock.setFixedTime('2001-02-03T04:05:06Z');
    await phone.reload();
    for (const seconds of await secondsOn(phone)) expect(seconds).toBeGreaterThanOrEqual(6);

    // the call is older than the limit that is set now: it is stopped at once, not 6 s later
    await phone.getByRole('link', { name: 'Settings' }).click();
    await phone.getByLabel('A tool or sub-agent, in seconds').fill('6');
    await until(() => living(token).length === 0, { ms: pageMs, what: 'the command to be gone' });
    await phone.getByRole('link', { name: 'Chat', exact: true }).click();
    await untilShows(phone.getByRole('article'), 'You stopped shell (time limit of this browser: 6 s)');
  });
});
