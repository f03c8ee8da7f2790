// Buttons that move while they are pressed, as all of them do while an answer streams.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { factsOfRoom, shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** The middle of an element, in pixels. */
async function middleOf(element: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await element.boundingBox({ timeout: patientMs });
  if (!box) throw new Error('The element is not shown.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Moves what the conversation shows, by a value of `translate`. */
const moveConversation = (page: Page, by: string) =>
  page.evaluate(`document.querySelector('[role=log]').style.translate = '${by}'`);

/** Puts the pointer down on a button and moves the button away from under it. Returns where the pointer is. */
async function pressWhileItMoves(page: Page, button: Locator) {
  const at = await middleOf(button);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await moveConversation(page, '0 -120px'); // as far as a paragraph that has come below it moves it
  expect(await middleOf(button)).toEqual({ x: at.x, y: at.y - 120 });
  return at;
}

describeInBrowser('a button that moves under the pointer', () => {
  const browser = useBrowser();

  test('[page.press] stops what it names, once', async () => {
    const belay = await openBelay(endpoint);
    const token = newToken();
    await endpoint.script([
      { when: { user: 'run it' }, reply: { calls: [shellCall(`true ${token}; sleep 60`, belay.folder.a)] } },
      { when: { any: 'stopped' }, reply: { text: 'What next?' } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'run it');
    await untilRunning(token);
    const stop = cardOf(page, /^shell/).getByRole('button', { name: 'Stop shell' });

    const at = await pressWhileItMoves(page, stop);
    await page.mouse.move(at.x + 60, at.y);
    await page.mouse.up(); // the person has thought better of it
    expect(await stop.count()).toBe(1);

    await moveConversation(page, 'none');
    await pressWhileItMoves(page, stop);
    await page.mouse.up();
    await untilShows(cardOf(page, /^shell/), /cancelled/);
    const stops = factsOfRoom(belay).filter(({ type }) => type === 'cancel_accepted');
    expect(stops).toHaveLength(1);
  });
});
