// Statuses of the page come from facts and receipts: over a lost connection, for what was not theirs, by somebody else's hand.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { type Belay, openBelay, room, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';
import { startCutRelay } from './cut-relay.ts';
import { cardOf, sayOn, untilShows } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const waits = (token: string) => `true ${token}; until test -e go; do sleep 0.02; done`;
/** Ends at no signal that can be ignored. */
const ignores = (token: string) => `trap "" TERM; ${waits(token)}`;
const lostConnection = /WebSocket connection|ERR_|Failed to load resource/;

/** The status of a card: its title may have any words. */
const statusOf = (card: Locator): Locator => card.locator('.card-status').first();

/** Asks the HTTP door as a speaker: what others do, who have no page here. */
async function ask(belay: Pick<Belay, 'url'>, speaker: TestSpeaker, path: string, body?: object): Promise<ActiveTurns> {
  const headers = { authorization: `Bearer ${tokenOf(speaker)}`, 'content-type': 'application/json' };
  const command = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(new URL(path, pageOf(belay)), { headers, ...command });
  expect(response.ok, await response.clone().text()).toBe(true);
  return (await response.json()) as ActiveTurns; // the list of turns: what others reply is not read
}

interface ActiveTurns {
  readonly turns: readonly { readonly turn: string }[];
}

describeInBrowser('a status', () => {
  const browser = useBrowser();

  test('of what is being stopped is what was seen last while the connection is lost, and its outcome comes from the receipt [page.chat]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint, { termGraceMs: scaled(5_000), limits: { toolCancelMs: scaled(6_000) } });
    const relay = await startCutRelay(belay.url);
    await endpoint.script([{ reply: { calls: [shellCall(ignores(token), belay.folder.a)] } }]);
    const page = await openRoom(browser, relay, 'ann', { expected: lostConnection });
    const card = cardOf(page, /^shell/);
    await sayOn(page, 'wait for it');
    await untilRunning(token);
    await untilShows(statusOf(card), 'running');
    await page.keyboard.press('Escape');
    await untilShows(statusOf(card), 'stopping…');
    relay.cut();
    await untilShows(statusOf(card), 'last seen: stopping…');
    expect(await card.locator('.elapsed').count()).toBe(0);
    writeFileSync(join(belay.folder.a, 'go'), ''); // it ends while nobody sees it
    expect(await statusOf(card).textContent()).not.toMatch(/cancelled|done/);
    relay.mend();
    await page
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 2_000 })
      .catch(() => {}); // it may be back already
    await untilShows(statusOf(card), /done|cancelled/);
    await untilShows(page.getByRole('article'), /You stopped this: .* in /);
    expect(await statusOf(card).textContent()).not.toContain('last seen');
  });

  test('a stop without a connection is no status: it is sent when there is one [page.chat]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    const relay = await startCutRelay(belay.url);
    await endpoint.script([{ reply: { calls: [shellCall(waits(token), belay.folder.a)] } }]);
    const page = await openRoom(browser, relay, 'ann', { expected: lostConnection });
    const card = cardOf(page, /^shell/);
    await sayOn(page, 'wait for it');
    await untilRunning(token);
    await untilShows(statusOf(card), 'running');
    relay.cut();
    await untilShows(statusOf(card), 'last seen: running');
    await card.getByRole('button', { name: 'Stop shell' }).click();
    await untilShows(card, 'stop not confirmed yet');
    expect(await statusOf(card).textContent()).not.toContain('stopping');
    relay.mend();
    await untilShows(statusOf(card), 'cancelled');
  });

  test('of a call that was not theirs is `runs on` with whose it is, and its own outcome later; of one that waits: for whose [page.chat]', async () => {
    const [hers, theirs] = [newToken(), newToken()];
    const belay = await openBelay(endpoint, { policy: 'owner' });
    await endpoint.script([
      { when: { user: 'and mine' }, reply: { calls: [shellCall(waits(theirs), belay.folder.b)] } },
      { when: { user: 'the same folder' }, reply: { calls: [shellCall('true', belay.folder.b)] } },
      { reply: { calls: [shellCall(`true ${hers}; until test -e next; do sleep 0.02; done`, belay.folder.a)] } },
    ]);
    const ann = await openRoom(browser, belay, 'ann');
    await sayOn(ann, 'wait for it');
    await untilRunning(hers);
    await untilShows(statusOf(cardOf(ann, /^shell/)), 'running');
    // the words of somebody else to ann's turn: the calls that answer them are theirs
    const { turns } = await ask(belay, 'ann', 'api/turns/active');
    await ask(belay, 'moderator', `api/sessions/${room}/steer`, { text: 'and mine', target: turns[0]?.turn });
    writeFileSync(join(belay.folder.a, 'next'), '');
    await untilRunning(theirs);
    const call = cardOf(ann, new RegExp(`^shell .*${theirs}`));
    await untilShows(statusOf(call), 'running');
    await ann.keyboard.press('Escape');
    await untilShows(statusOf(call), 'runs on: it belongs to moderator');
    await untilShows(ann.getByRole('article').first(), 'shell runs on: it belongs to moderator');

    await sayOn(ann, 'the same folder');
    await untilShows(ann.getByRole('article').nth(1), "waits for moderator's shell");
    writeFileSync(join(belay.folder.b, 'go'), '');
    await untilShows(statusOf(call), 'completed');
    await untilShows(statusOf(cardOf(ann, /^shell .*: true$/)), 'completed');
  });

  test("of what an emergency has stopped names who it was, on everybody's page; a stop of a person gets its reaction [page.chat]", async () => {
    const token = newToken();
    const belay = await openBelay(endpoint, { acknowledge: 'reaction' });
    await endpoint.script([{ reply: { calls: [shellCall(waits(token), belay.folder.a)] } }]);
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    await sayOn(ann, 'wait for it');
    await untilRunning(token);
    await ask(belay, 'emergency', `api/sessions/${room}/abort`, {});
    for (const page of [ann, bob]) {
      await untilShows(page.getByRole('article'), 'emergency (over HTTP) stopped this');
      await untilShows(statusOf(cardOf(page, /^shell/)), 'cancelled');
    }
    await ann.getByRole('img', { name: 'It was understood' }).waitFor();
  });
});
