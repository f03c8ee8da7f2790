// The wave of a CANCEL: from the root to the last process seen dead, while it is watched, and from the stored log after the gateway was killed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { addAxe, violationsOn } from './axe.ts';
import { cardOf, pageMs, patientMs, untilShows } from './page-actions.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

/** Starts what a newcomer starts, in a folder that keeps its store. */
async function startDemo(cwd: string) {
  const child = startChild('src/programs/serve.ts', { args: ['--port', '0'], cwd });
  const [, address = ''] = await child.untilPrinted(/(http:\/\/127\.0\.0\.1:\d+\/#key=\S+)/, pageMs);
  return { child, address };
}

/** The address of a place of the page, signed in as the printed one is. */
const placeOf = (address: string, place: string): string => {
  const url = new URL(address);
  return `${url.origin}${url.pathname}${place}?${url.hash.slice(1)}`;
};

type Cells = Readonly<Record<string, string>>;

/** Reads the table of numbers: a row for each node, by the names of the columns. */
async function numbersOn(page: Page): Promise<readonly Cells[]> {
  const read = `JSON.stringify([...document.querySelectorAll('.wave-table tr')].map((row) => [...row.children].map((cell) => cell.textContent)))`;
  const [names = [], ...rows] = JSON.parse(String(await page.evaluate(read))) as string[][]; // as it is written above
  return rows.map((cells) => Object.fromEntries(cells.map((text, i) => [names[i], text])));
}

/** Reads a time as the table has it, in milliseconds. */
function msOf(text: string | undefined): number {
  const [, number, unit] = /^([\d.]+) (ms|s)$/.exec(text ?? '') ?? [];
  return Number(number) * (unit === 's' ? 1_000 : 1);
}

const nodesOf = (numbers: readonly Cells[]) =>
  numbers.map(({ Node: node, Verdict, Outcome }) => [node, Verdict, Outcome]);

/** Whether each node was cut, then its machine got the CANCEL, then it settled. */
const inTheOrderOfAStop = (numbers: readonly Cells[]): boolean =>
  numbers.length > 0 &&
  numbers.every((row) => {
    const [cut, got, settled] = ['Cut', 'Machine got the CANCEL', 'Settled'].map((name) => {
      expect(row[name]).not.toBe('');
      return msOf(row[name]);
    });
    return (cut ?? 1) <= (got ?? 0) && (got ?? 1) <= (settled ?? 0);
  });

describeInBrowser('the wave of a CANCEL', () => {
  const browser = useBrowser();

  test('three tools and a sub-agent go down; the wave is there after the gateway was killed and started again [page.inspect]', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'belay-wave-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 3 }));
    const first = await startDemo(cwd);
    const page = await openTab(browser, first.address, { bypassCSP: true, expected: lostConnection });
    const watching = await openTab(browser, placeOf(first.address, '#/inspector/all'), { expected: lostConnection });
    await untilShows(watching.locator('main'), /live, \d+ records/);
    await page.getByRole('button', { name: 'research this and run the build' }).click();
    for (const title of [/^shell i=1/, /^run_code/, /^shell \.\.\/pages/, /^researcher/])
      await untilShows(cardOf(page, title), 'running');
    await page.keyboard.press('Escape');
    const turn = page.getByRole('article').first();
    await untilShows(turn, /You stopped this: .* stopped in/);
    await turn.getByRole('link', { name: 'Show how it went down' }).click();

    const wave = page.getByRole('article', {
      name: /stopped the turn “research this and run the build”: \d+ nodes in/,
    });
    await wave.waitFor({ timeout: patientMs });
    await wave.locator('.wave-mark[data-mark=got]').first().waitFor({ timeout: patientMs });
    const watched = await numbersOn(page);
    expect(inTheOrderOfAStop(watched)).toBe(true);
    const stored = nodesOf(watched);
    expect(stored.map(([node]) => node)).toEqual(
      expect.arrayContaining(['turn', '· shell', '· run_code', '· researcher', "· · researcher's turn"]),
    );
    expect(stored.filter(([, , outcome]) => !/^(cancelled|completed)/.test(outcome ?? ''))).toEqual([]);
    await addAxe(page);
    await wave.getByText('All numbers as a table').click();
    expect(await violationsOn(page)).toEqual([]);
    const place = new URL(page.url()).hash;

    first.child.signal('SIGKILL');
    await first.child.ended();
    const second = await startDemo(cwd);
    const later = await openTab(browser, placeOf(second.address, place));
    await later.getByRole('article', { name: /stopped the turn “research this/ }).waitFor({ timeout: patientMs });
    const numbers = await numbersOn(later);
    expect(nodesOf(numbers)).toEqual(stored);
    expect(inTheOrderOfAStop(numbers)).toBe(true);
    await later.getByRole('link', { name: '← All that was stopped' }).click();
    await untilShows(later.getByRole('listitem'), /stopped the turn “research this and run the build”/);
  });

  test('[receipt.times] the wave of a stop that nobody watched is whole: it is drawn from the receipt', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'belay-wave-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 3 }));
    const { address } = await startDemo(cwd);
    const page = await openTab(browser, address);
    await page.getByRole('button', { name: 'research this and run the build' }).click();
    for (const title of [/^shell i=1/, /^run_code/, /^researcher/]) await untilShows(cardOf(page, title), 'running');
    await page.keyboard.press('Escape');
    const turn = page.getByRole('article').first();
    await untilShows(turn, /You stopped this: .* stopped in/);
    await turn.getByRole('link', { name: 'Show how it went down' }).click();
    const wave = page.getByRole('article', { name: /stopped the turn “research this and run the build”/ });
    await wave.locator('.wave-mark[data-mark=got]').first().waitFor({ timeout: patientMs });
    const numbers = await numbersOn(page);
    expect(inTheOrderOfAStop(numbers)).toBe(true);
    const shell = numbers.find(({ Node: node }) => node === '· shell');
    expect(shell?.['Work seen ended']).not.toBe('');
    await untilShows(wave, 'until every machine had it');
  });
});

/** What the browser reports when the gateway is killed. */
const lostConnection = /WebSocket connection|ERR_CONNECTION|Failed to load resource/;
