// The second choice at Stop: the tools of the turn are stopped, by a button or by Escape, and the turn goes on with their results.
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { factsOfRoom, shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const waits = (token: string) => `true ${token}; until test -e go; do sleep 0.02; done`;

describeInBrowser('the tools of a turn', () => {
  const browser = useBrowser();

  test('are stopped by their own button, or by Escape where the setting says so; the model goes on [page.chat] [cancel.tools]', async () => {
    const belay = await openBelay(endpoint);
    const [first, second] = [newToken(), newToken()];
    await endpoint.script([
      { when: { user: 'the first', round: 0 }, reply: { calls: [shellCall(waits(first), belay.folder.a)] } },
      { when: { user: 'the second', round: 0 }, reply: { calls: [shellCall(waits(second), belay.folder.a)] } },
      { when: { any: 'ann has stopped the tools' }, reply: { text: 'What next?' } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'the first');
    await untilRunning(first);
    await page.getByRole('button', { name: 'Stop tools' }).click();
    await untilShows(page.getByRole('article').first(), 'What next?');
    await untilShows(cardOf(page, /^shell/), /cancelled/);
    expect(await page.getByRole('button', { name: 'Stop tools' }).count()).toBe(0);
    expect(await page.getByRole('article').count()).toBe(1);

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'The tools of your turn' }).check();
    await page.goBack();
    await sayOn(page, 'the second');
    await untilRunning(second);
    await page.getByText('Escape stops the tools of your turn.').waitFor({ timeout: patientMs });
    await page.keyboard.press('Escape');
    await untilShows(page.getByRole('article').nth(1), 'What next?');
  });

  test('where Escape stops tools and none runs it stops the turn, also after a reload [page.chat] [cancel.tools]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: 'I think', end: 'hang' } }]);
    const page = await openRoom(browser, belay, 'ann');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'The tools of your turn' }).check();
    await page.goBack();
    await page.reload();
    await page.getByRole('log', { name: 'Conversation' }).waitFor({ timeout: patientMs });
    await sayOn(page, 'think');
    await untilShows(page.getByRole('article').first(), 'I think');
    await page.getByText('Escape stops your turn, and what you have said after it.').waitFor({ timeout: patientMs });
    expect(await page.getByRole('button', { name: 'Stop tools' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await untilShows(page.getByRole('article').first(), 'You stopped this');
    const targets = factsOfRoom(belay).flatMap((fact) => (fact.type === 'cancel_accepted' ? [fact.target] : []));
    expect(targets).toEqual([expect.stringMatching(/^lane:turn_/)]);
    await page.getByRole('link', { name: 'Settings' }).click();
    expect(await page.getByRole('radio', { name: 'The tools of your turn' }).isChecked()).toBe(true);
  });
});
