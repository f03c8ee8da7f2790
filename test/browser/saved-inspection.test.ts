// Files of the inspector that no page has saved: each is refused in a sentence, and the page stays what it was.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveBelay } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { openInspector } from './inspector-tab.ts';
import { patientMs } from './page-actions.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const header = { belay: 'inspection', version: 1, session: null, savedAt: 1e300, charts: 'c' };
const record = (n: number, at: unknown) => ({
  n,
  at,
  session: 's',
  root: 'x:0',
  type: 'event',
  actor: 'x:0',
  event: 'GO',
  from: null,
  fields: {},
});
const fileOf = (records: readonly object[]): string =>
  [header, ...records].map((line) => JSON.stringify(line)).join('\n');

const refused: readonly [what: string, text: string, sentence: RegExp][] = [
  [
    'a time of 1e300',
    fileOf([record(1, 1)]).replace('"at":1', '"at":1e300'),
    /Line 2 of the file has the time 1e\+300/,
  ],
  ['a time before 1970', fileOf([record(1, -5)]), /has the time -5/],
  ['a time that is a text', fileOf([record(1, 'now')]), /has the time now/],
  [
    '200 000 events',
    fileOf(Array.from({ length: 200_000 }, (_, n) => record(n, n))),
    /has 200,000 records; this page replays up to 40,000/,
  ],
];

describeInBrowser('a saved inspection', () => {
  const browser = useBrowser();

  test('with impossible times or too many records is refused in a sentence, and the page goes on [page.inspect]', async () => {
    const belay = await serveBelay(endpoint);
    const page = await openInspector(browser, belay, 'all');
    const folder = mkdtempSync(join(tmpdir(), 'belay-saved-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const open = async (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      await page.getByLabel('Saved inspection').setInputFiles(join(folder, name)); // by its path: it is large
    };
    for (const [what, text, sentence] of refused) {
      await open(`${what}.jsonl`, text);
      await page.getByText(sentence).waitFor({ timeout: patientMs });
      expect(await page.getByText(`${what}.jsonl cannot be replayed.`).count(), what).toBe(1);
    }
    // times that go back, at both ends of what a date can have
    await open('back.jsonl', fileOf([record(1, 8.64e15), record(2, 0), record(3, 5)]));
    await page.getByText('back.jsonl').first().waitFor({ timeout: patientMs });
    await page.getByRole('link', { name: 'Events', exact: true }).click({ timeout: patientMs });
    const events = page.getByRole('listbox', { name: 'Events' }).getByRole('option');
    await events.first().waitFor({ timeout: patientMs });
    expect(await events.count()).toBe(3);
  });
});
