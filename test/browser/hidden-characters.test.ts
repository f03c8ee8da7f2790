// Approvals on the page: marks of the writing direction and characters that cannot be seen are written out, as at a terminal.
import { expect, test } from 'vitest';
import { serveBelay } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const unseen = /[\u200b\u202a-\u202e\u2066-\u2069\ufeff]/;

describeInBrowser('an approval on the page', () => {
  const browser = useBrowser();

  test('shows the marks of direction in a command, in the name of an argument and in its title [owner.ask] [access.names]', async () => {
    const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
    const args = JSON.stringify({ command: 'cat e\u202etxt.sh', 'a\u200bb': '\ufeffx' });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Not run.' } },
      { reply: { calls: [{ name: 'shell', arguments: args }] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'run it');
    const card = cardOf(page, /^shell/);
    await untilShows(card.locator('.question'), 'Run shell with these arguments?');
    expect(await card.locator('.question dt').allTextContents()).toEqual(['command', 'a<U+200B>b']);
    expect(await card.locator('.question dd').allTextContents()).toEqual(['cat e<U+202E>txt.sh', '<U+FEFF>x']);
    expect(await card.textContent()).not.toMatch(unseen);
    expect(await card.getAttribute('aria-label')).not.toMatch(unseen);
    await card.getByRole('button', { name: 'Deny', exact: true }).click({ timeout: patientMs });
    await untilShows(card, 'denied');
  });
});
