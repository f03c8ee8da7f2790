// Acknowledgements over the wire: the scripted endpoint writes them from the request that it receives, and may hang.
import { expect, test } from 'vitest';
import { newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import type { LoggedRequest } from '../support/endpoint.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const stopped = 'has just stopped work of yours';

/** ann's turn runs a command, and bob stops it by words. `reply`: to the request for the acknowledgement. */
async function stopByWords(reply: object, limits = {}) {
  const token = newToken();
  const belay = await openBelay(endpoint, { acknowledge: 'on', limits });
  await endpoint.script([
    { when: { user: stopped }, reply },
    { when: { user: 'and now' }, reply: { text: 'Now I wait.' } },
    { reply: { text: 'I build. ', calls: [shellCall(`true ${token}; sleep 60`, belay.folder.a)] } },
  ]);
  const [ann, bob] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob')];
  const turn = ann.session.say('build the docs');
  await untilRunning(token);
  await bob.session.say('ok nvm').opened.catch(() => {}); // it was taken as a cancel
  const settled = await ann.waitFor('cancel_settled');
  return { ann, bob, turn, settled };
}

const contentOf = ({ messages }: LoggedRequest): string => JSON.stringify(messages);

test('the words come from the request, which holds the stop, and stream to every member [recover.model]', async () => {
  const { ann, bob, settled } = await stopByWords({ text: 'Sure, I have stopped building.' });
  const opened = await bob.waitFor('acknowledged');
  expect(opened).toMatchObject({ cancel: settled.cancel, to: 'bob' });
  const isEnd = () => ann.of('turn_ended').find(({ turn }) => turn === opened.turn);
  expect(await until(isEnd, { what: 'the end of the acknowledgement' })).toMatchObject({ outcome: 'completed' });
  const said = ann.of('text_delta').filter(({ turn }) => turn === opened.turn);
  expect(said.map(({ text }) => text).join('')).toBe('Sure, I have stopped building.');
  const asked = (await endpoint.requests()).filter((request) => contentOf(request).includes(stopped)).at(-1);
  expect(asked?.tools).toEqual([]);
  expect(asked?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  const text = asked ? contentOf(asked).replaceAll('\\"', '"') : '';
  for (const part of [
    'bob has just stopped',
    'by saying \\"ok nvm\\"',
    'ann had said \\"build the docs\\"',
    'May have had effects: shell',
  ])
    expect(text).toContain(part.replaceAll('\\"', '"'));
});

test('an endpoint that never answers holds nobody up: the receipt is there, a reaction comes, and new words are answered [recover.model] [recover.ready]', async () => {
  const { ann, bob, settled } = await stopByWords({ silent: true }, { acknowledgeMs: 300 });
  const reaction = await bob.waitFor('reaction');
  expect(reaction).toMatchObject({ cancel: settled.cancel, to: 'bob', emoji: '👍' });
  expect(await ann.session.say('and now?').reply()).toBe('Now I wait.');
  const asked = async () =>
    (await endpoint.requests()).filter((request) => contentOf(request).includes(stopped)).at(-1);
  await until(async () => (await asked())?.ended?.how === 'closed_by_client', { what: 'the request to be closed' });
});
