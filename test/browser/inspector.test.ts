// The inspector in a browser: the machines of a real turn as a tree, of one session or of all; and who may watch.
import { expect, test } from 'vitest';
import { room, serveBelay } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';
import { openInspector, threeToolsAndAnAgent, untilActors } from './inspector-tab.ts';
import { pageMs, patientMs, untilShows } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

async function startWorking() {
  const belay = await serveBelay(endpoint);
  await endpoint.script(threeToolsAndAnAgent(belay));
  return { belay, ann: await joinRoom(belay, 'ann') };
}

describeInBrowser('the inspector', () => {
  const browser = useBrowser();

  test('three tools and a sub-agent stand in the tree while they run, and all of it ends with a stop [page.inspect]', async () => {
    const { belay, ann } = await startWorking();
    const page = await openInspector(browser, belay, room);
    await untilActors(page, /^session, room/);
    const turn = ann.session.say('work');
    await untilActors(page, /^tool call, shell, running › active$/, 3);
    await untilActors(page, /^sub-agent/);
    await untilActors(page, /^turn, turn of researcher, generating › active$/);
    await untilActors(page, /^turn, acting › active, of ann$/);
    await untilActors(page, /^worker, model, working$/); // of the sub-agent
    await untilActors(page, /^connection, ann, open/);
    await page.getByRole('img', { name: /turn/ }).or(page.getByRole('application')).first().waitFor(); // its chart

    await turn.cancel({ reason: 'enough' });
    await untilActors(page, /^tool call, shell, cancelled, ended$/, 3);
    await untilActors(page, /^turn, cancelled, of ann, ended$/);
    await untilActors(page, /^worker/, 0);
    await page.getByRole('button', { name: /^Clear \d+ ended$/ }).click();
    await untilActors(page, /ended$/, 0);
    await untilActors(page, /^session, room/);

    await page.getByRole('link', { name: 'Events', exact: true }).click();
    const events = page.getByRole('listbox', { name: 'Events' });
    await events.getByRole('option', { name: /^CANCEL from outside to session/ }).waitFor({ timeout: patientMs });
    await events.getByRole('option', { name: /^CANCEL from session to turn/ }).waitFor();
    expect(await events.getByRole('option', { name: /^CANCEL from turn to shell/ }).count()).toBe(3);
    await page.getByRole('searchbox', { name: 'Type of the event' }).fill('outcome');
    await events
      .getByRole('option', { name: /^OUTCOME from shell to turn, .*cancelled/ })
      .first()
      .waitFor();
    expect(await events.getByRole('option', { name: /^CANCEL/ }).count()).toBe(0);
  });

  test('a member is refused by name; a session is shown alone, or with all others', async () => {
    const { belay, ann } = await startWorking();
    await ann.session.say('hello').ended;
    const other = ann.client.session('other');
    await other.joined;
    await other.say('hello').ended;
    const member = await openInspector(browser, belay, room, { speaker: 'ann', expected: /status of 403/ });
    await untilShows(member.getByRole('status'), 'sign in with a token that has the role "moderator"');

    const page = await openInspector(browser, belay, 'all');
    await untilActors(page, /^session, (room|other)/, 2);
    await page.getByRole('combobox', { name: 'Session' }).selectOption('other');
    await untilActors(page, /^session, room/, 0);
    await untilActors(page, /^session, other, “other: hello”, open/);
    expect(page.url()).toContain('#/inspector/other');
    await page.getByRole('heading', { name: 'hello', level: 1, exact: true }).waitFor(); // the first words, in a browser that has not opened it
    await other.say('hello again').ended;
    await untilActors(page, /^turn, completed, of ann, ended$/);
    await page.getByRole('combobox', { name: 'Session' }).selectOption('All sessions');
    await untilActors(page, /^session, (room|other)/, 2);
  });

  test('the chat leads to the inspector of its session, and back', async () => {
    const { belay } = await startWorking();
    const page = await openRoom(browser, belay, 'moderator');
    await page.getByRole('link', { name: 'Inspector', exact: true }).click();
    await untilActors(page, /^session, room/);
    const tree = page.getByRole('tree', { name: 'Actors' });
    await tree.focus();
    await page.keyboard.press('Home');
    await until(async () => page.url().includes(`#/inspector/${room}/actor/`), {
      ms: pageMs,
      what: 'the address of an actor',
    });
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByRole('log', { name: 'Conversation' }).waitFor({ timeout: patientMs });
    const elsewhere = await openTab(browser, pageOf(belay));
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: patientMs });
  });
});
