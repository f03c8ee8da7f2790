// Coming back: a reload in the middle of a reply, and a gateway that is killed and started again under the page.
import { expect, test } from 'vitest';
import { newWorkspace, openBelay, serveBelay } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { patientMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const words = Array.from({ length: 60 }, (_, at) => `word-${at}`).join(' ');
const stream = { text: words, pace: { chunksPerSecond: 20, chunkChars: 5 } };
/** The browser reports each attempt to connect to a gateway that is not there. */
const lostConnection = /WebSocket connection|ERR_CONNECTION_REFUSED|Failed to load resource/;

/** However late the page shows it, the gateway is killed before its end. */
const unending = { ...stream, end: 'hang' } as const;

describeInBrowser('a page that comes back', () => {
  const browser = useBrowser();

  test('a reload in the middle of a reply shows all of it, and goes on', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: stream }]);
    const page = await openRoom(browser, belay, 'ann');
    await sayOn(page, 'count');
    const conversation = page.getByRole('log', { name: 'Conversation' });
    await untilShows(conversation, 'word-5');
    await page.reload();
    await untilShows(conversation, 'word-59');
    const shown = (await conversation.textContent()) ?? '';
    expect(shown.match(/word-\d\d?/g)).toEqual(words.split(' '));
    expect(shown).toContain('count');
  });

  test('the gateway is killed and started again: the page says so, comes back by itself, and has lost nothing', async () => {
    const workspace = newWorkspace();
    await endpoint.script([{ when: { user: 'said without' }, reply: { text: 'Here again.' } }, { reply: unending }]);
    const first = await serveBelay(endpoint, { workspace, config: { port: 0 } });
    const { port } = new URL(first.url);
    const page = await openRoom(browser, first, 'ann', { expected: lostConnection });
    await sayOn(page, 'count');
    const conversation = page.getByRole('log', { name: 'Conversation' });
    await untilShows(conversation, 'word-45'); // by then a checkpoint has the beginning
    first.child.signal('SIGKILL');
    await first.child.ended();
    await untilShows(page.getByRole('status'), 'No connection to the gateway.');
    await sayOn(page, 'said without a connection');
    await untilShows(conversation, 'not confirmed yet');

    const second = await serveBelay(endpoint, { workspace, config: { port: Number(port) } });
    expect(new URL(second.url).port).toBe(port);
    // the notice goes away again: it is looked for before the button, which is gone if the page has come back by itself
    const isBack = untilShows(page.getByRole('status'), 'Connected again. Nothing was lost');
    const tryNow = page.getByRole('button', { name: 'Try now' });
    await Promise.race([isBack, tryNow.click({ timeout: patientMs }).catch(() => {})]);
    await isBack;
    await untilShows(conversation, 'failed'); // the turn that the crash has ended
    expect(await conversation.textContent()).toContain('word-5');
    await untilShows(conversation, 'Here again.'); // the reply to what was said without a connection
    expect(await page.getByText('not confirmed yet').count()).toBe(0);
  });
});
