// The timeout of a tool, set in the card of one of its calls: each member sees it, the next call has it, and a refusal says why.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBelay } from '../support/belay.ts';
import { factsOfRoom, shellCall, useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Opens the card of the first call of `shell`, and the form in it. */
async function openForm(page: Page) {
  const card = cardOf(page, /^shell/).first();
  const toggle = card.getByRole('button', { name: /^. shell|^shell/ }).first();
  await toggle.waitFor({ timeout: patientMs });
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
  const form = card.locator('details', { hasText: 'Timeout of shell here' });
  await form.locator('summary').click({ timeout: patientMs });
  return form;
}

describeInBrowser('the timeout of a tool', () => {
  const browser = useBrowser();

  test('is set by the owner in a card, and reset; another member sees it, and may not set it [page.chat] [tool.timeouts]', async () => {
    const belay = await openBelay(endpoint, { limits: { toolTimeoutMaxMs: 60_000 } });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Done.' } },
      { when: { user: 'the quick one' }, reply: { calls: [shellCall('true', belay.folder.a)] } },
      { when: { user: 'the slow one' }, reply: { calls: [shellCall('sleep 60', belay.folder.a)] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    const other = await openRoom(browser, belay, 'bob'); // before the first words, which name the session
    await sayOn(page, 'the quick one');
    await untilShows(page.getByRole('article').first(), 'Done.');
    const form = await openForm(page);
    await untilShows(form.locator('summary'), 'as configured');

    const seconds = form.getByLabel('For its next calls, in seconds');
    await seconds.fill('61');
    await form.getByRole('button', { name: 'Set', exact: true }).click();
    await untilShows(form.getByRole('alert'), 'from 1000 to 60000 (limits.toolTimeoutMaxMs), or null, not 61000');
    await seconds.fill('1.5');
    await form.getByRole('button', { name: 'Set', exact: true }).click();
    await untilShows(form.locator('summary'), '1.5 s');
    expect(await form.getByRole('alert').count()).toBe(0);

    const seen = await openForm(other);
    await untilShows(seen.locator('summary'), '1.5 s');
    await seen.getByLabel('For its next calls, in seconds').fill('3');
    await seen.getByRole('button', { name: 'Set', exact: true }).click();
    await untilShows(seen.getByRole('alert'), 'Only the owner of a session, or a moderator');

    await sayOn(page, 'the slow one');
    await untilShows(cardOf(page, /^shell/).last(), /timed out/i);
    expect(factsOfRoom(belay).filter(({ type }) => type === 'tool_timeout')).toMatchObject([{ ms: 1_500 }]);
    await form.getByRole('button', { name: 'As configured' }).click();
    await untilShows(seen.locator('summary'), 'as configured');
    expect(factsOfRoom(belay).flatMap((fact) => (fact.type === 'tool_timeout_set' ? [fact.ms] : []))).toEqual([
      1_500,
      null,
    ]);
  });
});
