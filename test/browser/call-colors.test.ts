// The time of a call on its card, as a person sees it: green, then amber, then red, each readable on its background.
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { addAxe, violationsOn } from './axe.ts';
import { cardOf, pageMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Returns the name of a color as a person would say it, by its hue; `gray`: it has hardly any. */
function nameOfColor(rgb: string): string {
  const [red = 0, green = 0, blue = 0] = (rgb.match(/[\d.]+/g) ?? []).map(Number);
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (high - low < 40) return 'gray';
  const sector = {
    [blue]: (red - green) / (high - low) + 4,
    [green]: (blue - red) / (high - low) + 2,
    [red]: (green - blue) / (high - low),
  };
  const hue = (60 * (sector[high] ?? 0) + 360) % 360;
  if (hue < 15 || hue > 340) return 'red';
  if (hue >= 20 && hue <= 60) return 'amber';
  return hue >= 90 && hue <= 170 ? 'green' : `hue ${hue}`;
}

describeInBrowser('the time of a call', () => {
  const browser = useBrowser();

  test.each(['light', 'dark'] as const)(
    'is green under 10 s, amber to 30 s and red past it, and gray when it was stopped; in %s colors each can be read [page.chat]',
    async (colorScheme) => {
      const belay = await openBelay(endpoint);
      const token = newToken();
      await endpoint.script([{ reply: { calls: [shellCall(`sleep ${token}`, belay.folder.a)] } }]);
      const page = await openRoom(browser, belay, 'ann', { colorScheme, bypassCSP: true });
      await addAxe(page);
      await sayOn(page, 'work');
      await untilRunning(token);
      const time = cardOf(page, /^shell/)
        .locator('.elapsed')
        .first();
      await untilShows(time, /\d s/);
      const colorOf = async () =>
        nameOfColor(String(await page.evaluate("getComputedStyle(document.querySelector('.card .elapsed')).color")));
      await page.clock.install();
      const shows = async (color: string, text: RegExp) => {
        await until(async () => text.test((await time.textContent()) ?? ''), {
          ms: pageMs,
          what: `the time of ${color}`,
        });
        expect(await colorOf()).toBe(color);
        expect(await violationsOn(page), color).toEqual([]);
      };
      await shows('green', /^\d s$/);
      await page.clock.fastForward(10_000);
      await shows('amber', /^1\d s$/);
      await page.clock.fastForward(20_000);
      await shows('red', /^3\d s$/);
      await page.keyboard.press('Escape');
      await untilShows(cardOf(page, /^shell/), /cancelled/);
      await until(async () => (await colorOf()) === 'gray', { ms: pageMs, what: 'the color of what was stopped' });
    },
  );
});
