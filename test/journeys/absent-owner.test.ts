// Under the policy `owner`: a speaker whose line is lost keeps the right to decide for `absentMs`, then the only one who is there gets it.
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { expectSound, shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { watchRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const absentMs = 1_500;

/** A turn of ann's with a shell that runs on; her line is lost, and nobody else is in the room. */
async function annIsGone() {
  const token = newToken();
  const belay = await openBelay(endpoint, { policy: 'owner', limits: { absentMs, disconnectGraceMs: 0 } });
  await endpoint.script([{ reply: { calls: [shellCall(`true ${token}; sleep 600`)] } }]);
  const ann = await watchRoom(belay, { speaker: 'ann' });
  ann.raw.send({ type: 'SAY', text: 'words' });
  const { turn } = await ann.waitFor('turn_opened');
  await untilRunning(token);
  const lostAt = performance.now();
  ann.raw.socket.terminate();
  return { belay, token, turn, lostAt };
}

test('bob alone in the room is refused until she has been away for `absentMs`; then he may stop it [owner.node]', async () => {
  const { belay, token, turn, lostAt } = await annIsGone();
  const { raw } = await watchRoom(belay, { speaker: 'bob' });
  raw.send({ type: 'CANCEL', ref: 'early', target: turn });
  expect(await raw.waitFor('cancel_refused', { ref: 'early' })).toMatchObject({
    refused: [{ reason: 'not_owner' }, {}],
  });
  expect(living(token)).not.toEqual([]);
  let sentAt = 0;
  await until(
    () => {
      const isDue = performance.now() - sentAt > 100; // within the rate of the gateway
      if (isDue) raw.send({ type: 'CANCEL', target: 'session' });
      if (isDue) sentAt = performance.now();
      return raw.all('cancel_accepted').length > 0;
    },
    { ms: 10_000, what: 'the CANCEL to be accepted' },
  );
  expect(performance.now() - lostAt).toBeGreaterThanOrEqual(absentMs);
  expect(await raw.waitFor('cancel_settled')).toMatchObject({ cause: { by: 'bob' } });
  expect(living(token)).toEqual([]);
  raw.socket.terminate();
  await expectSound(belay, { witness: await watchRoom(belay), before: ['200 finished'] });
});

test('a moderator stops it at once [owner.node] [owner.guard]', async () => {
  const { belay, token, turn, lostAt } = await annIsGone();
  const { raw } = await watchRoom(belay, { speaker: 'moderator' });
  raw.send({ type: 'CANCEL', target: turn });
  await raw.waitFor('cancel_accepted');
  expect(performance.now() - lostAt).toBeLessThan(absentMs);
  await raw.waitFor('cancel_settled');
  expect(living(token)).toEqual([]);
  await expectSound(belay, { witness: await watchRoom(belay), before: ['200 finished'] });
});
