// A room of three on the page, each with a token of their own: who is here, members, moderators, who may stop whose, invite links.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay, room, serveBelay, tokenOf } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { addAxe, overflowOf, violationsOn } from './axe.ts';
import { looks } from './looks.ts';
import { cardOf, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Opens the panel of the room. Returns it. */
async function openPanel(page: Page) {
  await page.locator('.room > summary').focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('region', { name: 'Room' });
  await panel.waitFor({ timeout: patientMs });
  return panel;
}
const personIn = (page: Page, name: string) =>
  page.getByRole('list', { name: 'People of this session' }).getByRole('listitem').filter({ hasText: name });

/** The field with the address of the link that was made last, as long as it lets somebody in. */
const linkField = (page: Page) => page.getByRole('textbox', { name: /lets one person in/ });

/** Makes an invite link on a page that shows none. Returns its address. */
async function makeLink(page: Page): Promise<string> {
  const field = linkField(page);
  expect(await field.count()).toBe(0); // the address of an earlier one would be read
  await page.getByRole('button', { name: 'Make a link' }).click();
  await field.waitFor({ timeout: patientMs });
  return field.inputValue();
}

describeInBrowser('a room of three', () => {
  const browser = useBrowser();

  test('shows who is here, with roles; the owner invites by name, names a moderator and removes [page.room]', async () => {
    const belay = await serveBelay(endpoint, { config: { policy: 'owner' } });
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    await openPanel(ann);
    await untilShows(personIn(ann, 'bob'), 'here');
    await untilShows(personIn(ann, 'ann (you)'), 'owner, here');
    await ann.getByRole('form', { name: 'Invite by name' }).getByRole('textbox', { name: 'Name' }).fill('guest');
    await ann.keyboard.press('Enter');
    await untilShows(personIn(ann, 'guest'), 'member, away');
    const guest = await openRoom(browser, belay, 'guest');
    await untilShows(personIn(ann, 'guest'), 'member, here');

    await personIn(ann, 'guest').getByRole('button', { name: 'Make a moderator of guest' }).click();
    await untilShows(personIn(ann, 'guest'), 'moderator, here');
    await openPanel(guest);
    await guest.getByRole('button', { name: 'Make a link' }).waitFor({ timeout: patientMs });
    await openPanel(bob);
    expect(await bob.getByRole('button', { name: 'Make a link' }).count()).toBe(0);

    await personIn(ann, 'guest').getByRole('button', { name: 'Remove guest' }).click();
    await untilShows(guest.locator('body'), 'The session has ended: removed');
    await personIn(ann, 'guest').waitFor({ state: 'detached', timeout: patientMs });
  });

  test('lets somebody stop what is mine by a press, and takes it back [page.room]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint, { policy: 'owner' });
    const command = `true ${token}; until test -e go; do sleep 0.02; done`;
    await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(command, belay.folder.a)] } }]);
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    await openPanel(ann);
    await sayOn(ann, 'wait for it');
    await untilRunning(token);
    const his = cardOf(bob, /^shell/);
    await his.getByRole('button', { name: 'Stop shell' }).click();
    await untilShows(his.getByRole('alert'), 'Not stopped: it belongs to ann.');
    const delegation = personIn(ann, 'bob').getByRole('button', { name: /stop what is mine/ });
    await delegation.press('Enter');
    await personIn(ann, 'bob').locator('[aria-pressed="true"]').waitFor({ timeout: patientMs });
    await delegation.press('Enter');
    await personIn(ann, 'bob').locator('[aria-pressed="false"]').waitFor({ timeout: patientMs });
    await delegation.press('Enter');
    await personIn(ann, 'bob').locator('[aria-pressed="true"]').waitFor({ timeout: patientMs });
    await his.getByRole('button', { name: 'Stop shell' }).click();
    await untilShows(cardOf(ann, /^shell/), /cancelled/);
  });

  test('an invite link lets one person in, leaves the address bar and the history, and does not work twice or after it was revoked [access.invite-link]', async () => {
    const belay = await serveBelay(endpoint);
    const ann = await openRoom(browser, belay, 'ann');
    await openPanel(ann);
    const revoked = await makeLink(ann);
    await untilShows(ann.getByRole('list', { name: 'Invite links' }), 'Link of ann for a member');
    await ann.getByRole('button', { name: /^Revoke/ }).click();
    await ann.getByRole('list', { name: 'Invite links' }).waitFor({ state: 'detached', timeout: patientMs });
    const guest = await openTab(browser, `${revoked}&token=${tokenOf('guest')}`);
    await untilShows(guest.locator('body'), 'The invite link lets nobody in');

    const link = await makeLink(ann);
    await guest.goto('about:blank');
    await guest.goto(`${link}&token=${tokenOf('guest')}`);
    await guest.getByRole('log', { name: 'Conversation' }).waitFor({ timeout: patientMs });
    await untilShows(personIn(ann, 'guest'), 'member, here');
    expect(await linkField(ann).count()).toBe(0); // it was used
    expect(guest.url()).toBe(`${pageOf(belay)}#/session/${room}`);
    const stored = 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state, location.href])';
    expect(await guest.evaluate(stored)).not.toContain(new URL(link).hash.split('invite=')[1]);
    await guest.reload();
    await guest.getByRole('log', { name: 'Conversation' }).waitFor({ timeout: patientMs });
    expect(belay.child.stdout() + belay.child.stderr()).not.toContain(new URL(link).hash.split('invite=')[1]);

    await personIn(ann, 'guest').getByRole('button', { name: 'Remove guest' }).click();
    await untilShows(guest.locator('body'), 'The session has ended: removed');
    await guest.goto('about:blank');
    await guest.goto(link);
    await untilShows(guest.locator('body'), 'The invite link lets nobody in');
  });

  test('says whose turn is whose in name and color, the same color in every tab, with its model and what was used [page.room]', async () => {
    const belay = await serveBelay(endpoint);
    await endpoint.script([{ reply: { text: 'Noon.' } }]);
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    await sayOn(ann, 'what time is it');
    await untilShows(ann.getByRole('article', { name: 'Your turn' }), 'Noon.');
    const hers = bob.getByRole('article', { name: "ann's turn" });
    await untilShows(hers, 'Noon.');
    const colorOf = (page: Page) => page.locator('.said').first().getAttribute('data-speaker-color');
    expect(await colorOf(bob)).toBe(await colorOf(ann));
    await untilShows(hers.locator('.said-by'), 'ann');
    await openPanel(bob);
    const roomOfBob = bob.getByRole('region', { name: 'Room' });
    await untilShows(roomOfBob, 'The session has used: 1 turn;');
    await sayOn(ann, 'and now');
    await untilShows(roomOfBob, 'The session has used: 2 turns;');
  });

  test.each(looks)(
    '$name: no violation in the room, nothing sticks out [page.room]',
    async ({ colorScheme, viewport }) => {
      const belay = await serveBelay(endpoint);
      await endpoint.script([{ reply: { text: 'Noon.' } }]);
      const ann = await openRoom(browser, belay, 'ann', { colorScheme, viewport, bypassCSP: true });
      await openRoom(browser, belay, 'bob');
      await addAxe(ann);
      await sayOn(ann, 'what time is it');
      await untilShows(ann.getByRole('article'), 'Noon.');
      await openPanel(ann);
      await makeLink(ann);
      await untilShows(personIn(ann, 'bob'), 'here');
      expect(await violationsOn(ann)).toEqual([]);
      expect(await overflowOf(ann)).toBe(0);
      for (const color of Array.from({ length: 8 }, (_, at) => String(at))) {
        await ann.evaluate(
          `for (const each of document.querySelectorAll('[data-speaker-color]')) each.dataset.speakerColor = '${color}'`,
        );
        expect(await violationsOn(ann), color).toEqual([]);
      }
    },
  );
});
