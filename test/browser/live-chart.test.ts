// The chart of the inspector follows a turn and its call as they run and are stopped.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { room, serveBelay, tokenOf } from '../support/belay.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';
import { patientMs, sayOn } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

const untilActive = (page: Page, path: string): Promise<void> =>
  page.locator(`[data-state="${path}"][data-active]`).waitFor({ timeout: patientMs });

const untilTaken = (page: Page, id: string): Promise<void> =>
  page.locator(`.chart-transition[data-transition="${id}"][data-taken]`).waitFor({ timeout: patientMs });

describeInBrowser('the chart of an actor', () => {
  const browser = useBrowser();

  test('what runs is lit, and so is the step to `interrupted` [page.inspect]', async () => {
    const belay = await serveBelay(endpoint, {
      config: { limits: { termGraceMs: scaled(1_000), toolCancelMs: scaled(3_000) } },
    });
    await endpoint.script([
      { when: { user: 'think' }, reply: { text: 'I think', end: 'hang' } },
      { when: { user: 'work' }, reply: { calls: [shellCall("trap '' TERM; sleep 60 & wait; wait", belay.folder.a)] } },
    ]);
    const chat = await openRoom(browser, belay, 'ann');
    const inspector = `${pageOf(belay)}#/inspector/${room}?token=${tokenOf('moderator')}`;
    const page = await openTab(browser, inspector);

    await sayOn(chat, 'think');
    await untilActive(page, 'generating.active');
    await untilActive(page, 'generating');
    await chat.keyboard.press('Escape');
    await untilActive(page, 'gone');
    await untilTaken(page, 'settled→gone');
    expect(await page.locator('[data-state][data-active]').count()).toBe(1);

    await sayOn(chat, 'work');
    await untilActive(page, 'acting.active');
    await page.getByRole('treeitem').filter({ hasText: 'shell' }).first().click();
    await untilActive(page, 'running.active');
    await chat.keyboard.press('Escape');
    await untilTaken(page, 'running.active→running.interrupted stop');
    await untilActive(page, 'running.interrupted');
    await untilActive(page, 'gone');
  });
});
