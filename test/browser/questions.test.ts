// Approvals and questions on the page: they take no input from before, or within half a second after, they are shown.
import { expect, test } from 'vitest';
import { serveBelay } from '../support/belay.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Runs in the page: clicks the button as soon as it is there, which is in its first half second. */
const clickAtOnce = `new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Approve');
    if (!button) return;
    observer.disconnect();
    button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    button.click();
    resolve(true);
  });
  observer.observe(document.body, { childList: true, subtree: true });
})`;

describeInBrowser('a question on the page', () => {
  const browser = useBrowser();

  test('an approval takes no click in its first half second, then runs the call', async () => {
    const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'It has run.' } },
      { reply: { calls: [shellCall('echo approved', belay.folder.a)] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    const card = cardOf(page, /^shell/);
    const approve = card.getByRole('button', { name: 'Approve', exact: true });
    const clicked = page.evaluate(clickAtOnce);
    await sayOn(page, 'run it');
    await clicked;
    await untilShows(card, 'asks you');
    expect(await card.textContent()).not.toContain('completed');
    await approve.click({ timeout: patientMs });
    await untilShows(card, 'completed');
    await untilShows(page.getByRole('log', { name: 'Conversation' }), 'It has run.');
  });

  test('arguments that name a value twice are shown as they are, not the half that would run [page.chat] [owner.ask]', async () => {
    const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
    const twice = '{"command":"rm -rf ~","command":"ls"}';
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Not run.' } },
      { reply: { calls: [{ name: 'shell', arguments: twice }] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'run it');
    const card = cardOf(page, /^shell/);
    await untilShows(card.locator('.question'), 'Run shell with these arguments?');
    expect(await card.locator('.question').textContent()).toContain(twice);
    await card.getByRole('button', { name: 'Deny', exact: true }).click({ timeout: patientMs });
    await untilShows(card, 'denied');
  });

  test('an approval shows each argument by its name, from the fields of its fact; a remark after them [page.chat] [owner.ask]', async () => {
    const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Not run.' } },
      { reply: { calls: [{ name: 'shell', arguments: '{ "command": "echo \\"a\\"", "timeoutMs": 5000 }' }] } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'run it');
    const question = cardOf(page, /^shell/).locator('.question');
    await untilShows(question, 'Run shell with these arguments?');
    expect(await question.locator('dt').allTextContents()).toEqual(['command', 'timeoutMs']);
    expect(await question.locator('dd').allTextContents()).toEqual(['echo "a"', '5000']);
    expect(await question.textContent()).not.toContain('{');
  });

  test('a call that is denied says so; somebody else sees whom it asks', async () => {
    const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Not run.' } },
      { reply: { calls: [shellCall('echo never', belay.folder.a)] } },
    ]);
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    await sayOn(ann, 'run it');
    await untilShows(cardOf(bob, /^shell/), 'Waits for ann.');
    expect(
      await cardOf(bob, /^shell/)
        .getByRole('button', { name: 'Approve', exact: true })
        .count(),
    ).toBe(0);
    await cardOf(ann, /^shell/)
      .getByRole('button', { name: 'Deny', exact: true })
      .click({ timeout: patientMs });
    for (const page of [ann, bob]) await untilShows(cardOf(page, /^shell/), 'denied');
  });
});
