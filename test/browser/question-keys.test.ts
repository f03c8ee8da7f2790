// Keys at a question: one that was pressed before it took input answers nothing, however long it is held; what is typed elsewhere stays there.
import { expect, test } from 'vitest';
import { serveBelay } from '../support/belay.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Runs in the page: puts the focus on Approve as soon as it is there, which is in its first half second. */
const focusAtOnce = `new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Approve');
    if (!button) return;
    observer.disconnect();
    button.focus();
    resolve(true);
  });
  observer.observe(document.body, { childList: true, subtree: true });
})`;

describeInBrowser('a key at a question', () => {
  const browser = useBrowser();

  test.each(['Enter', 'Space'])(
    'that was pressed early (%s) approves nothing, also when it is held and released late; the next press counts [page.chat]',
    async (key) => {
      const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
      await endpoint.script([
        { when: { toolResult: true }, reply: { text: 'It has run.' } },
        { reply: { calls: [shellCall('echo approved', belay.folder.a)] } },
      ]);
      const page = await openRoom(browser, belay, 'ann');
      await page.clock.install({ time: 0 });
      await page.clock.pauseAt(60_000); // the half second does not pass before the test says so
      const focused = page.evaluate(focusAtOnce);
      await sayOn(page, 'run it');
      await focused;
      await page.keyboard.down(key);
      const question = page.locator('.question');
      expect(await question.getAttribute('data-armed')).toBe('false');
      await page.clock.runFor(600);
      await page.locator('.question[data-armed=true]').waitFor({ timeout: patientMs });
      await page.keyboard.down(key); // as a key that is held repeats
      await page.keyboard.up(key);
      const card = cardOf(page, /^shell/);
      const approve = card.getByRole('button', { name: 'Approve', exact: true });
      expect(await approve.getAttribute('aria-disabled'), 'no answer was sent').toBe('false');
      await page.clock.resume();
      await page.keyboard.press(key);
      await untilShows(card.locator('.card-status'), 'completed');
    },
  );

  test('what is typed while a question comes up is words for the model, and a choice answers the question [page.chat]', async () => {
    const belay = await serveBelay(endpoint);
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Thank you.' } },
      {
        reply: {
          calls: [{ name: 'ask_user', arguments: { question: 'Which one?', choices: ['y', 'n'] } }],
          pace: { firstMs: 300 },
        },
      },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'ask me');
    const field = page.getByRole('textbox', { name: 'What you say' });
    await field.pressSequentially('y and why y', { delay: 80 });
    await untilShows(page.locator('.question'), 'Which one?');
    expect(await field.inputValue()).toBe('y and why y');
    const card = cardOf(page, /^ask_user/);
    await card.getByRole('button', { name: 'n', exact: true }).click();
    await untilShows(card.locator('.card-status'), 'completed');
    await untilShows(page.getByRole('log', { name: 'Conversation' }), 'Thank you.');
  });
});
