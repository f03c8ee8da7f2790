// Coming in by a link that is pasted into the address bar of an open tab: who is signed in then, and that no key stays in the address.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { openBelay, room, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { useEndpoint } from '../support/journey.ts';
import { addAxe, violationsOn } from './axe.ts';
import { pageMs, patientMs, untilShows } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const lostConnection = /WebSocket|ERR_CONNECTION_REFUSED|Failed to load/;

/** Pastes a link into the address bar, and presses Enter. */
const paste = (page: Page, link: string) => page.evaluate(`location.href = ${JSON.stringify(link)}`);
const side = (page: Page) => page.getByRole('navigation', { name: 'Sessions' });
const isShown = (page: Page, session: string) =>
  page.getByRole('heading', { name: session, level: 1 }).waitFor({ timeout: patientMs });

/** Expects that the address has no credential. */
function expectNoSecret(page: Page, ...secrets: readonly string[]) {
  for (const secret of secrets) expect(page.url()).not.toContain(secret);
  expect(page.url()).not.toMatch(/token=|key=/);
}

describeInBrowser('a link that is pasted', () => {
  const browser = useBrowser();
  const linkOf = (belay: { readonly url: string }, speaker: TestSpeaker, session: string) =>
    `${pageOf(belay)}#/session/${session}?token=${tokenOf(speaker)}`;

  test('signs in at once where nobody is signed in, and leads where it says [page.link]', async () => {
    const belay = await openBelay(endpoint);
    const page = await openTab(browser, pageOf(belay), { expected: /401|WebSocket/ });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: patientMs });
    await paste(page, linkOf(belay, 'ann', room));
    await untilShows(side(page), 'ann');
    await isShown(page, room);
    expectNoSecret(page, tokenOf('ann'));
    await paste(page, linkOf(belay, 'ann', 'other')); // the same one again
    await isShown(page, 'other');
    expectNoSecret(page, tokenOf('ann'));
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('of another speaker asks first, and shows nothing of where it leads before; Escape and Stay change nothing [page.link]', async () => {
    const belay = await openBelay(endpoint);
    const page = await openRoom(browser, belay, 'ann', { bypassCSP: true });
    const dialog = page.getByRole('dialog', { name: 'Sign in as bob?' });
    for (const answer of ['Escape', 'Stay ann'] as const) {
      await paste(page, linkOf(belay, 'bob', 'of-bob'));
      await untilShows(dialog, 'You are ann here.');
      expectNoSecret(page, tokenOf('bob'));
      expect(page.url()).toMatch(/#\/session\/room$/);
      await addAxe(page);
      expect(await violationsOn(page)).toEqual([]);
      if (answer === 'Escape') await page.keyboard.press('Escape');
      else await dialog.getByRole('button', { name: answer }).click();
      await dialog.waitFor({ state: 'detached', timeout: patientMs });
      await untilShows(side(page), 'ann');
      await isShown(page, room);
    }
    await paste(page, linkOf(belay, 'bob', 'of-bob'));
    const listed = await fetch(new URL('api/sessions', pageOf(belay)), {
      headers: { authorization: `Bearer ${tokenOf('ann')}` },
    });
    expect(JSON.stringify(await listed.json())).not.toContain('of-bob'); // nobody has opened it yet
    await dialog.getByRole('button', { name: 'Sign in as bob' }).click();
    await untilShows(side(page), 'bob');
    await isShown(page, 'of-bob');
    expectNoSecret(page, tokenOf('bob'), tokenOf('ann'));
  });

  test('asks also when it loads the page of a tab that is signed in; one that is refused says so [page.link]', async () => {
    const belay = await openBelay(endpoint);
    const page = await openRoom(browser, belay, 'ann', { expected: /401/ });
    await page.goto('about:blank');
    await page.goto(linkOf(belay, 'bob', room));
    await untilShows(page.getByRole('dialog'), 'You are ann here.');
    expectNoSecret(page, tokenOf('bob'));
    await page.getByRole('button', { name: 'Stay ann' }).click();
    await paste(page, `${pageOf(belay)}#/session/${room}?token=wrong`);
    await untilShows(page.getByRole('dialog', { name: 'This link signs nobody in.' }), 'You are still ann here.');
    expectNoSecret(page, 'wrong');
    await page.getByRole('button', { name: 'Close' }).click();
    await untilShows(side(page), 'ann');
  });

  test('after a restart with another key the page asks for it at once, and the new link signs in at once [page.link]', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'belay-page-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 3 }));
    const start = async (port: string) => {
      const child = startChild('src/programs/serve.ts', { args: ['--port', port, '--store', 'memory'], cwd });
      const [, address = ''] = await child.untilPrinted(/(http:\/\/127\.0\.0\.1:\d+\/#key=\S+)/, pageMs);
      return { child, address };
    };
    const first = await start('0');
    const page = await openTab(browser, first.address, { expected: lostConnection });
    await untilShows(side(page), 'local');
    expectNoSecret(page);
    first.child.signal('SIGKILL');
    await first.child.ended();
    const second = await start(new URL(first.address).port);
    await untilShows(page.getByRole('alert'), 'A key is another at each start of the gateway.');
    await paste(page, second.address);
    await untilShows(side(page), 'local');
    expectNoSecret(page);
  });
});
