// Words by HTTP: the answer, the stream, repeats, lost requests, bridges, and words that stop.
import { describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { bridge, eve, type HttpDoor, httpOf } from './open.ts';

const say = '/api/sessions/room/say';
const turnsOf = async ({ ask }: HttpDoor) => (await ask('/api/turns/active')).body.turns;
const factsOf = async ({ ask }: HttpDoor, type: string) =>
  (await ask('/api/sessions/room/events?limit=1000')).body.events.filter(
    (fact: { type: string }) => fact.type === type,
  );
const textOf = (events: readonly { event: string; data: { text: string } }[]) =>
  events.flatMap(({ event, data }) => (event === 'text_delta' ? data.text : [])).join('');

describe('say', () => {
  test('replies with the turn at its end [http.api]', async () => {
    const { ask } = await httpOf();
    const reply = await ask(say, { body: { text: 'what time is it?', ref: 'r1' } });
    expect(reply).toMatchObject({
      status: 200,
      body: { session: 'room', outcome: 'completed', text: 'It is noon.', calls: [], receipt: null, finish: 'stop' },
    });
    expect((await ask('/api/sessions')).body.sessions).toMatchObject([{ session: 'room', state: 'awake' }]);
  });

  test('streams its turn alone, with sequence numbers as event ids [http.api]', async () => {
    const door = await httpOf({}, { own: { session: () => ({ whileRunning: 'parallel' }) } });
    const hanging = await door.stream(say, { body: { text: 'hang' } });
    await until(() => hanging.events.some(({ event }) => event === 'text_delta'));
    const said = await door.stream(say, { body: { text: 'what time is it?' } });
    await said.ended;
    expect(textOf(said.events)).toBe('It is noon.');
    expect(said.events[0]).toMatchObject({ event: 'turn_opened', data: { text: 'what time is it?' } });
    expect(said.events.at(-1)).toMatchObject({ event: 'turn_ended', data: { outcome: 'completed' } });
    expect(new Set(said.events.flatMap(({ data }) => data.turn ?? [])).size).toBe(1);
    const ids = said.events.flatMap(({ id }) => (id === undefined ? [] : Number(id)));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(ids.length).toBeGreaterThan(3);
  });

  test('under the ref of an earlier one opens no turn, and gives its answer [http.api]', async () => {
    const { ask } = await httpOf();
    const first = await ask(say, { body: { text: 'what time is it?', ref: 'r1' } });
    const again = await ask(say, { body: { text: 'what time is it?' }, headers: { 'idempotency-key': 'r1' } });
    expect(again.body).toEqual(first.body);
    expect(await ask(say, { body: { text: 'other words', ref: 'r1' } })).toMatchObject({
      status: 409,
      body: { code: 'ref_reused' },
    });
  });

  test('refuses what is not good by name [http.api.errors]', async () => {
    const { ask } = await httpOf();
    const bad = async (body: unknown, headers = {}) => (await ask(say, { method: 'POST', body, headers })).body;
    expect(await bad({})).toMatchObject({ status: 400, code: 'missing_field', field: 'text' });
    expect(await bad({ text: ' ' })).toMatchObject({ status: 400, code: 'bad_field', field: 'text' });
    expect(await bad({ text: 'x', owner: 'bob' })).toMatchObject({
      status: 400,
      code: 'unknown_field',
      field: 'owner',
    });
    expect(await bad({ text: 'x', as: 'bob' })).toMatchObject({ status: 403, code: 'as_not_allowed', field: 'as' });
    expect(await bad('{"text"', { 'content-type': 'application/json' })).toMatchObject({
      status: 400,
      code: 'not_json',
    });
    expect(await bad('text=x', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await bad({ text: 'x'.repeat(70_000) })).toMatchObject({ status: 413, code: 'body_too_large' });
    expect(await bad({ text: 'x'.repeat(40_000) })).toMatchObject({ status: 413, code: 'text_too_long' });
  });

  test('of a bridge speaks for a member of its room [http.api]', async () => {
    const { ask } = await httpOf();
    await ask(say, { body: { text: 'hello', as: 'carol' }, token: bridge });
    const { body } = await ask('/api/sessions/room/events', { token: bridge });
    expect(body.events.find(({ type }: { type: string }) => type === 'turn_opened')).toMatchObject({
      owner: 'carol',
      via: 'bridge',
    });
    expect((await ask(say, { body: { text: 'hello' }, token: eve })).status).toBe(404);
  });

  test('of a stop phrase stops what runs, and replies with what it has stopped [http.api]', async () => {
    const door = await httpOf();
    const hanging = await door.stream(say, { body: { text: 'hang' } });
    await until(() => hanging.events.some(({ event }) => event === 'text_delta'));
    const reply = await door.ask(say, { body: { text: 'stop' } });
    expect(reply).toMatchObject({
      status: 200,
      body: { type: 'stop_phrase', receipt: { cause: { source: 'phrase' } } },
    });
    await hanging.ended;
  });
});

describe('a lost request', () => {
  for (const kind of ['stream', 'answer'] as const) {
    test(`(${kind}) cancels its turn, with the cause disconnect [http.disconnect] [cancel.sources]`, async () => {
      const door = await httpOf();
      const controller = new AbortController();
      if (kind === 'stream') {
        const said = await door.stream(say, { body: { text: 'call watch' } });
        await until(async () => (await turnsOf(door))[0]?.calls.length === 1);
        said.drop();
      } else {
        const headers = { authorization: 'Bearer a-token-of-ann-0001', 'content-type': 'application/json' };
        const body = JSON.stringify({ text: 'call watch' });
        void fetch(`${door.base}${say}`, { method: 'POST', headers, body, signal: controller.signal }).catch(() => {});
        await until(async () => (await turnsOf(door))[0]?.calls.length === 1);
        controller.abort();
      }
      await until(async () => (await factsOf(door, 'cancel_settled')).length === 1);
      expect(await factsOf(door, 'cancel_settled')).toMatchObject([{ cause: { source: 'disconnect', by: 'ann' } }]);
      expect(await factsOf(door, 'tool_result')).toMatchObject([{ outcome: 'cancelled' }]);
      expect(await factsOf(door, 'turn_ended')).toMatchObject([{ outcome: 'cancelled' }]);
      expect(await turnsOf(door)).toEqual([]);
    });
  }

  test('lets its turn run on, if it has said so [http.disconnect]', async () => {
    const door = await httpOf();
    const said = await door.stream(say, { body: { text: 'call watch', onDisconnect: 'continue' } });
    await until(async () => (await turnsOf(door))[0]?.calls.length === 1);
    said.drop();
    await until(() => said.hasEnded());
    const [turn] = await turnsOf(door);
    expect(turn).toMatchObject({ state: 'running' });
    expect(await factsOf(door, 'cancel_accepted')).toEqual([]);
    await door.ask(`/api/turns/${turn.turn}/abort`, { method: 'POST' });
  });

  test('with graceMs can be taken up again by the same request, from its Last-Event-ID [http.disconnect]', async () => {
    const door = await httpOf();
    const body = { text: 'hang', ref: 'r1', graceMs: 60_000 };
    const said = await door.stream(say, { body });
    await until(() => textOf(said.events) === 'I am thinking');
    const last = said.events.findLast(({ id }) => id !== undefined)?.id ?? '';
    said.drop();
    await until(() => said.hasEnded());
    const again = await door.stream(say, { body, headers: { 'last-event-id': last } });
    await until(() => textOf(again.events) === 'I am thinking');
    expect(again.events.map(({ event }) => event)).toEqual(['text_delta']);
    const [turn] = await turnsOf(door);
    await door.ask(`/api/turns/${turn.turn}/abort`, { method: 'POST' });
    await again.ended;
    expect(again.events.map(({ event }) => event)).toEqual([
      'text_delta',
      'cancel_accepted',
      'model_ended',
      'turn_ended',
      'cancel_settled',
    ]);
    expect(await factsOf(door, 'cancel_accepted')).toMatchObject([{ source: 'http' }]);
  });

  test('with graceMs cancels its turn when the grace is over [http.disconnect]', async () => {
    const door = await httpOf();
    const said = await door.stream(say, { body: { text: 'hang', graceMs: 50 } });
    await until(() => textOf(said.events) === 'I am thinking');
    said.drop();
    await until(async () => (await factsOf(door, 'cancel_settled')).length === 1);
    expect(await factsOf(door, 'cancel_accepted')).toMatchObject([{ source: 'disconnect' }]);
  });

  test('cancels nothing while another request follows the turn [http.disconnect]', async () => {
    const door = await httpOf();
    const body = { text: 'hang', ref: 'r1' };
    const one = await door.stream(say, { body });
    await until(() => textOf(one.events) === 'I am thinking');
    const two = await door.stream(say, { body });
    await until(() => textOf(two.events) === 'I am thinking');
    one.drop();
    await until(() => one.hasEnded());
    expect(await turnsOf(door)).toMatchObject([{ state: 'running' }]);
    two.drop();
    await until(async () => (await factsOf(door, 'cancel_settled')).length === 1);
  });
});
