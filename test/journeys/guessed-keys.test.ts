// A process that guesses keys and tokens at a gateway, and the one on call who stops everything meanwhile.
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { newWorkspace, room, serveBelay, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';
import { sendWrongRequests } from '../support/wrong-requests.ts';

const endpoint = useEndpoint();

const wrong = [
  { path: '/api/sessions?key=a-wrong-key' },
  { path: '/api/sessions', headers: { authorization: 'Bearer a-wrong-token-of-nobody' } },
];

test.each([
  ['the key', { tokens: {} }, []],
  ['a token', {}, ['--token', tokenOf('moderator')]],
])(
  'with %s, `belay stop --all` stops what runs under a hundred wrong requests a second [http.api.limits.guesses]',
  async (_, config, args) => {
    const mark = newToken();
    const workspace = newWorkspace();
    await endpoint.script([
      { when: { user: 'work' }, reply: { calls: [shellCall(`sleep ${mark}`, workspace.folder.a)] } },
    ]);
    const belay = await serveBelay(endpoint, { workspace, config });
    const { session } = await joinRoom(belay, 'ann');
    session.say('work');
    await untilRunning(mark);
    const { statuses } = sendWrongRequests(belay.url, wrong);
    await until(() => (statuses.get(429) ?? 0) > 0, { what: 'the rate of wrong requests to be used up' });
    const stop = startChild('src/programs/belay.ts', { args: ['stop', '--all', '--url', belay.url, ...args] });
    expect(await stop.ended(20_000), stop.stderr()).toBe(0);
    expect(stop.stdout()).toMatch(/stopped in 1 session/);
    expect(living(mark)).toEqual([]);
    expect([...statuses.keys()].sort(), `of ${room}`).toEqual([401, 429]);
  },
);
