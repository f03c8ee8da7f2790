// Steering and resuming turns by HTTP, the stop of an emergency, and a session that cannot be deleted while something runs in it.
import { expect, test } from 'vitest';
import { createTokenAuthenticator } from '../../../src/gateway/auth/token-file.ts';
import { until } from '../../support/until.ts';
import { eve, type HttpDoor, httpOf, tokens } from './open.ts';

const room = '/api/sessions/room';

/** Says it, and resolves with the turn when it runs. */
async function running(door: HttpDoor, text: string): Promise<string> {
  await door.stream(`${room}/say`, { body: { text, onDisconnect: 'continue' } });
  return until(async () => (await door.ask('/api/turns/active')).body.turns[0]?.turn);
}

test('steer gives its words to the turn that runs, or says them if none does [http.api]', async () => {
  const door = await httpOf();
  const turn = await running(door, 'call watch');
  const steered = await door.ask(`${room}/steer`, { body: { text: 'use the other one', target: turn } });
  expect(steered).toMatchObject({ status: 202, body: { type: 'input_deferred', session: 'room', turn } });
  await door.ask(`/api/turns/${turn}/abort?wait=settled`, { method: 'POST' });
  await until(async () => (await door.ask('/api/turns/active')).body.turns.length === 0);
  expect(await door.ask(`${room}/steer`, { body: { text: 'what time is it?' } })).toMatchObject({
    status: 200,
    body: { outcome: 'completed', text: 'It is noon.' },
  });
});

test('resume takes a stopped turn up again [http.api]', async () => {
  const door = await httpOf();
  const turn = await running(door, 'call watch');
  await door.ask(`/api/turns/${turn}/abort?wait=settled`, { method: 'POST' });
  const resumed = await door.ask(`/api/turns/${turn}/resume`, { body: { session: 'room', ref: 'r2' } });
  expect(resumed).toMatchObject({ status: 200, body: { session: 'room', outcome: 'completed' } });
  expect(resumed.body.turn).not.toBe(turn);
});

test('an emergency stops what it may not read [http.api]', async () => {
  const authenticator = createTokenAuthenticator({
    ...tokens,
    [eve]: { speaker: 'eve', roles: ['emergency' as const] },
  });
  const door = await httpOf({}, { authenticator });
  const turn = await running(door, 'hang');
  expect(await door.ask(`/api/turns/${turn}/abort`, { method: 'POST', token: eve })).toMatchObject({
    status: 202,
    body: { by: 'eve', stopping: [turn] },
  });
  expect((await door.ask(`${room}/events`, { token: eve })).status).toBe(404);
});

test('a session in which something runs is not deleted [http.api]', async () => {
  const door = await httpOf();
  const turn = await running(door, 'call watch');
  expect(await door.ask(room, { method: 'DELETE' })).toMatchObject({ status: 409, body: { code: 'session_in_use' } });
  await door.ask(`/api/turns/${turn}/abort?wait=settled`, { method: 'POST' });
});
