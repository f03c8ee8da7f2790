// Moments of the past in the inspector: stopped at, stepped through, linked to, saved as a file and replayed without the gateway.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newWorkspace, room, serveBelay } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';
import { actorsOn, momentOn, openInspector, threeToolsAndAnAgent, untilActors } from './inspector-tab.ts';
import { pageMs, patientMs, untilShows } from './page-actions.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

async function startWorking() {
  const workspace = newWorkspace();
  const belay = await serveBelay(endpoint, { workspace });
  await endpoint.script(threeToolsAndAnAgent(belay));
  return { belay, ann: await joinRoom(belay, 'ann'), folder: workspace.path };
}

/** The browser reports each request to a gateway that is not there. */
const gatewayGone = /status of 503|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED/;

const stepBack = (page: Page) => page.getByRole('button', { name: 'Back by one record' }).click();
const statesOf = (page: Page) => page.getByRole('tree', { name: 'Actors' }).allTextContents();

describeInBrowser('a moment of the past', () => {
  const browser = useBrowser();

  test('stands still while more happens; it can be left by steps, and has an address', async () => {
    const { belay, ann } = await startWorking();
    const page = await openInspector(browser, belay, room);
    await untilActors(page, /^session, room/);
    const turn = ann.session.say('work');
    await untilActors(page, /^tool call, shell, running › active$/, 3);
    await page.getByRole('button', { name: 'Pause' }).click();
    expect(await momentOn(page)).toMatch(/^record \d+ of \d+/);
    await turn.cancel();
    await turn.ended.catch(() => {});
    await until(async () => /record (\d+) of (?!\1)\d+/.test(await momentOn(page)), {
      ms: pageMs,
      what: 'more records than are shown',
    });
    expect(await actorsOn(page, /running › active$/).count(), 'the picture stands still').toBe(3);

    const before = await statesOf(page);
    for (let i = 0; i < 12; i++) await stepBack(page);
    expect(await statesOf(page)).not.toEqual(before);
    await page.keyboard.press('>');
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    expect(await statesOf(page)).toEqual(before);
    const slider = page.getByRole('slider', { name: 'Moment' });
    await slider.press('Home');
    await untilActors(page, /^tool call/, 0);
    await slider.press('PageUp');
    expect(await momentOn(page)).toMatch(/^record 10 of/);

    await until(async () => page.url().includes('?at='), { ms: pageMs, what: 'the moment in the address' });
    const [, at = ''] = /at=(\d+)/.exec(page.url()) ?? [];
    await page.getByRole('button', { name: 'Live' }).click();
    await untilActors(page, /^turn, cancelled, of ann, ended$/);
    const late = await openInspector(browser, belay, `${room}?at=${at}`);
    await until(async () => (await momentOn(late)).startsWith('record'), {
      ms: pageMs,
      what: 'the moment of the address',
    });
    expect(await actorsOn(late, /cancelled/).count(), 'nothing was stopped by then').toBe(0);
    await late.getByRole('button', { name: 'Live' }).click();
    await untilActors(late, /^turn, cancelled, of ann, ended$/); // whoever comes late sees what has happened before
    await until(async () => !late.url().includes('?at='), { ms: pageMs, what: 'no moment in the address' });
  });

  test('what was saved is replayed without the gateway, the wave of its CANCEL too; a wrong file is named [page.inspect]', async () => {
    const { belay, ann, folder } = await startWorking();
    const page = await openInspector(browser, belay, room, { expected: gatewayGone });
    await untilActors(page, /^session, room/);
    const turn = ann.session.say('work');
    await untilActors(page, /^tool call, shell, running › active$/, 3);
    await turn.cancel();
    await untilActors(page, /^turn, cancelled, of ann, ended$/);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = join(folder, 'saved.jsonl');
    await (await download).saveAs(saved);
    const [head = '', ...lines] = readFileSync(saved, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(head)).toMatchObject({ belay: 'inspection', version: 1, session: room });

    // a member may not watch: his page has no stream
    const replay = await openInspector(browser, belay, 'elsewhere', {
      speaker: 'bob',
      expected: /status of 403|status of 503|ERR_CONNECTION_REFUSED/,
    });
    await untilShows(replay.getByRole('status'), 'Only a moderator can watch the machines.');
    belay.child.signal('SIGTERM');
    await belay.child.ended();
    await replay.getByLabel('Saved inspection').setInputFiles(saved);
    await untilShows(
      replay.getByRole('status'),
      `saved.jsonl is replayed: ${lines.length - JSON.parse(head).alive} records`,
    );
    await untilActors(replay, /^turn, cancelled, of ann, ended$/); // though the page was at another session
    await replay.getByRole('slider', { name: 'Moment' }).press('Home');
    await untilActors(replay, /^turn/, 0);
    await replay.getByRole('slider', { name: 'Moment' }).press('End');
    await untilActors(replay, /^tool call, shell, cancelled, ended$/, 3);
    await replay.getByRole('link', { name: 'Cancels' }).click();
    await replay.getByRole('link', { name: new RegExp(`^ann stopped .* in ${room}`) }).click();
    const wave = replay.getByRole('article', { name: /^ann stopped .*: \d+ nodes in/ });
    await wave.locator('.wave-mark[data-mark=got]').first().waitFor({ timeout: patientMs });
    expect(await wave.locator('.wave-table tbody tr').count(), 'the turn, three tools, the agent, its turn').toBe(6);

    const wrong = join(folder, 'wrong.jsonl');
    for (const [text, problem] of [
      ['{"name":"package"}', 'This is no saved inspection'],
      [[head.replace('"version":1', '"version":2'), ...lines].join('\n'), 'The file has version 2'],
      [[head, lines[0], '{"type":"state","n":-1}'].join('\n'), 'Line 3 of the file is no record'],
    ]) {
      writeFileSync(wrong, text ?? '');
      await replay.getByLabel('Saved inspection').setInputFiles(wrong);
      await untilShows(replay.getByRole('alert'), problem ?? '');
    }
    await replay.getByRole('button', { name: 'Close the file' }).click();
    await untilActors(replay, /./, 0);
  });
});
