// The statecharts on the page: all of a turn on one screen, moved and scaled by mouse and keys, with the details of what is chosen.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBelay, tokenOf } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { addAxe, overflowOf, violationsOn } from './axe.ts';
import { pageMs, patientMs, untilShows } from './page-actions.ts';
import { pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, type TabOptions, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const laptop = { width: 1_280, height: 800 };
const phone = { width: 390, height: 844 };
const smallestType = 9;

/** Runs in the page: the states that the frame does not show wholly, and the smallest type in pixels. */
const measure = `(() => {
  const frame = document.querySelector('.chart-frame').getBoundingClientRect();
  const cut = [...document.querySelectorAll('[data-state]')].filter((state) => {
    const { left, right, top, bottom } = state.getBoundingClientRect();
    return left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom;
  });
  const sizes = [...document.querySelectorAll('.chart-frame text')].map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a);
  const seen = frame.bottom <= innerHeight && frame.right <= innerWidth;
  return { cut: cut.map((state) => state.dataset.state), smallest: Math.min(...sizes), seen };
})()`;

/** Resolves with what `measure` has found. */
const read = async (page: Page) => (await page.evaluate(measure)) as Record<string, unknown>; // as it is written above

/** Resolves when the type is readable: a drawing is fitted after it is there. */
async function untilFitted(page: Page): Promise<void> {
  const isReadable = async () => Number((await read(page))['smallest']) >= smallestType;
  await until(isReadable, { ms: pageMs, what: `type of ${smallestType} pixels in the chart` });
}

/** Runs in the page: how the drawing is moved and scaled. */
const viewport = "document.querySelector('.chart-svg > g').getAttribute('transform')";

describeInBrowser('the machines', () => {
  const browser = useBrowser();

  async function openMachine(place: string, options: TabOptions = {}): Promise<Page> {
    const belay = await openBelay(endpoint);
    const address = `${pageOf(belay)}#/machines/${place}?token=${tokenOf('ann')}`;
    const page = await openTab(browser, address, { viewport: laptop, ...options });
    await page.getByRole('img', { name: /^Statechart of / }).waitFor({ timeout: patientMs });
    return page;
  }

  test('each machine is on one screen, readable [page.inspect]', async () => {
    const page = await openMachine('turn');
    for (const machine of ['turn', 'session', 'tool-call', 'sub-agent', 'connection', 'speech']) {
      await page.getByRole('navigation', { name: 'Machines' }).getByRole('link', { name: machine }).click();
      await page.getByRole('img', { name: `Statechart of ${machine}.` }).waitFor({ timeout: patientMs });
      await untilFitted(page);
      const { cut, seen } = await read(page);
      expect({ machine, cut, seen }).toEqual({ machine, cut: [], seen: true });
    }
  });

  test('a click shows the details of a state or of a transition, and the address leads back to them', async () => {
    const page = await openMachine('turn');
    const details = page.getByRole('region', { name: 'Details' });
    await page.locator('[data-state="settling"] > .chart-name').click();
    await untilShows(details, /Notes on events\s*CANCEL: already settled/);
    await page.locator('.chart-label[data-transition="preparing.active→preparing.interrupted stop"]').click();
    await untilShows(details, /CANCEL if planStopsNode\s*relay, recordStop/);
    await details.getByRole('button', { name: 'preparing.interrupted' }).click();
    await untilShows(details, /On entry\s*stopWork/);
    expect(new URL(page.url()).hash).toBe('#/machines/turn/preparing.interrupted');
    await page.reload();
    await untilShows(details, /On entry\s*stopWork/);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('acting.interrupted');
    await untilShows(details, 'awaitNewlyStopped');
  });

  test('keys and the mouse move and scale the drawing', async () => {
    const page = await openMachine('turn');
    await untilFitted(page);
    const fitted = await page.evaluate(viewport);
    const drawing = page.getByRole('application');
    const changes = async (act: () => Promise<void>) => {
      const before = await page.evaluate(viewport);
      await act();
      await expect.poll(() => page.evaluate(viewport)).not.toBe(before);
    };
    await changes(() => drawing.press('ArrowRight'));
    await changes(() => drawing.press('+'));
    await changes(() => page.getByRole('button', { name: 'Zoom out' }).click());
    await changes(async () => {
      await page.mouse.move(400, 400);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -200);
      await page.keyboard.up('Control');
    });
    await changes(async () => {
      await page.mouse.down();
      await page.mouse.move(460, 430, { steps: 4 });
      await page.mouse.up();
    });
    expect(new URL(page.url()).hash, 'the end of a drag chooses nothing').toBe('#/machines/turn');
    await drawing.press('0');
    await expect.poll(() => page.evaluate(viewport)).toBe(fitted);
  });

  test('two fingers scale it on a phone', async () => {
    const page = await openMachine('turn', { viewport: phone, hasTouch: true });
    const scale = async () => Number(/scale\((.+)\)/.exec(String(await page.evaluate(viewport)))?.[1]);
    const fitted = await scale();
    const fingers = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', xs: readonly number[]) =>
      fingers.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x, y: 400, id })) });
    await touch('touchStart', [150, 250]);
    for (const step of [10, 20, 30, 40, 50]) await touch('touchMove', [150 - step, 250 + step]);
    await touch('touchEnd', []);
    await expect.poll(scale).toBeCloseTo(2 * fitted, 3);
  });

  test.each([
    { name: 'light, wide', options: { viewport: laptop, colorScheme: 'light' } },
    { name: 'dark, on a phone', options: { viewport: phone, colorScheme: 'dark' } },
  ] as const)('$name: no violation, nothing sticks out', async ({ options }) => {
    const page = await openMachine('turn', { ...options, bypassCSP: true });
    await addAxe(page);
    for (const chosen of ['', '/running.abandoned']) {
      await page.evaluate(`location.assign('#/machines/tool-call${chosen}')`);
      await page.getByRole('img', { name: 'Statechart of tool-call.' }).waitFor({ timeout: patientMs });
      expect(await violationsOn(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    }
  });
});
