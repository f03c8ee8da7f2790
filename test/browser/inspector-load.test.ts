// Thousands of records while the page is watched: none is lost, the document stays bounded, and the page answers.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveBelay, tokenOf } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';
import { momentOn, openInspector, untilActors } from './inspector-tab.ts';
import { pageMs, patientMs } from './page-actions.ts';
import { pageOf } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const callsOfARound = 60;
const rounds = 7;
/** Elements of the whole page; it has some 300 without a row. */
const maxElements = 1_500;

/** Returns how many records the gateway has made. */
async function recordsMade(url: string): Promise<number> {
  const response = await fetch(`${url}api/inspector/records?after=1`, {
    headers: { authorization: `Bearer ${tokenOf('moderator')}`, accept: 'text/event-stream' },
  });
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  const [, to] = /"to":(\d+)/.exec(new TextDecoder().decode(value)) ?? [];
  return Number(to);
}

describeInBrowser('a runtime that is busy', () => {
  const browser = useBrowser();

  test('5 000 records: none lost, the document bounded, a click answered meanwhile', async () => {
    const belay = await serveBelay(endpoint);
    // each call is another one: a model that repeats itself is stopped
    const rules = Array.from({ length: rounds }, (_, round) => {
      const folders = Array.from({ length: callsOfARound }, (_, i) => join(belay.folder.a, `${round}-${i}`));
      for (const folder of folders) mkdirSync(folder);
      const calls = folders.map((path) => ({ name: 'list_files', arguments: { path } }));
      return { when: { user: 'much', round }, reply: { calls } };
    });
    await endpoint.script([...rules, { reply: { text: 'Done.' } }]);
    const ann = await joinRoom(belay, 'ann');
    const page = await openInspector(browser, belay, 'all');
    await untilActors(page, /^session, room/);

    const turn = ann.session.say('much');
    await untilActors(page, /^turn, .*acting/);
    await page.getByRole('button', { name: 'Pause' }).click();
    await until(async () => (await momentOn(page)).startsWith('record'), {
      ms: pageMs,
      what: 'the page to stop at a record',
    });
    const [, place = '', newest = ''] = /record ([\d,]+) of ([\d,]+), /.exec(await momentOn(page)) ?? [];
    expect(Number(place.replaceAll(',', ''))).toBeGreaterThan(0);
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    await until(async () => !(await momentOn(page)).includes(` of ${newest},`), {
      ms: pageMs,
      what: 'more records than at the click',
    });

    await page.getByRole('button', { name: 'Live' }).click();
    let made = 0;
    const showsAll = async () => {
      made = await recordsMade(pageOf(belay)); // the last ones are made after the end of the turn
      return (await momentOn(page)).replaceAll(',', '') === `live ${made} records`;
    };
    await until(showsAll, { ms: pageMs, what: 'all records, none missed' });
    expect(made).toBeGreaterThan(5_000);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(maxElements);
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('listbox', { name: 'Events' }).getByRole('option').first().waitFor({ timeout: patientMs });
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(maxElements);
    await page.getByRole('slider', { name: 'Moment' }).press('Home');
    await until(async () => (await momentOn(page)).startsWith('record 0 of'), {
      ms: pageMs,
      what: 'the first of them all',
    });
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(maxElements);
  });
});
