// Stops by HTTP: the six classic cases, receipts, standing and idempotency keys.
import { describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { ann, bob, eve, type HttpDoor, httpOf } from './open.ts';

/** Says it, and resolves when the turn runs as many calls. */
async function running(door: HttpDoor, text: string, calls: number, session = 'room') {
  const said = await door.stream(`/api/sessions/${session}/say`, { body: { text } });
  const turn = await until(async () => {
    const { body } = await door.ask(`/api/turns/active?session=${session}`);
    const found = body.turns[0];
    return found?.calls.length === calls && (calls > 0 || found.phase === 'generating') ? found : null;
  });
  return { said, turn };
}

const facts = async ({ ask }: HttpDoor, session = 'room') =>
  (await ask(`/api/sessions/${session}/events?limit=1000`)).body.events;

describe('an abort', () => {
  test('stops the turn, pairs the history, and replies with the receipt [http.api] [cancel.sources.http]', async () => {
    const door = await httpOf();
    const { said, turn } = await running(door, 'call watch watch', 2);
    expect(turn).toMatchObject({
      session: 'room',
      owner: 'ann',
      agent: null,
      phase: 'acting',
      callCount: 2,
      modelCalls: 1,
    });
    expect(turn.calls.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['watch', 'running'],
      ['watch', 'running'],
    ]);
    const accepted = await door.ask(`/api/turns/${turn.turn}/abort`, { body: { reason: 'enough' } });
    expect(accepted).toMatchObject({
      status: 202,
      body: { type: 'cancel_accepted', source: 'http', by: 'ann', reason: 'enough', target: turn.turn, refused: [] },
    });
    expect(accepted.body.stopping).toHaveLength(3);
    await said.ended;
    expect(said.events.at(-1)).toMatchObject({ event: 'cancel_settled', data: { cancel: accepted.body.cancel } });
    const history = await facts(door);
    const asked = history.filter(({ type }: { type: string }) => type === 'tool_call');
    const results = history.filter(({ type }: { type: string }) => type === 'tool_result');
    expect(results.map(({ node, outcome }: { node: string; outcome: string }) => [node, outcome]).sort()).toEqual(
      asked.map(({ node }: { node: string }) => [node, 'cancelled']).sort(),
    );
    expect(history.filter(({ type }: { type: string }) => type === 'turn_ended')).toMatchObject([
      { outcome: 'cancelled' },
    ]);
    expect((await door.ask('/api/turns/active')).body.turns).toEqual([]);
  });

  test('with wait=settled replies when all of it has settled [http.api]', async () => {
    const door = await httpOf();
    const { turn } = await running(door, 'call watch', 1);
    const settled = await door.ask(`/api/nodes/${turn.turn}/abort?wait=settled&force=true`, { method: 'POST' });
    expect(settled).toMatchObject({
      status: 200,
      body: { type: 'cancel_settled', session: 'room', cause: { source: 'http', by: 'ann' } },
    });
    expect(settled.body.nodes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['cancelled', 'cancelled']);
  });

  test('of the first of several calls stops that call only; every call has its result [http.api]', async () => {
    const door = await httpOf();
    const { said, turn } = await running(door, 'call watch watch', 2);
    const [first, second] = turn.calls;
    expect(await door.ask(`/api/turns/turn_other/tools/${first.node}/abort`, { method: 'POST' })).toMatchObject({
      status: 404,
      body: { code: 'unknown_target' },
    });
    const one = await door.ask(`/api/turns/${turn.turn}/tools/${first.node}/abort?wait=settled`, { method: 'POST' });
    expect(one).toMatchObject({ status: 200, body: { nodes: [{ node: first.node, outcome: 'cancelled' }] } });
    const { body } = await door.ask('/api/turns/active');
    expect(body.turns[0]).toMatchObject({ turn: turn.turn, state: 'running', calls: [{ node: second.node }] });
    await door.ask(`/api/turns/${turn.turn}/tools/${second.node}/abort`, { method: 'POST' });
    await said.ended;
    expect(said.events.at(-1)).toMatchObject({ event: 'turn_ended', data: { outcome: 'completed' } });
    const results = (await facts(door)).filter(({ type }: { type: string }) => type === 'tool_result');
    expect(results.map(({ node }: { node: string }) => node)).toEqual([first.node, second.node]);
  });

  test('of the tools of a turn stops its calls, and the turn goes on with their results [http.api] [cancel.tools]', async () => {
    const door = await httpOf();
    const { said, turn } = await running(door, 'call watch watch', 2);
    const nodes = turn.calls.map(({ node }: { node: string }) => ({ node, outcome: 'cancelled' }));
    const stop = await door.ask(`/api/turns/${turn.turn}/tools/abort?wait=settled`, { method: 'POST' });
    expect(stop).toMatchObject({ status: 200, body: { cause: { target: `tools:${turn.turn}` }, nodes } });
    await said.ended;
    expect(said.events.at(-1)).toMatchObject({ event: 'turn_ended', data: { outcome: 'completed' } });
    const mine = await door.ask('/api/sessions/room/abort', { body: { target: 'tools:mine' } });
    expect(mine).toMatchObject({ status: 404, body: { code: 'already_settled' } });
  });

  test('of what is unknown, or has ended otherwise, is 404 [http.api]', async () => {
    const door = await httpOf();
    expect(await door.ask('/api/turns/turn_unknown/abort', { method: 'POST' })).toMatchObject({
      status: 404,
      body: { code: 'unknown_target' },
    });
    const { body } = await door.ask('/api/sessions/room/say', { body: { text: 'what time is it?' } });
    expect(await door.ask(`/api/turns/${body.turn}/abort`, { method: 'POST' })).toMatchObject({
      status: 404,
      body: { code: 'already_settled' },
    });
    expect(await door.ask('/api/sessions/room/abort', { method: 'POST' })).toMatchObject({
      status: 404,
      body: { code: 'already_settled' },
    });
    expect(await door.ask('/api/sessions/nowhere/abort', { method: 'POST' })).toMatchObject({
      status: 404,
      body: { code: 'access_denied' },
    });
    expect((await door.ask('/api/sessions')).body.sessions).toMatchObject([{ session: 'room' }]);
  });

  test('twice is once: the second reply is the same receipt, also when all has settled [http.api] [cancel.idempotent]', async () => {
    const door = await httpOf();
    const { turn } = await running(door, 'hang', 0);
    const [one, two] = await Promise.all([
      door.ask(`/api/turns/${turn.turn}/abort`, { method: 'POST' }),
      door.ask(`/api/turns/${turn.turn}/abort?wait=settled`, { method: 'POST' }),
    ]);
    expect(two.body.cancel).toBe(one.body.cancel);
    const later = await door.ask(`/api/turns/${turn.turn}/abort`, { method: 'POST' });
    expect(later).toMatchObject({
      status: 200,
      body: { type: 'cancel_settled', cancel: one.body.cancel, repeated: true },
    });
    const accepted = (await facts(door)).filter(({ type }: { type: string }) => type === 'cancel_accepted');
    expect(accepted).toHaveLength(1);
  });

  test('under an Idempotency-Key reaches no later turn, and another one under it is refused [http.api]', async () => {
    const door = await httpOf();
    const { turn } = await running(door, 'hang', 0);
    const headers = { 'idempotency-key': 'stop-1' };
    const first = await door.ask('/api/sessions/room/abort?wait=settled', { method: 'POST', headers });
    expect(first.status).toBe(200);
    const next = await running(door, 'hang', 0);
    expect(next.turn.turn).not.toBe(turn.turn);
    const again = await door.ask('/api/sessions/room/abort', { method: 'POST', headers });
    expect(again).toMatchObject({
      status: 202,
      body: { cancel: first.body.cancel, repeated: true, running: [next.turn.turn] },
    });
    expect(await door.ask(`/api/turns/${next.turn.turn}/abort`, { method: 'POST', headers })).toMatchObject({
      status: 409,
      body: { code: 'ref_reused' },
    });
  });

  test('without standing is 403 with the reason; who may not enter the session learns nothing [http.api] [owner.guard]', async () => {
    const door = await httpOf({}, { own: { session: () => ({ policy: 'owner' }) } });
    const { turn } = await running(door, 'hang', 0);
    await door.stream('/api/sessions/room/events', { token: bob });
    expect(await door.ask(`/api/turns/${turn.turn}/abort`, { method: 'POST', token: bob })).toMatchObject({
      status: 403,
      body: { code: 'not_owner', refused: [{ node: turn.turn, reason: 'not_owner' }] },
    });
    for (const path of [`/api/turns/${turn.turn}/abort`, `/api/turns/${turn.turn}/abort?session=room`]) {
      const reply = await door.ask(path, { method: 'POST', token: eve });
      expect(reply.status).toBe(404);
    }
    expect((await door.ask('/api/turns/active', { token: eve })).body.turns).toEqual([]);
    expect((await door.ask('/api/turns/active', { token: ann })).body.turns).toMatchObject([{ state: 'running' }]);
  });
});
