// The events, questions, blobs, export and deletion of sessions by HTTP.
import { describe, expect, test } from 'vitest';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createLocalAuthenticator } from '../../../src/gateway/auth/local.ts';
import { createTokenAuthenticator } from '../../../src/gateway/auth/token-file.ts';
import { until } from '../../support/until.ts';
import { ann, bob, eve, type HttpDoor, httpOf, tokens } from './open.ts';

const say = '/api/sessions/room/say';

describe('events', () => {
  test('come page by page, in order, each once [http.api]', async () => {
    const { ask } = await httpOf();
    await ask(say, { body: { text: 'what time is it?' } });
    const whole = (await ask('/api/sessions/room/events')).body;
    expect(whole.next).toBeNull();
    const paged: unknown[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await ask(`/api/sessions/room/events?after=${after}&limit=2`);
      paged.push(...body.events);
      after = body.next;
    }
    expect(paged).toEqual(whole.events);
    expect(whole.events[0]).toMatchObject({ type: 'session_opened', session: 'room', seq: 1 });
  });

  test('come from the end of the session, backwards, page by page, each once [http.api]', async () => {
    const { ask } = await httpOf();
    await ask(say, { body: { text: 'what time is it?' } });
    const whole = (await ask('/api/sessions/room/events')).body.events;
    const last = whole.at(-1).seq;
    const paged: unknown[] = [];
    for (let before: number | null = last + 1_000; before !== null; ) {
      const { body } = await ask(`/api/sessions/room/events?before=${before}&limit=2`);
      paged.unshift(...body.events);
      before = body.next;
    }
    expect(paged).toEqual(whole);
    const between = (await ask(`/api/sessions/room/events?after=1&before=${last}&limit=1000`)).body;
    expect(between.events).toEqual(whole.slice(1, -1));
    expect(between.next).toBeNull();
    for (const before of [0, 1])
      expect((await ask(`/api/sessions/room/events?before=${before}`)).body).toEqual({ events: [], next: null });
  });

  test('are streamed from the Last-Event-ID on, live after that [http.api]', async () => {
    const door = await httpOf();
    await door.ask(say, { body: { text: 'what time is it?' } });
    const { events: before } = (await door.ask('/api/sessions/room/events')).body;
    const from = before[2].seq;
    const stream = await door.stream('/api/sessions/room/events', { headers: { 'last-event-id': String(from) } });
    await until(() => stream.events.some(({ event }) => event === 'replayed'));
    expect(stream.events[0]).toMatchObject({ event: 'joined', data: { session: 'room' } });
    await door.ask(say, { body: { text: 'what time is it?' } });
    await until(() => stream.events.filter(({ event }) => event === 'turn_ended').length === 2);
    const seqs = stream.events.flatMap(({ id }) => (id === undefined ? [] : Number(id)));
    expect(seqs[0]).toBeGreaterThan(from);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(stream.events.some(({ event }) => event === 'text_delta')).toBe(true);
  });

  test('are for those who may read the session; one that does not exist is not opened [http.api.access]', async () => {
    const { ask, stream } = await httpOf();
    await ask(say, { body: { text: 'what time is it?' } });
    for (const path of ['/api/sessions/room/events', '/api/sessions/nowhere/events']) {
      expect(await ask(path, { token: eve })).toMatchObject({ status: 404, body: { code: 'access_denied' } });
      expect((await stream(path, { token: eve })).status).toBe(404);
    }
    expect((await ask('/api/sessions', { token: eve })).body.sessions).toEqual([]);
    expect((await ask('/api/sessions', { token: bob })).body.sessions).toMatchObject([{ session: 'room' }]);
    expect((await ask('/api/sessions/nowhere/events')).status).toBe(404);
  });

  test('end with the runtime, after the last frames [http.api]', async () => {
    const door = await httpOf();
    await door.ask(say, { body: { text: 'what time is it?' } });
    const stream = await door.stream('/api/sessions/room/events');
    await until(() => stream.events.length > 0);
    await door.runtime.close();
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ event: 'left', data: { reason: 'shutdown' } });
  });

  test('streams count as connections of their speaker [http.api.limits]', async () => {
    const door = await httpOf({}, { limits: { connectionsPerSpeaker: 2 } });
    await door.ask(say, { body: { text: 'what time is it?' } });
    const one = await door.stream('/api/sessions/room/events');
    await door.stream('/api/sessions/room/events');
    expect((await door.stream('/api/sessions/room/events')).status).toBe(429);
    expect((await door.stream('/api/sessions/room/events', { token: bob })).status).toBe(200);
    expect((await door.ask('/api/sessions')).status).toBe(200);
    one.drop();
    await until(async () => (await door.stream('/api/sessions/room/events')).status === 200);
  });
});

describe('questions', () => {
  test('are listed, and answered by whom they are for [http.api]', async () => {
    const door = await httpOf();
    const said = await door.stream(say, { body: { text: 'call deploy' } });
    const [question] = await until(async () => {
      const { questions } = (await door.ask('/api/questions')).body;
      return questions.length > 0 ? questions : null;
    });
    expect(question).toMatchObject({ type: 'approval_requested', session: 'room', to: 'ann', text: 'Deploy it?' });
    expect(question).toMatchObject({ name: 'deploy', arguments: '{}' });
    expect(await door.ask(`/api/nodes/${question.node}/approve`, { method: 'POST', token: bob })).toMatchObject({
      status: 403,
      body: { code: 'not_addressed' },
    });
    expect((await door.ask(`/api/nodes/${question.node}/approve`, { method: 'POST', token: eve })).status).toBe(404);
    expect(
      await door.ask(`/api/nodes/${question.node}/approve`, { body: { question: question.question } }),
    ).toMatchObject({
      status: 200,
      body: { session: 'room', node: question.node, answer: 'approved' },
    });
    await said.ended;
    expect(said.events.at(-1)).toMatchObject({ event: 'turn_ended', data: { outcome: 'completed' } });
    expect(await door.ask(`/api/nodes/${question.node}/deny`, { method: 'POST' })).toMatchObject({
      status: 409,
      body: { code: 'expired' },
    });
  });
});

describe('what runs and what is asked in one session', () => {
  test.each(['/api/turns/active', '/api/questions'])(
    '%s: a session that one may not read is refused like one that does not exist [http.api.access]',
    async (path) => {
      const door = await httpOf();
      await door.stream(say, { body: { text: 'call deploy' } });
      const list = async (session: string, token: string) => {
        const { status, body } = await door.ask(`${path}?session=${session}`, { token });
        return { status, body };
      };
      const refused = await list('room', eve);
      expect(refused).toMatchObject({ status: 404, body: { code: 'access_denied' } });
      expect(await list('nowhere', eve)).toEqual(refused);
      expect(await list('nowhere', ann)).toEqual(refused);
      expect((await list('room', ann)).status).toBe(200);
      expect((await list('room', bob)).status).toBe(200);
      expect((await door.ask(path, { token: eve })).status, 'of all sessions').toBe(200);
    },
  );
});

describe('blobs', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

  test('of images are shown, all else is a file to be saved; neither is guessed at [http.api]', async () => {
    const { ask } = await httpOf();
    const stored = await ask('/api/sessions/room/blobs', { body: png, headers: { 'content-type': 'image/png' } });
    expect(stored).toMatchObject({ status: 201, body: { bytes: png.length } });
    const read = await ask(`/api/sessions/room/blobs/${stored.body.blob}`);
    expect(read.bytes).toEqual(png);
    expect(read.headers.get('content-type')).toBe('image/png');
    expect(read.headers.get('content-disposition')).toBe('inline');
    expect(read.headers.get('x-content-type-options')).toBe('nosniff');
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const { body } = await ask('/api/sessions/room/blobs', { body: svg, headers: { 'content-type': 'image/svg+xml' } });
    const file = await ask(`/api/sessions/room/blobs/${body.blob}`);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-disposition')).toContain('attachment');
    const parts = [{ type: 'image', blob: stored.body.blob, mediaType: 'image/png', bytes: png.length }];
    expect((await ask(say, { body: { text: 'look', parts } })).status).toBe(200);
  });

  test('are bounded, and for those who may speak and read [http.api]', async () => {
    const { ask } = await httpOf({}, { own: { limits: { blobBytes: 100 } } });
    const { body } = await ask('/api/sessions/room/blobs', { body: png });
    expect(await ask('/api/sessions/room/blobs', { body: Buffer.alloc(200, 1) })).toMatchObject({
      status: 413,
      body: { code: 'blob_too_large' },
    });
    expect(await ask('/api/sessions/room/blobs', { body: Buffer.alloc(9_000_000) })).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    });
    expect((await ask('/api/sessions/room/blobs', { body: png, token: eve })).status).toBe(404);
    expect((await ask(`/api/sessions/room/blobs/${body.blob}`, { token: eve })).status).toBe(404);
    expect((await ask(`/api/sessions/other/blobs/${body.blob}`)).status).toBe(404);
    expect((await ask(`/api/sessions/room/blobs/${'0'.repeat(64)}`)).status).toBe(404);
  });
});

describe('an export', () => {
  const key = 'the-key-of-this-start';
  const moderator = 'a-token-of-a-moderator-01';
  const stopTurn = async (door: HttpDoor, token = ann) => {
    const said = door.ask(say, { token, body: { text: 'hang' } });
    const [running] = await until(async () => {
      const { turns } = (await door.ask('/api/turns/active', { token })).body;
      return turns.length > 0 ? turns : null;
    });
    await door.ask(`/api/turns/${running.turn}/abort?wait=settled`, { token, body: {} });
    await said;
  };
  const linesOf = async (door: HttpDoor, token: string | null) =>
    (await door.ask('/api/sessions/room/export', { token })).bytes
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const storedTypes = async ({ runtime }: HttpDoor) => {
    const facts: { readonly seq: number; readonly type: string }[] = [];
    for await (const { seq, fact } of runtime.sessions.export('room')) facts.push({ seq, type: fact.type });
    return facts;
  };

  test('says at its end which facts it leaves out, and how many [http.api]', async () => {
    const door = await httpOf();
    await stopTurn(door);
    const lines = await linesOf(door, ann);
    const stored = await storedTypes(door);
    const last = lines.at(-1);
    expect(last).toMatchObject({ type: 'left_out', facts: { cancel_decided: 1 } });
    const exported = new Set(lines.map(({ seq }) => seq));
    const missing = stored.filter(({ seq }) => !exported.has(seq)).map(({ type }) => type);
    const counts = Object.fromEntries(missing.map((type) => [type, missing.filter((one) => one === type).length]));
    expect(last.facts).toEqual(counts);
  });

  test('is whole for a moderator, and leaves nothing out to say [http.api] [http.api.access]', async () => {
    const mod = { speaker: 'mod', roles: ['moderator' as const], sessions: ['room*'] };
    const authenticator = createTokenAuthenticator({ ...tokens, [moderator]: mod });
    const door = await httpOf({}, { authenticator });
    await stopTurn(door);
    const lines = await linesOf(door, moderator);
    expect(lines.map(({ seq, type }) => ({ seq, type }))).toEqual(await storedTypes(door));
    expect(lines.map(({ type }) => type)).toContain('cancel_decided');
  });

  test('is whole for who has the key of a gateway without tokens [http.api] [http.api.access]', async () => {
    const door = await httpOf({}, { authenticator: createLocalAuthenticator(undefined, key) });
    await stopTurn(door, key);
    const lines = await linesOf(door, key);
    expect(lines.map(({ seq, type }) => ({ seq, type }))).toEqual(await storedTypes(door));
    expect(lines.map(({ type }) => type)).toContain('cancel_decided');
  });

  test('leaves the state of a model to everybody out, and says so [http.api]', async () => {
    const provider = createScriptedProvider({
      clock: systemSources.clock,
      respond: () => ({ steps: [{ text: 'noon' }], state: [{ signature: 'of the provider' }] }),
    });
    const door = await httpOf({}, { authenticator: createLocalAuthenticator(undefined, key), own: { provider } });
    await door.ask(say, { token: key, body: { text: 'what time is it?' } });
    expect((await storedTypes(door)).map(({ type }) => type)).toContain('model_state');
    const lines = await linesOf(door, key);
    expect(lines.at(-1)).toEqual({ type: 'left_out', facts: { model_state: 1 } });
  });
});

describe('a session', () => {
  test('is exported whole, and deleted by its owner only [http.api]', async () => {
    const door = await httpOf();
    await door.ask(say, { body: { text: 'what time is it?' } });
    const lines = (await door.ask('/api/sessions/room/export')).bytes.toString().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toContain('turn_ended');
    expect((await door.ask('/api/sessions/room/export', { token: eve })).status).toBe(404);
    expect((await door.ask('/api/sessions/room', { method: 'DELETE', token: eve })).status).toBe(404);
    expect(await door.ask('/api/sessions/room', { method: 'DELETE', token: bob })).toMatchObject({
      status: 403,
      body: { code: 'access_denied' },
    });
    expect((await door.ask('/api/sessions/room', { method: 'DELETE' })).status).toBe(204);
    expect((await door.ask('/api/sessions')).body.sessions).toEqual([]);
    expect((await door.ask('/api/sessions/room', { method: 'DELETE' })).status).toBe(404);
  });
});
