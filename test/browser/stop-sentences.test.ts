// A room of three, each with a token: what the page says under each turn, and to each person, about a stop that reached only some of the turns, or none.
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { openBelay, room, tokenOf } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { enter, startAtTerminal } from '../support/terminal.ts';
import { sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const waits = (token: string) => `true ${token}; until test -e go; do sleep 0.02; done`;

describeInBrowser('the sentence on a stop', () => {
  const browser = useBrowser();

  /** Ann's turn with a shell, and a tab for each of three speakers, under the policy `owner`. */
  async function startRoom() {
    const [hers, his] = [newToken(), newToken()];
    const belay = await openBelay(endpoint, { policy: 'owner' });
    await endpoint.script([
      { when: { user: 'his work', round: 0 }, reply: { calls: [shellCall(waits(his), belay.folder.b)] } },
      { when: { user: 'her work', round: 0 }, reply: { calls: [shellCall(waits(hers), belay.folder.a)] } },
      { when: { user: 'stop' }, reply: { text: 'I cannot stop that.', end: 'hang' } },
      { when: { user: 'a secret' }, reply: { status: 401 } },
      { reply: { text: 'Well.' } },
    ]);
    const ann = await openRoom(browser, belay, 'ann');
    const bob = await openRoom(browser, belay, 'bob');
    const eve = await openRoom(browser, belay, 'witness');
    await sayOn(ann, 'her work');
    await untilRunning(hers);
    return { belay, ann, bob, eve, hers, his };
  }

  test("[page.true-sentence] bob's stop stops his own turn: under ann's running turn nobody reads that it was stopped", async () => {
    const { ann, bob, eve, hers, his } = await startRoom();
    await sayOn(bob, 'his work');
    await untilRunning(his);
    await sayOn(bob, 'stop');
    const herTurn = { name: "ann's turn" };
    await untilShows(bob.getByRole('article', { name: 'Your turn' }), /You stopped this \(stop\): all 2 stopped in/);
    await untilShows(ann.getByRole('article', { name: "bob's turn" }), /bob \(by words\) stopped this \(stop\): all 2/);
    await untilShows(
      bob.getByRole('article', herTurn),
      'You wanted to stop this (stop). It runs on: it belongs to ann.',
    );
    await untilShows(
      ann.getByRole('article', { name: 'Your turn' }),
      'bob (by words) wanted to stop this (stop). It runs on: it belongs to you.',
    );
    await untilShows(
      eve.getByRole('article', herTurn),
      'bob (by words) wanted to stop this (stop). It runs on: it belongs to ann.',
    );
    for (const [page, name] of [
      [ann, 'Your turn'],
      [bob, "ann's turn"],
      [eve, "ann's turn"],
    ] as const)
      expect(await page.getByRole('article', { name }).textContent()).not.toContain('stopped this');
    expect([living(hers).length > 0, living(his).length]).toEqual([true, 0]);
  });

  test("[page.true-sentence] bob, whose stop stops nothing because all of it is ann's, reads so at once, on the page and in a terminal", async () => {
    const { belay, ann, bob, eve, hers } = await startRoom();
    const chat = startAtTerminal('src/programs/chat.ts', [belay.url, '--session', room, '--token', tokenOf('bob')]);
    await chat.shows(`Joined ${room} as bob.`);
    await sayOn(bob, 'stop');
    const his = bob.getByRole('article', { name: 'Your turn' });
    await untilShows(his.getByRole('alert'), "Nothing was stopped: ann's turn runs on (it belongs to ann).");
    await untilShows(ann.getByRole('article', { name: 'Your turn' }), 'It runs on: it belongs to you.');
    await untilShows(eve.getByRole('article', { name: "ann's turn" }), 'It runs on: it belongs to ann.');
    await chat.shows('Nothing was stopped.');
    await chat.shows(/ann's turn +runs on: it belongs to ann/);
    await untilShows(his, 'I cannot stop that.'); // the model reads his words all the same
    expect(living(hers)).not.toEqual([]);
    await sayOn(bob, 'and another thing');
    chat.press(`stop${enter}`); // his own turn runs now
    await untilShows(his.first(), 'You stopped this (stop)');
    await untilShows(his.first(), 'The text ends here: it was stopped.');
  });

  test('[page.true-sentence] a model call that fails leaves no sentence on a stop', async () => {
    const { bob } = await startRoom();
    await sayOn(bob, 'a secret');
    const his = bob.getByRole('article', { name: 'Your turn' });
    await untilShows(his, /401/);
    expect(await his.textContent()).not.toMatch(/stopped/);
  });
});
