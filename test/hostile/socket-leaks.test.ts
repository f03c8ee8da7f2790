// Cancels over WebSocket of answers that stream over HTTP leave no socket, request, timer or connection behind.
import { expect, test } from 'vitest';
import { openBelay } from '../support/belay.ts';
import { requestEnds, untilAllEnded, useEndpoint } from '../support/journey.ts';
import { activeResources, resourcesBeyond } from '../support/leaks.ts';
import { joinRoom } from '../support/room-clients.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const cancels = Math.min(Number(process.env['CANCELS'] ?? 60), 500); // the endpoint keeps its last 1 000 requests
const endpoint = useEndpoint();

test(`${cancels} cancels over sockets leave nothing behind [cancel.clean]`, { timeout: scaled(150_000) }, async () => {
  await endpoint.script([{ reply: { text: 'I was about to', end: 'hang' } }]);
  const belay = await openBelay(endpoint, { limits: { contextTurns: 2 } });
  const round = async () => {
    const client = await joinRoom(belay, 'ann');
    const turn = client.session.say('go');
    await turn.opened;
    await until(async () => (await endpoint.requests()).at(-1)?.hanging, { what: 'the request to hang' });
    expect(await turn.cancel().settled).toMatchObject({ nodes: [{ outcome: 'cancelled' }] });
    await client.client.close();
  };
  for (let i = 0; i < Math.ceil(cancels / 10); i++) await round(); // warm
  await untilAllEnded({ endpoint });
  const before = activeResources();
  for (let i = 0; i < cancels; i++) await round();
  await untilAllEnded({ endpoint });
  expect(new Set(requestEnds(await endpoint.requests()))).toEqual(new Set(['200 closed_by_client']));
  await until(() => resourcesBeyond(before).length === 0, {
    what: `nothing more to be open than ${before}, not ${activeResources()}`,
  });
  expect(belay.warnings).toEqual([]);
});
