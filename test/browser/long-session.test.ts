// A long session on the page: it opens with its end, as fast with 20 000 messages as with 100, and shows what was before to whoever scrolls or asks.
import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { newWorkspace, room, serveBelay, tokenOf } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { writeLongSession } from '../support/long-log.ts';
import { until } from '../support/until.ts';
import { addAxe, violationsOn } from './axe.ts';
import { patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Words that are streamed in many pieces. */
const answer = 'It goes on and on, word after word. '.repeat(90);

/** A gateway with a session of so many turns in its store. */
async function serveLong(turns: number) {
  const workspace = newWorkspace();
  const log = createSqliteLog({ path: workspace.store });
  await writeLongSession(log, room, turns);
  await log.close();
  await endpoint.script([
    { when: { user: 'talk' }, reply: { text: answer, pace: { chunksPerSecond: 20, chunkChars: 24 } } },
    { reply: { text: 'Well.' } },
  ]);
  return serveBelay(endpoint, { workspace });
}

/** The frames of the session that a tab receives. */
function followFrames(page: Page): readonly { readonly type: string }[] {
  const frames: { readonly type: string }[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => frames.push(JSON.parse(String(payload)))),
  );
  return frames;
}

const elementsOf = (page: Page): Promise<number> => page.evaluate("document.getElementsByTagName('*').length");

async function layoutsOf(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN;
}

/** The first words in sight, and how far below the upper edge of the conversation they are. */
const placeOf = (page: Page): Promise<{ text: string; top: number }> =>
  page.evaluate(`(() => {
    const box = document.querySelector('[role=log]').getBoundingClientRect();
    const said = [...document.querySelectorAll('.said-text')].find((one) => one.getBoundingClientRect().top >= box.top + 1);
    return { text: said.textContent, top: said.getBoundingClientRect().top - box.top };
  })()`);

/** Resolves with the distance of words below the upper edge of the conversation; null: they are not in the document. */
const topOf = (page: Page, words: string): Promise<number | null> =>
  page.evaluate(`(() => {
    const box = document.querySelector('[role=log]').getBoundingClientRect();
    const said = [...document.querySelectorAll('.said-text')].find((one) => one.textContent.startsWith(${JSON.stringify(words)}));
    return said ? said.getBoundingClientRect().top - box.top : null;
  })()`);

const heightOfLog = "document.querySelector('[role=log]').scrollHeight";

interface Opening {
  readonly facts: number;
  readonly elements: number;
  readonly layouts: number;
  /** Layouts and deltas of one turn that streams. */
  readonly streamed: { readonly layouts: number; readonly deltas: number; readonly elements: number };
}

const browser = useBrowser();

/** Opens the session in a tab, where the gateway has it open already, and lets a turn stream. */
async function measure(turns: number): Promise<Opening> {
  const belay = await serveLong(turns);
  const first = await openRoom(browser, belay, 'ann');
  await first.getByText(`Question ${turns - 1}:`).waitFor({ timeout: patientMs });
  const page = await openTab(browser, `${pageOf(belay)}#/settings`);
  const frames = followFrames(page);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await page.goto('about:blank'); // a page of its own: nothing was drawn before
  await page.goto(`${pageOf(belay)}#/session/${room}?token=${tokenOf('ann')}`);
  await page.getByText(`Question ${turns - 1}:`).waitFor({ timeout: patientMs });
  await until(() => frames.some(({ type }) => type === 'replayed'), {
    ms: 20_000,
    what: 'the end of the replay',
  });
  await untilStill(page, elementsOf);
  const [elements, layouts] = [await elementsOf(page), await layoutsOf(cdp)];
  const facts = frames.filter((frame) => 'seq' in frame && frame.type !== 'joined').length;
  await sayOn(page, 'talk');
  await untilShows(page.getByRole('article').last(), 'It goes on');
  const before = await layoutsOf(cdp);
  const deltasBefore = frames.filter(({ type }) => type === 'text_delta').length;
  await until(() => frames.filter(({ type }) => type === 'text_delta').length >= deltasBefore + 8, {
    ms: 20_000,
    what: 'eight more deltas',
  });
  const streamedLayouts = (await layoutsOf(cdp)) - before;
  const deltas = frames.filter(({ type }) => type === 'text_delta').length - deltasBefore;
  const streamed = { layouts: streamedLayouts, deltas, elements: await elementsOf(page) };
  return { facts, elements, layouts, streamed };
}

/** Waits for two frames of the browser: what was to be drawn is drawn. */
const settle = (page: Page): Promise<void> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');

/** Waits until what the page shows has been the same for some frames. Resolves with it. */
async function untilStill<T>(page: Page, look: (page: Page) => Promise<T>): Promise<T> {
  let before = await look(page);
  for (let same = 0; same < 8; ) {
    await settle(page);
    const now = await look(page);
    same = JSON.stringify(now) === JSON.stringify(before) ? same + 1 : 0;
    before = now;
  }
  return before;
}

describeInBrowser('a long session', () => {
  test('sends, draws and lays out as much with 100 messages as with 20 000, at opening and for a delta [ws.last] [page.long]', async () => {
    const short = await measure(50);
    const long = await measure(10_000);
    expect(long.facts).toBe(short.facts);
    expect(long.elements).toBeLessThanOrEqual(3_000);
    expect(Math.abs(long.elements - short.elements)).toBeLessThan(50);
    // a few more or less: what arrives in one frame of the browser is laid out at once
    expect(long.layouts).toBeLessThanOrEqual(short.layouts + 10);
    for (const { streamed } of [short, long]) {
      expect(streamed.elements).toBeLessThanOrEqual(3_000);
      expect(streamed.layouts).toBeLessThanOrEqual(2 * streamed.deltas + 4);
    }
  });

  test('shows earlier turns to whoever scrolls up, and keeps the place; to whoever uses the keyboard or a screen reader, too [page.long]', async () => {
    const belay = await serveLong(300);
    const page = await openRoom(browser, belay, 'ann', { bypassCSP: true });
    await addAxe(page);
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('Question 299:').waitFor({ timeout: patientMs });
    expect(await log.getByText('Question 250:').count()).toBe(0);
    await log.focus();
    await page.keyboard.press('Home'); // as far up as there is: what is before it is added above
    const first = 'Question 280:';
    await until(async () => (await topOf(page, 'Question 279:')) !== null, { ms: 20_000, what: 'an earlier turn' });
    await settle(page);
    const top = await topOf(page, first);
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(150); // where it was: the first one
    const button = page.getByRole('button', { name: /earlier turns/ });
    for (let loads = 0; loads < 10 && (await button.count()) > 0; loads += 1) {
      const height = await page.evaluate<number>(heightOfLog);
      await page.keyboard.press('Home');
      const hasGrown = async () =>
        (await button.count()) === 0 || (await page.evaluate<number>(heightOfLog)) > height + 1_000;
      await until(hasGrown, { ms: 20_000, what: 'more turns' });
    }
    await page.keyboard.press('Home');
    await log.getByText('Question 0:').waitFor({ timeout: patientMs });
    expect(await button.count()).toBe(0);
    expect(await elementsOf(page)).toBeLessThanOrEqual(3_000);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'To the end' }).click();
    await log.getByText('Question 299:').waitFor({ timeout: patientMs });
  });

  test('has a button for earlier turns, and stays where it is read while another tab talks [page.long]', async () => {
    const belay = await serveLong(300);
    const page = await openRoom(browser, belay, 'ann');
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('Question 299:').waitFor({ timeout: patientMs });
    await page.getByRole('button', { name: 'Show earlier turns' }).dispatchEvent('click');
    await until(async () => (await page.evaluate<number>(heightOfLog)) > 6_000, {
      ms: 20_000,
      what: 'more turns',
    });
    expect(await log.getByText('Question 299:').isVisible()).toBe(true); // it is still at its end
    await log.focus();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('PageUp');
    const place = await untilStill(page, placeOf);
    const other = await openRoom(browser, belay, 'ann');
    await sayOn(other, 'talk');
    await untilShows(other.getByRole('article').last(), 'It goes on and on');
    await settle(page);
    expect(await placeOf(page)).toEqual(place);
    await page.getByRole('button', { name: 'To the end' }).click();
    await untilShows(page.getByRole('article').last(), 'It goes on and on');
  });
});
