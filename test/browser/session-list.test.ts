// The list of sessions for somebody with several: order, status, title of the tab, rename, search, stop, what asks, and notifications.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { type Belay, serveBelay, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { addAxe, overflowOf, violationsOn } from './axe.ts';
import { pageMs, patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom, pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Sends a request of a speaker. Resolves with its reply. */
const post = (belay: Belay, speaker: TestSpeaker, path: string, body: object): Promise<Response> =>
  fetch(new URL(path, pageOf(belay)), {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(speaker)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Says words in a session, which goes on when the request is gone. */
const say = (belay: Belay, speaker: TestSpeaker, session: string, text: string) =>
  post(belay, speaker, `/api/sessions/${session}/say`, { text, onDisconnect: 'continue' });

const listOf = (page: Page) => page.getByRole('navigation', { name: 'Sessions' });
const rowsOf = (page: Page) => listOf(page).locator('.session-row');
/** The words of each row. */
const textsOf = async (page: Page): Promise<string[]> =>
  (await rowsOf(page).locator('.session-link').allInnerTexts()).map((text) => text.replaceAll('\n', ' '));

const untilListed = (page: Page, wanted: readonly RegExp[]) =>
  until(
    async () => {
      const texts = await textsOf(page);
      return texts.length === wanted.length && wanted.every((one, i) => one.test(texts[i] ?? ''));
    },
    { ms: pageMs, what: `the list ${wanted.join(', ')}` },
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}; it has ${(await textsOf(page)).join(' | ')}`);
  });

const openList = (browser: Parameters<typeof openTab>[0], belay: Belay, options = {}) =>
  openTab(browser, `${pageOf(belay)}#token=${tokenOf('ann')}`, options);

describeInBrowser('the list of sessions', () => {
  const browser = useBrowser();

  test('has the newest first with its time, and tells apart what asks, runs, was stopped and has failed; so does the title of the tab [list.order] [list.notice]', async () => {
    const token = newToken();
    const belay = await serveBelay(endpoint, { config: { approve: ['list_files'] } });
    await endpoint.script([
      { when: { user: 'ask me' }, reply: { calls: [{ name: 'list_files', arguments: { path: belay.folder.a } }] } },
      { when: { user: 'run it' }, reply: { calls: [shellCall(`true ${token}; sleep 60`, belay.folder.a)] } },
      { when: { user: 'wait' }, reply: { text: 'I wait', end: 'hang' } },
      { when: { user: 'break' }, reply: { status: 401 } },
      { reply: { text: 'Done.' } },
    ]);
    await say(belay, 'ann', 'one', 'hello there');
    const waiting = say(belay, 'ann', 'two', 'wait for me');
    await until(async () => (await post(belay, 'ann', '/api/sessions/two/abort?wait=settled', {})).status === 200);
    await waiting;
    await say(belay, 'ann', 'three', 'break it');
    void say(belay, 'ann', 'four', 'run it').catch(() => {});
    await untilRunning(token);
    void say(belay, 'ann', 'five', 'ask me').catch(() => {});

    const page = await openList(browser, belay, { bypassCSP: true });
    const time = String.raw`\d\d:\d\d$`;
    await untilListed(page, [
      new RegExp(`^ask me asks you ${time}`),
      new RegExp(`^run it runs ${time}`),
      new RegExp(`^break it failed ${time}`),
      new RegExp(`^wait for me stopped ${time}`),
      new RegExp(`^hello there ${time}`),
    ]);
    const titleIs = (title: string) =>
      until(async () => (await page.title()) === title, { ms: pageMs, what: `the title ${title}` });
    await titleIs('(1 asks you) Belay');
    for (const [name, title] of [
      ['run it', '(1 asks you) Runs: run it – Belay'],
      ['break it', '(1 asks you) Failed: break it – Belay'],
      ['wait for me', '(1 asks you) Stopped: wait for me – Belay'],
      ['hello there', '(1 asks you) hello there – Belay'],
    ] as const) {
      await listOf(page).getByRole('link', { name }).click();
      await titleIs(title);
    }
    await sayOn(page, 'hello again');
    await until(async () => (await textsOf(page))[0]?.startsWith('hello there'), {
      ms: pageMs,
      what: 'it to be first',
    });
    await addAxe(page);
    expect(await violationsOn(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  test('a session is renamed and stopped there, by the keyboard alone; a refusal is said in words [list.rename] [list.stop]', async () => {
    const token = newToken();
    const belay = await serveBelay(endpoint, { config: { policy: 'owner' } });
    await endpoint.script([
      { when: { user: 'run it' }, reply: { calls: [shellCall(`true ${token}; sleep 60`, belay.folder.a)] } },
      { reply: { text: 'Done.' } },
    ]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'run it');
    await untilRunning(token);
    const bob = await openTab(browser, `${pageOf(belay)}#token=${tokenOf('bob')}`, { expected: /403/ });
    const ofBob = listOf(bob);
    await ofBob.getByRole('button', { name: 'Stop run it' }).click();
    await untilShows(ofBob.getByRole('alert'), 'Not stopped:');
    await ofBob.getByRole('button', { name: 'Close' }).click();
    await ofBob.getByRole('button', { name: 'Rename run it' }).click();
    await bob.keyboard.type(' of mine');
    await bob.keyboard.press('Enter');
    await untilShows(ofBob.getByRole('alert'), 'Not renamed:');

    const list = listOf(page);
    await list.getByRole('link', { name: 'run it' }).focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Stop run it');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('A long sleep');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'A long sleep', level: 1 }).waitFor({ timeout: patientMs });
    await list.getByRole('button', { name: 'Stop A long sleep' }).focus();
    await page.keyboard.press('Enter');
    await untilListed(page, [/^A long sleep stopped/]);
    await untilListed(bob, [/^A long sleep stopped/]);
    await untilShows(page.getByRole('article').first(), 'You stopped this');
  });

  test('sessions are found by what was said in them, and by status, outcome, speaker and day [list.find]', async () => {
    const belay = await serveBelay(endpoint);
    await endpoint.script([
      { when: { user: 'weather' }, reply: { text: 'It will be rainy in Zürich.' } },
      { when: { user: 'break' }, reply: { status: 401 } },
      { reply: { text: 'Done.' } },
    ]);
    await say(belay, 'ann', 'one', 'the weather, please');
    await say(belay, 'bob', 'two', 'break it');
    await say(belay, 'ann', 'three', 'hello');
    const page = await openList(browser, belay, { bypassCSP: true });
    await untilListed(page, [/^hello/, /^break it/, /^the weather/]);
    const list = listOf(page);
    const search = list.getByRole('searchbox', { name: 'Search sessions' });
    await search.fill('zurich rain');
    await untilListed(page, [/^the weather/]);
    await search.fill('');
    await list.getByText('Filters').click();
    await list.getByLabel('Said by').fill('bob');
    await untilListed(page, [/^break it/]);
    await list.getByLabel('Status').selectOption('done');
    await untilShows(list.getByRole('status'), 'No session is like this.');
    await addAxe(page);
    expect(await violationsOn(page)).toEqual([]);
    await list.getByRole('button', { name: 'Clear filters' }).click();
    await say(belay, 'bob', 'two', 'well');
    await list.getByLabel('Status').selectOption('failed');
    await untilShows(list.getByRole('status'), 'No session is like this.');
    await list.getByLabel('Status').selectOption('');
    await list.getByLabel('Outcome').selectOption('failed');
    await untilListed(page, [/^break it/]);
    await list.getByRole('button', { name: 'Clear filters' }).click();
    await list.getByLabel('Status').selectOption('done');
    await untilListed(page, [/^break it/, /^hello/, /^the weather/]);
    await list.getByLabel('Until').fill('2020-01-01');
    await untilShows(list.getByRole('status'), 'No session is like this.');
  });

  test('what all sessions ask is answered in one place [list.questions]', async () => {
    const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'It is over.' } },
      { reply: { calls: [shellCall('echo out', belay.folder.a)] } },
    ]);
    const asked = ['one', 'two'].map((session) => say(belay, 'ann', session, `run ${session}`));
    void say(belay, 'bob', 'three', 'run three').catch(() => {});
    const page = await openList(browser, belay, { bypassCSP: true });
    await listOf(page).getByRole('link', { name: '2 questions ask you' }).click();
    await page.getByRole('heading', { name: 'What asks you', level: 1 }).waitFor({ timeout: patientMs });
    const cardIn = (title: string) => page.getByRole('region', { name: `Asked in ${title}` });
    await untilShows(cardIn('run one'), 'Run shell with these arguments?');
    await addAxe(page);
    expect(await violationsOn(page)).toEqual([]);
    await cardIn('run one').getByRole('button', { name: 'Approve', exact: true }).click();
    await cardIn('run one').waitFor({ state: 'detached', timeout: patientMs });
    await cardIn('run two').getByRole('button', { name: 'Deny', exact: true }).click();
    await untilShows(page.locator('.view'), 'No session asks you anything.');
    const outcomes = (await Promise.all((await Promise.all(asked)).map((reply) => reply.json()))) as {
      calls: { outcome: string }[];
    }[];
    expect(outcomes.map(({ calls }) => calls[0]?.outcome)).toEqual(['completed', 'denied']);
    await untilShows(rowsOf(page).filter({ hasText: 'run three' }), 'runs'); // it asks bob
  });

  test('a notification comes only where a click has allowed it: of what asks, and of what has ended [list.notice]', async () => {
    const belay = await serveBelay(endpoint, { config: { approve: ['shell'] } });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'It is over.' } },
      { reply: { calls: [shellCall('echo out', belay.folder.a)] } },
    ]);
    const page = await openList(browser, belay);
    // a headless browser shows none: what the page asks of it is noted
    await page.addInitScript(`
      globalThis.shown = []; globalThis.asked = 0; let permission = 'default';
      document.hasFocus = () => false;
      globalThis.Notification = class {
        static get permission() { return permission; }
        static async requestPermission() { globalThis.asked++; return (permission = 'granted'); }
        constructor(title, { body }) { globalThis.shown.push(title + ' / ' + body); }
        close() {}
      };`);
    await page.reload();
    const shown = () => page.evaluate('globalThis.shown') as Promise<string[]>;
    const first = say(belay, 'ann', 'one', 'run one');
    await listOf(page).getByRole('link', { name: '1 question asks you' }).waitFor({ timeout: patientMs });
    expect(await shown()).toEqual([]);
    expect(await page.evaluate('globalThis.asked')).toBe(0);
    await listOf(page).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Allow notifications' }).click();
    await page.getByRole('button', { name: 'Turn notifications off' }).waitFor({ timeout: patientMs });
    expect(await page.evaluate('globalThis.asked')).toBe(1);
    void say(belay, 'ann', 'two', 'run two').catch(() => {});
    await until(async () => (await shown()).some((one) => one.startsWith('Asks you: run two / Run shell with')), {
      ms: pageMs,
      what: 'the notice of the question',
    });
    await post(belay, 'ann', '/api/sessions/one/abort', {});
    await first;
    await until(async () => (await shown()).includes('run one / stopped'), {
      ms: pageMs,
      what: 'the notice of the end',
    });
    expect((await shown()).length).toBe(2);
  });

  test('says which hosts did not reply; a gateway of an earlier version names none [list.missing]', async () => {
    const belay = await serveBelay(endpoint);
    await endpoint.script([{ reply: { text: 'Done.' } }]);
    await say(belay, 'ann', 'one', 'hello there');
    const page = await openList(browser, belay);
    await untilListed(page, [/hello there/]);
    const words = listOf(page).getByText('did not reply in time');
    expect(await words.count()).toBe(0);
    const replyWith = (missing: object) =>
      page.route('**/api/sessions?**', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), ...missing } });
      });
    await replyWith({ missing: ['b', 'c'] });
    await until(async () => (await words.count()) === 1, { ms: pageMs, what: 'the words' });
    expect(await words.innerText()).toContain('2 hosts did not reply in time, and what runs there is not shown: b, c.');
    await page.unrouteAll({ behavior: 'wait' });
    await replyWith({ missing: undefined });
    await until(async () => (await words.count()) === 0, { ms: pageMs, what: 'the words to go' });
    await untilListed(page, [/hello there/]);
  });
});
