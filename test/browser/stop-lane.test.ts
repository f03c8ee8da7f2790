// Escape and the Stop beside the field stop the turn and the words that wait behind it: those go back into the field of the tab that sent them.
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { openBelay, room, tokenOf } from '../support/belay.ts';
import { factsOfRoom, shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { enter, startAtTerminal } from '../support/terminal.ts';
import { sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const waits = (token: string) => `true ${token}; until test -e go; do sleep 0.02; done`;

describeInBrowser('what waits behind a turn', () => {
  const browser = useBrowser();

  /** A turn of ann's with a shell, in her first tab, and a tab of hers beside it. */
  async function startTabs() {
    const token = newToken();
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'the work', round: 0 }, reply: { calls: [shellCall(waits(token), belay.folder.a)] } },
      { reply: { text: 'It is deployed.' } },
    ]);
    const first = await openRoom(browser, belay, 'ann');
    const second = await openRoom(browser, belay, 'ann');
    await sayOn(first, 'the work');
    await untilRunning(token);
    return { belay, first, second, token };
  }

  test('[cancel.lane] Escape stops it: no model reads it, and it is in the field of its tab again', async () => {
    const { belay, first, second, token } = await startTabs();
    await sayOn(first, 'and then deploy');
    await sayOn(second, 'and tell everybody');
    await untilShows(first.getByRole('article').nth(2), 'and tell everybody');
    await first.getByRole('textbox', { name: 'What you say' }).fill('half a line');
    await first.keyboard.press('Escape');
    for (const page of [first, second])
      for (const at of [1, 2])
        await untilShows(page.getByRole('article').nth(at), 'You stopped this: stopped before it started.');
    await untilShows(first.getByRole('article').first(), /You stopped this: all 2 stopped in/);
    const typed = (page: typeof first) => page.getByRole('textbox', { name: 'What you say' }).inputValue();
    expect(await typed(first)).toBe('and then deploy\nhalf a line');
    expect(await typed(second)).toBe('and tell everybody');
    expect(living(token)).toEqual([]);
    expect(await endpoint.requests()).toHaveLength(1);
    const facts = factsOfRoom(belay);
    expect(facts.filter(({ type }) => type === 'cancel_accepted')).toHaveLength(1);

    await first.getByRole('textbox', { name: 'What you say' }).fill('what now?');
    await first.keyboard.press('Enter');
    await untilShows(first.getByRole('article').nth(3), 'It is deployed.');
    expect(JSON.stringify((await endpoint.requests()).at(-1))).toContain('before it had started');
  });

  test('[cancel.lane] the Stop of one turn stops that turn, and what waits behind it starts', async () => {
    const { first } = await startTabs();
    await sayOn(first, 'and then deploy');
    await untilShows(first.getByRole('article').nth(1), 'queued');
    await first.getByRole('article').first().getByRole('button', { name: 'Stop your turn' }).click();
    await untilShows(first.getByRole('article').nth(1), 'It is deployed.');
    expect(await first.getByRole('textbox', { name: 'What you say' }).inputValue()).toBe('');
  });

  test('[cancel.lane] Escape at a terminal does the same', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'the work', round: 0 }, reply: { calls: [shellCall(waits(token), belay.folder.a)] } },
      { reply: { text: 'It is deployed.' } },
    ]);
    const chat = startAtTerminal('src/programs/chat.ts', [belay.url, '--session', room, '--token', tokenOf('ann')]);
    await chat.shows(`Joined ${room} as ann.`);
    const page = await openRoom(browser, belay, 'bob');
    chat.press(`the work${enter}`);
    await untilRunning(token);
    chat.press(`and then deploy${enter}`);
    await untilShows(page.getByRole('article').nth(1), 'and then deploy');
    chat.press('\u001b');
    await chat.shows('not started: “and then deploy”');
    await chat.shows(/you> and then deploy\s*$/);
    await untilShows(
      page.getByRole('article').nth(1),
      'ann stopped this (interrupted at the terminal): stopped before it started.',
    );
    expect(await endpoint.requests()).toHaveLength(1);
    const facts = factsOfRoom(belay);
    expect(facts.filter(({ type }) => type === 'cancel_accepted')).toHaveLength(1);
  });
});
