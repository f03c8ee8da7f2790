// The list of sessions, and pictures: what the page does over the HTTP door.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay, tokenOf } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { cardOf, pageMs, patientMs, sayOn, untilShows } from './page-actions.ts';
import { redPng } from './red-png.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

describeInBrowser('over the HTTP door', () => {
  const browser = useBrowser();

  test('sessions are listed by their first words, found by search, and deleted for good', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: 'Noted.' } }]);
    const page = await openRoom(browser, belay, 'ann');
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByRole('link', { name: 'New session' }).click();
    await sayOn(page, 'water the plants');
    await untilShows(page.getByRole('log', { name: 'Conversation' }), 'Noted.');
    const row = list.getByRole('link', { name: 'water the plants' });
    await row.waitFor({ timeout: patientMs });

    const search = list.getByRole('searchbox', { name: 'Search sessions' });
    await search.fill('room');
    await row.waitFor({ state: 'detached', timeout: patientMs });
    await search.fill('PLANTS');
    await row.waitFor({ timeout: patientMs });

    await search.fill('');
    await row.hover();
    await list.getByRole('button', { name: 'Delete water the plants' }).click();
    await list.getByRole('button', { name: 'Delete for good' }).click();
    await row.waitFor({ state: 'detached', timeout: patientMs });
    await page.getByRole('heading', { name: 'Say something. You can stop all of it.' }).waitFor({ timeout: patientMs });
    await page.reload();
    await list.getByRole('link', { name: 'room' }).waitFor({ timeout: patientMs });
    expect(await row.count()).toBe(0);
  });

  test('a turn is forked by a button; the fork shows its source and goes on, and the turn shows its fork [fork.doors] [page.chat]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'plan a' }, reply: { text: 'Plan A it is.' } },
      { when: { user: 'plan b' }, reply: { text: 'Then plan B.' } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    const log = page.getByRole('log', { name: 'Conversation' });
    await sayOn(page, 'plan a');
    await untilShows(log, 'Plan A it is.');
    await log.getByRole('button', { name: 'Fork' }).click();
    await untilShows(log, 'Forked from plan a.');
    await untilShows(log, 'Plan A it is.');
    await sayOn(page, 'plan b');
    await untilShows(log, 'Then plan B.');
    await log.getByRole('link', { name: 'plan a' }).click();
    await untilShows(log, 'Forked: fork_');
    expect(await log.innerText()).not.toContain('Then plan B.');
    await log.getByRole('link', { name: /^fork_/ }).click();
    await untilShows(log, 'Then plan B.');
  });

  test('a session of another browser has the first words as its title; one in which something runs is not deleted, and says why [page.chat]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'wait' }, reply: { calls: [shellCall(`true ${token}; sleep 60`, belay.folder.a)] } },
      { reply: { text: 'Noted.' } },
    ]);
    const phone = await openRoom(browser, belay, 'ann');
    await sayOn(phone, 'water the plants on Friday');
    await untilShows(phone.getByRole('log', { name: 'Conversation' }), 'Noted.');

    const page = await openTab(browser, `${pageOf(belay)}#token=${tokenOf('ann')}`, { expected: /409/ });
    const list = page.getByRole('navigation', { name: 'Sessions' });
    const row = list.getByRole('link', { name: 'water the plants on Friday' });
    await row.click({ timeout: patientMs });
    await page.getByRole('heading', { name: 'water the plants on Friday', level: 1 }).waitFor({ timeout: patientMs });
    await sayOn(page, 'wait');
    await untilRunning(token);
    await row.hover();
    await list.getByRole('button', { name: 'Delete water the plants on Friday' }).click();
    await list.getByRole('button', { name: 'Delete for good' }).click();
    await untilShows(list.getByRole('alert'), 'Not deleted:');
    expect(await cardOf(page, /^shell/).textContent()).toContain('running');
  });

  test('a picture that a tool shows is seen in its card; a file that is not a picture can be saved [page.chat]', async () => {
    const belay = await openBelay(endpoint);
    writeFileSync(join(belay.folder.a, 'made.png'), redPng());
    const show = { name: 'read_file', arguments: { path: join(belay.folder.a, 'made.png') } };
    await endpoint.script([{ times: 1, reply: { calls: [show] } }, { reply: { text: 'There it is.' } }]);
    const page = await openRoom(browser, belay, 'ann');
    const buffer = Buffer.from('one\ntwo\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'list.txt', mimeType: 'text/plain', buffer });
    await sayOn(page, 'show me the picture');
    const card = cardOf(page, /^read_file/);
    await untilShows(card.locator('.card-status'), 'completed');
    await card.getByRole('button', { expanded: false }).click();
    const shown = card.getByRole('img', { name: 'made.png' });
    const width = () => shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth); // an <img>
    await until(async () => (await width()) === 8, { ms: pageMs, what: 'the picture to be loaded' });
    expect(await card.textContent()).not.toContain('[image');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save list.txt' }).click();
    const saved = await (await saving).createReadStream();
    expect(Buffer.concat(await saved.toArray()).toString()).toBe('one\ntwo\n');
  });

  test('a picture is said, and shown to whoever is there', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: 'I see.' } }]);
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    const picture = { name: 'red.png', mimeType: 'image/png', buffer: redPng() };
    await ann.locator('input[type=file]').setInputFiles(picture);
    await ann.getByRole('button', { name: 'Take out red.png' }).waitFor({ timeout: patientMs });
    await sayOn(ann, 'look at this');
    for (const page of [ann, bob]) {
      const shown = page.getByRole('img', { name: 'red.png' });
      await shown.waitFor({ timeout: patientMs });
      const width = () => shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth); // an <img>
      await until(async () => (await width()) === 8, { ms: pageMs, what: 'the picture to be loaded' });
    }
  });
});
