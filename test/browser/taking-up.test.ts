// Taking up what was stopped: a turn by Resume, a call by Run again, in its turn or in a new one; and what a turn has used.
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const waits = (token: string) => `true ${token}; until test -e go; do sleep 0.02; done`;

describeInBrowser('what was stopped', () => {
  const browser = useBrowser();

  test('a stopped turn is resumed once, and says that it was; a stopped call of it is asked for again in it [page.chat]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'Run shell again' }, reply: { text: 'I run it again.' } },
      { when: { any: 'take up' }, reply: { text: 'I go on.', end: 'hang' } },
      { reply: { calls: [shellCall(waits(token), belay.folder.a)] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'wait for it');
    await untilRunning(token);
    const first = page.getByRole('article').first();
    const runs = page.getByRole('navigation', { name: 'Sessions' }).getByText('runs', { exact: true });
    await runs.waitFor({ timeout: patientMs });
    await page.keyboard.press('Escape');
    await untilShows(first, 'You stopped this');
    await runs.waitFor({ state: 'detached', timeout: 5_000 }); // by its facts: the list is asked for each 5 s
    expect(
      await cardOf(page, /^shell/)
        .getByRole('button', { name: 'Run again' })
        .count(),
    ).toBe(1);
    await first.getByRole('button', { name: 'Resume' }).click();
    const second = page.getByRole('article').nth(1);
    await untilShows(second, 'resumed');
    await first.getByRole('button', { name: 'Resume' }).waitFor({ state: 'detached', timeout: patientMs });
    await page.keyboard.press('Escape');
    await untilShows(second, 'You stopped this');

    // the first turn was taken up already: its call is asked for in a new turn
    await cardOf(page, /^shell/)
      .getByRole('button', { name: 'Run again shell' })
      .click();
    await untilShows(page.getByRole('log', { name: 'Conversation' }), `Run shell again with {"command":"true ${token}`);
    await untilShows(page.getByRole('log', { name: 'Conversation' }), 'I run it again.');
  });

  test('a call that was stopped alone can be run again after its turn has completed; the turn has its tokens and cost [page.chat]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint, { prices: { scripted: { input: 1_000, output: 10_000 } } });
    await endpoint.script([
      { when: { user: 'Run shell again' }, reply: { text: 'Again, then.' } },
      { when: { toolResult: true }, reply: { text: 'Without it.', usage: { input: 310, output: 24 } } },
      {
        reply: {
          calls: [shellCall(waits(token), belay.folder.a)],
          usage: { input: 1_000, output: 6 },
        },
      },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'wait for it');
    await untilRunning(token);
    const card = cardOf(page, /^shell/);
    await card.getByRole('button', { name: 'Stop shell' }).click();
    const first = page.getByRole('article').first();
    await untilShows(first, 'Without it.');
    await untilShows(first, '1.3k tokens in, 30 out, $1.61');
    expect(await first.getByRole('button', { name: 'Resume' }).count()).toBe(0);
    await card.getByRole('button', { name: 'Run again shell' }).click();
    await untilShows(page.getByRole('article').nth(1), 'Again, then.');
  });
});
