// Words said while a turn runs: steered ones are read by its next model call, or taken back; said ones wait for its end.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

describeInBrowser('words said to a turn that runs', () => {
  const browser = useBrowser();

  test('steered words wait for the next model call, which reads them; others are taken back; said words wait for the end [page.chat]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'said after it' }, reply: { text: 'The second turn.' } },
      { when: { any: 'in English' }, reply: { text: 'In English, then.' } },
      { reply: { calls: [shellCall(`true ${token}; until test -e go; do sleep 0.02; done`, belay.folder.a)] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    const conversation = page.getByRole('log', { name: 'Conversation' });
    await sayOn(page, 'wait for it');
    await untilRunning(token);

    const field = page.getByRole('textbox', { name: 'What you say' });
    await field.fill('in English');
    await field.press('Control+Enter');
    await untilShows(conversation, 'the model reads it with its next call');
    await field.fill('and in verse');
    await page.getByRole('button', { name: 'Steer' }).click();
    await page.getByText('and in verse').waitFor({ timeout: patientMs });
    await page.locator('.said', { hasText: 'and in verse' }).getByRole('button', { name: 'Take it back' }).click();
    await untilShows(conversation, 'stopped before the model could read it');
    await sayOn(page, 'said after it');
    await untilShows(page.getByRole('article').last(), 'queued');
    expect(await cardOf(page, /^shell/).textContent()).toContain('running');

    writeFileSync(join(belay.folder.a, 'go'), '');
    await untilShows(conversation, 'In English, then.');
    await untilShows(conversation, 'The second turn.');
    const first = (await page.getByRole('article').first().textContent()) ?? '';
    expect(first.indexOf('in English')).toBeGreaterThan(first.indexOf('shell'));
    expect(first.indexOf('in English')).toBeLessThan(first.indexOf('In English, then.'));
    expect(first).not.toContain('the model reads it with its next call');
  });

  test('a turn that waits is stopped by its own button, and the one that runs goes on', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { reply: { calls: [shellCall(`true ${token}; until test -e go; do sleep 0.02; done`, belay.folder.a)] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'wait for it');
    await untilRunning(token);
    await sayOn(page, 'never mind me');
    const second = page.getByRole('article').last();
    await untilShows(second, 'queued');
    await second.getByRole('button', { name: 'Stop your turn' }).click();
    await untilShows(second, 'cancelled');
    expect(await cardOf(page, /^shell/).textContent()).toContain('running');
  });
});
