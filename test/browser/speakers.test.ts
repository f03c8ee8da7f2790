// Two speakers in two browsers: each sees what the other starts, and a stop without standing is refused with its reason.
import { test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { cardOf, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const waits = (token: string) => `true ${token}; until test -e go; do sleep 0.02; done`;

describeInBrowser('two speakers', () => {
  const browser = useBrowser();

  test("under the policy `owner` bob's stop of ann's call is refused, and the call runs on; ann's own stops it [page.chat]", async () => {
    const token = newToken();
    const belay = await openBelay(endpoint, { policy: 'owner' });
    await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(waits(token), belay.folder.a)] } }]);
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    await sayOn(ann, 'wait for it');
    await untilRunning(token);
    const his = cardOf(bob, /^shell/);
    const hers = cardOf(ann, /^shell/);
    await untilShows(his, 'running');
    await untilShows(bob.getByRole('article', { name: "ann's turn" }), 'wait for it');

    await his.getByRole('button', { name: 'Stop shell' }).click();
    await untilShows(his.getByRole('alert'), 'Not stopped: it belongs to ann.');
    await untilShows(his, 'runs on: it belongs to ann');
    await untilShows(hers, 'runs on: it belongs to you');

    await hers.getByRole('button', { name: 'Stop shell' }).click();
    for (const card of [hers, his]) await untilShows(card, /cancelled/);
    await untilShows(bob.getByRole('article', { name: "ann's turn" }), 'ann stopped shell');
  });

  test('under the policy `anyone` bob stops what ann has started, and both see who it was', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(waits(token), belay.folder.a)] } }]);
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    await sayOn(ann, 'wait for it');
    await untilRunning(token);
    await bob.getByRole('button', { name: "Stop ann's turn" }).click();
    await untilShows(ann.getByRole('article'), 'bob stopped this');
    await untilShows(bob.getByRole('article'), 'You stopped this');
  });
});
