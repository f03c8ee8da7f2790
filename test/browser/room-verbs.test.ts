// The verbs in a room of three, on the page of its owner, of a speaker whose work it is not, and of a moderator: what each sees is what the other doors answer.
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { roomId, roomTokenOf } from '../standing/room-on-sockets.ts';
import { type ShownDoor, type ShownVerb, tryVerbs } from '../standing/shown-verbs.ts';
import { openRoomOfThree, type TableSpeaker } from '../standing/verb-table.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const lastTurn = (page: Page) => page.getByRole('article').last();
const buttonOf = (page: Page, name: RegExp) => lastTurn(page).getByRole('button', { name });

/** Resolves with the answer of the first that is shown. */
const firstOf = (page: Page, shown: Readonly<Record<string, string | RegExp>>): Promise<string> =>
  Promise.any(
    Object.entries(shown).map(async ([answer, text]) => {
      await untilShows(lastTurn(page), text);
      return answer;
    }),
  );

/** Does what a person does for a verb: each resolves with what is seen of it. */
const actions: Readonly<Record<ShownVerb, (page: Page, who: TableSpeaker) => Promise<string>>> = {
  'CANCEL tools:mine': async (page) => {
    const button = page.getByRole('button', { name: /^Stop tools/ });
    if ((await button.count()) === 0) return 'already_settled'; // it is offered where tools of the speaker run
    await button.click();
    await untilShows(cardOf(page, /^hold/).last(), /cancelled/);
    return 'stopped';
  },
  'CANCEL <turn>': async (page) => {
    await lastTurn(page).locator('.turn-foot').getByRole('button', { name: /^Stop/ }).click();
    return firstOf(page, { stopped: /stopped this/, not_owner: 'Not stopped: it belongs to ann' });
  },
  'words that go on': async (page) => {
    await sayOn(page, 'continue');
    await untilShows(lastTurn(page), /continue|resumed/);
    await buttonOf(page, /^Fork/).waitFor({ timeout: patientMs }); // it has ended
    return (await lastTurn(page).getByText('resumed').count()) > 0 ? 'resumed' : 'opened';
  },
  RESUME: async (page) => {
    const button = buttonOf(page, /^Resume/);
    if ((await button.count()) === 0) return 'turn_of_another'; // it is offered to the owner and to moderators
    await button.click();
    await untilShows(lastTurn(page), 'resumed');
    return 'resumed';
  },
  FORK: async (page) => {
    await buttonOf(page, /^Fork/).click();
    await untilShows(page.locator('body'), 'What comes next is yours.');
    await page.goBack();
    return 'forked';
  },
  SET_TIMEOUT: async (page, who) => {
    const card = cardOf(page, /^hold/).last();
    const toggle = card.getByRole('button', { name: /hold/ }).first();
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
    const form = card.locator('details', { hasText: 'Timeout of hold here' });
    await form.locator('summary').click();
    const seconds = who === 'ann' ? 60 : 90;
    await form.getByLabel('For its next calls, in seconds').fill(String(seconds));
    await form.getByRole('button', { name: 'Set', exact: true }).click();
    const isSet = untilShows(form.locator('summary'), `${seconds} s`).then(() => 'set');
    const isRefused = untilShows(form.getByRole('alert'), 'Only the owner of a session').then(() => 'access_denied');
    return Promise.any([isSet, isRefused]);
  },
};

const pageDoor = (pages: ReadonlyMap<TableSpeaker, Page>): ShownDoor => {
  const of = (who: TableSpeaker): Page => {
    const page = pages.get(who);
    if (!page) throw new Error(`${who} has no page.`);
    return page;
  };
  return {
    async shows(who, words, state) {
      await untilShows(of(who).getByRole('log', { name: 'Conversation' }), words);
      if (state === 'running') await untilShows(cardOf(of(who), /^hold/).last(), words);
      else await untilShows(lastTurn(of(who)), /stopped this/);
    },
    perform: (who, verb) => actions[verb](of(who), who),
  };
};

describeInBrowser('a room of three', () => {
  const browser = useBrowser();

  test('each verb on the page of the owner, of another member and of a moderator [owner.node] [cancel.tools] [recover.go-on] [recover.resume] [fork.doors] [tool.timeouts] [page.chat]', async () => {
    const { room, ann } = await openRoomOfThree();
    const open = (who: TableSpeaker) =>
      openTab(browser, `${pageOf(room)}#/session/${roomId}?token=${roomTokenOf(who)}`);
    const pages = new Map<TableSpeaker, Page>();
    for (const who of ['ann', 'bob', 'mo'] as const) pages.set(who, await open(who));
    await tryVerbs(room, ann, pageDoor(pages));
  });
});
