// Streams of events by HTTP: comments, tokens that expire, slow readers, text that came before the stream, and ids to resume from.
import { expect, test } from 'vitest';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { until } from '../../support/until.ts';
import { ann, bob, httpOf } from './open.ts';

const say = '/api/sessions/room/say';
const events = '/api/sessions/room/events';

test('a comment comes every 15 s [http.api]', async () => {
  const sources = createVirtualSources();
  const door = await httpOf({}, { sources });
  await door.ask(say, { body: { text: 'what time is it?' } });
  const stream = await door.stream(events);
  await until(() => stream.events.length > 0);
  await sources.clock.advance(14_999);
  expect(stream.comments).toEqual([]);
  await sources.clock.advance(1);
  await until(() => stream.comments.length === 1);
  await sources.clock.advance(30_000);
  await until(() => stream.comments.length === 3);
});

test('a token that expires ends its streams by name, and counts as a lost request [http.api.access] [http.disconnect]', async () => {
  const sources = createVirtualSources();
  const expiresAt = sources.clock.now() + 60_000;
  const authenticator = {
    kind: 'tokens' as const,
    verify: async (token: string | null) => ({
      speaker: { id: token === ann ? 'ann' : 'bob', roles: [] },
      sessions: ['room*'],
      expiresAt: token === ann ? expiresAt : null,
    }),
  };
  const door = await httpOf({}, { sources, authenticator });
  const said = await door.stream(say, { body: { text: 'call watch' } });
  const joined = await door.stream(events);
  await until(() => joined.events.length > 0 && said.events.some(({ event }) => event === 'tool_started'));
  await sources.clock.advance(60_000);
  await Promise.all([said.ended, joined.ended]);
  for (const { events: got } of [said, joined])
    expect(got.findLast(({ event }) => event === 'error')?.data).toMatchObject({ code: 'token_expired' });
  const facts = await until(async () => {
    const { body } = await door.ask(`${events}?limit=1000`, { token: bob });
    return body.events.some(({ type }: { type: string }) => type === 'cancel_settled') ? body.events : null;
  });
  expect(facts.find(({ type }: { type: string }) => type === 'cancel_accepted')).toMatchObject({
    source: 'disconnect',
    by: 'ann',
  });
});

test('the text of a turn comes as deltas, also if it was streamed before the reply began [http.api]', async () => {
  const door = await httpOf();
  const body = { text: 'what time is it?', ref: 'r1' };
  await door.ask(say, { body });
  const said = await door.stream(say, { body });
  await said.ended;
  const deltas = said.events.filter(({ event }) => event === 'text_delta').map(({ data }) => data);
  expect(deltas).toMatchObject([{ offset: 0, text: 'It is noon.' }]);
});

test('joined has the id to resume from, if nothing is replayed after it [http.api]', async () => {
  const door = await httpOf();
  const { seq } = (await door.ask(say, { body: { text: 'what time is it?' } })).body;
  const stream = await door.stream(events);
  await until(() => stream.events.length > 0);
  expect(stream.events[0]).toMatchObject({ event: 'joined', id: String(seq) });
  const replay = await door.stream(`${events}?after=1`);
  await until(() => replay.events.some(({ event }) => event === 'replayed'));
  expect(replay.events[0]?.id).toBeUndefined();
  expect(replay.events[1]?.id).toBe('2');
});

test('pages of events are no streams: they count as requests [http.api.limits]', async () => {
  const door = await httpOf({}, { limits: { connectionsPerSpeaker: 1 } });
  await door.ask(say, { body: { text: 'what time is it?' } });
  await until(async () => (await door.stream(events)).status === 200);
  expect((await door.ask(events)).status).toBe(200);
});

test('a slow reader is cut when too much waits for it; other streams get everything [http.api.limits]', async () => {
  const rates = { framesPerSecond: 100_000, frameBurst: 100_000, speakerByteBurst: 1e9 };
  const limits = { socketBytes: 4_096, queueBytes: 65_536, ...rates };
  const door = await httpOf({}, { limits });
  await door.ask(say, { body: { text: 'what time is it?' } });
  const [slow, quick] = [await door.stream(events), await door.stream(events)];
  await until(() => slow.events.length > 0 && quick.events.length > 0);
  slow.pause();
  const text = 'x'.repeat(30_000);
  let turns = 0;
  for (; turns * text.length < 12_000_000; turns++) expect((await door.ask(say, { body: { text } })).status).toBe(200);
  await until(() => quick.events.filter(({ event }) => event === 'turn_ended').length === turns, { ms: 20_000 });
  slow.resume();
  await slow.ended;
  expect(slow.events.filter(({ event }) => event === 'turn_ended').length).toBeLessThan(turns);
});
