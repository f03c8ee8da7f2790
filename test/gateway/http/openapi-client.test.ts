// A client generated from the OpenAPI document alone does the tour: it says, lists, stops, answers, reads, stores, exports and deletes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createChatProvider } from '../../../src/adapters/models/chat/chat-provider.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { useEndpoint } from '../../support/journey.ts';
import { type GeneratedClient, generateClient } from '../../support/openapi-client.ts';
import { until } from '../../support/until.ts';
import { ann, httpOf } from './open.ts';

const endpoint = useEndpoint();
const session = 'room/one';
const watching = { name: 'watch', arguments: {} };

const metrics = { token: null, read: async () => ({ contentType: 'text/plain', text: '' }) };

async function openClient(): Promise<GeneratedClient> {
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'It is done.' } },
    { when: { user: 'watch' }, reply: { calls: [watching, watching] } },
    { when: { user: 'deploy' }, reply: { calls: [{ name: 'deploy', arguments: {} }] } },
    { reply: { text: 'It is noon.' } },
  ]);
  const { clock, random } = systemSources;
  const provider = createChatProvider({ baseUrl: endpoint.url, apiKey: 'test', model: 'scripted', clock, random });
  const client = await generateClient((await httpOf({ metrics }, { own: { provider } })).base, ann);
  clients.push(client);
  return client;
}

/** Those of all tests of this file: the last test reads what they have called. */
const clients: GeneratedClient[] = [];

/** Resolves with the turn that runs, when it runs that many calls. */
const runningTurn = ({ call }: GeneratedClient, calls: number) =>
  until(async () => {
    const { data } = await call('listActiveTurns', { params: { session } });
    return data.turns[0]?.calls.length === calls ? data.turns[0] : null;
  });

test('a generated client says something, and reads the events [http.api.openapi]', async () => {
  const client = await openClient();
  const said = await client.call('say', { params: { session }, body: { text: 'what time is it?' } });
  expect(said).toMatchObject({ status: 200, data: { outcome: 'completed', text: 'It is noon.' } });
  const { data: page } = await client.call('readEvents', { params: { session, after: 0, limit: 1_000 } });
  expect(page.events.map(({ type }: { type: string }) => type)).toContain('turn_ended');
  const { data: text } = await client.call('say', {
    params: { session },
    body: { text: 'and now?' },
    headers: { accept: 'text/event-stream' },
    responseType: 'text',
  });
  expect(text).toMatch(/^event: turn_ended$/m);
  const { data: used } = await client.call('sessionUsage', { params: { session } });
  expect(used).toMatchObject({ session: { turns: 2, modelCalls: 2, calls: 0 }, lastTurn: { turns: 1, modelCalls: 1 } });
  const { data: listed } = await client.call('listSessions');
  expect(listed.sessions).toMatchObject([{ session, forkedFrom: null }]);
  expect(await client.call('listHosts')).toMatchObject({ status: 403, data: { code: 'access_denied' } });
  expect(await client.call('drainHost', { body: { host: 'a' } })).toMatchObject({
    status: 403,
    data: { code: 'access_denied' },
  });
  const forked = await client.call('forkSession', { params: { session }, body: { turn: said.data.turn } });
  expect(forked).toMatchObject({ status: 200, data: { session, repeated: false, from: { turn: said.data.turn } } });
});

test('a generated client aborts a call, a turn and a session [http.api.openapi]', async () => {
  const client = await openClient();
  const first = client.call('say', { params: { session }, body: { text: 'watch' } });
  const { turn, calls } = await runningTurn(client, 2);
  const wait = 'settled';
  const aborted = await client.call('abortToolCall', { params: { turn, node: calls[0].node, wait } });
  expect(aborted).toMatchObject({ status: 200, data: { nodes: [{ node: calls[0].node, outcome: 'cancelled' }] } });
  const accepted = await client.call('abortTurn', { params: { node: turn }, body: { reason: 'enough' } });
  expect(accepted).toMatchObject({ status: 202, data: { type: 'cancel_accepted', reason: 'enough' } });
  expect(await first).toMatchObject({ data: { turn, outcome: 'cancelled' } });
  const second = client.call('say', { params: { session }, body: { text: 'watch' } });
  await runningTurn(client, 2);
  const stopped = await client.call('abortSession', {
    params: { session, wait, 'idempotency-key': 'k1' },
    body: { target: 'session' },
  });
  expect(stopped).toMatchObject({ status: 200, data: { type: 'cancel_settled' } });
  expect(await second).toMatchObject({ data: { outcome: 'cancelled' } });
  expect(await client.call('abortNode', { params: { node: 'turn_none' } })).toMatchObject({
    status: 404,
    data: { code: 'unknown_target' },
  });
});

test('a generated client stops the tools of a turn, and sets the timeout of one [http.api.openapi]', async () => {
  const client = await openClient();
  const said = client.call('say', { params: { session }, body: { text: 'watch' } });
  const { turn } = await runningTurn(client, 2);
  const stopped = await client.call('abortTools', { params: { node: turn, wait: 'settled' } });
  expect(stopped).toMatchObject({ status: 200, data: { nodes: [{ outcome: 'cancelled' }, { outcome: 'cancelled' }] } });
  expect(await said).toMatchObject({ data: { turn, outcome: 'completed', text: 'It is done.' } });
  const set = { tool: 'watch', ms: 2_000 };
  expect(await client.call('setToolTimeout', { params: { session }, body: set })).toMatchObject({
    status: 200,
    data: { session, ...set },
  });
  const renamed = await client.call('renameSession', { params: { session }, body: { title: 'A title' } });
  expect(renamed).toMatchObject({ status: 200, data: { session, title: 'A title' } });
  expect(await client.call('listSessions', { params: { order: 'newest', words: 'title' } })).toMatchObject({
    status: 200,
    data: { sessions: [{ session, title: 'A title', status: 'done' }] },
  });
});

test('a generated client invites, by name and by a link, names who may stop, and takes it back [http.api.openapi] [access.invite-link]', async () => {
  const client = await openClient();
  await client.call('say', { params: { session }, body: { text: 'hello' } });
  const params = { session };
  const invited = await client.call('inviteMember', { params, body: { speaker: 'bob', role: 'moderator' } });
  expect(invited).toMatchObject({ status: 200, data: { session, speaker: 'bob', repeated: false } });
  expect(await client.call('delegateStop', { params, body: { speaker: 'bob' } })).toMatchObject({
    status: 200,
    data: { speaker: 'bob', target: 'mine', repeated: false },
  });
  const made = await client.call('createInvite', { params, body: { ms: 60_000 } });
  expect(made).toMatchObject({ status: 200, data: { role: 'member' } });
  const { invite, secret } = made.data as { readonly invite: string; readonly secret: string };
  expect(await client.call('redeemInvite', { params, body: { secret } })).toMatchObject({
    status: 200,
    data: { role: 'member', repeated: true },
  });
  expect(await client.call('revokeInvite', { params: { session, invite } })).toMatchObject({
    status: 200,
    data: { invite, repeated: false },
  });
  expect(await client.call('redeemInvite', { params, body: { secret } })).toMatchObject({
    status: 404,
    data: { code: 'bad_invite' },
  });
  expect(await client.call('removeMember', { params: { session, speaker: 'bob' } })).toMatchObject({
    status: 200,
    data: { speaker: 'bob', repeated: false },
  });
});

test('a generated client stops a turn and what waits behind it [http.api.openapi] [cancel.lane]', async () => {
  const client = await openClient();
  const said = client.call('say', { params: { session }, body: { text: 'watch' } });
  const { turn } = await runningTurn(client, 2);
  const behind = client.call('say', { params: { session }, body: { text: 'and then' } });
  const stopped = await client.call('abortLane', { params: { node: turn, wait: 'settled' } });
  expect(stopped).toMatchObject({ status: 200, data: { cause: { target: `lane:${turn}` } } });
  expect(await said).toMatchObject({ data: { turn, outcome: 'cancelled' } });
  expect((await behind).status).toBe(200);
});

test('a generated client answers an approval [http.api.openapi]', async () => {
  const client = await openClient();
  const said = client.call('say', { params: { session }, body: { text: 'deploy' } });
  const [asked] = await until(async () => {
    const { data } = await client.call('listQuestions', { params: { session } });
    return data.questions.length > 0 ? data.questions : null;
  });
  const answered = await client.call('approveCall', { params: { node: asked.node } });
  expect(answered).toMatchObject({ status: 200, data: { session, answer: 'approved' } });
  expect(await said).toMatchObject({ data: { outcome: 'completed', text: 'It is done.' } });
  const again = await client.call('denyCall', { params: { node: asked.node } });
  expect(again.status).toBeGreaterThanOrEqual(400);
});

test('a generated client stores and reads a blob, exports the session and deletes it [http.api.openapi]', async () => {
  const client = await openClient();
  const bytes = Buffer.from('%PDF-1.7 some pages');
  const blob = createHash('sha256').update(bytes).digest('hex');
  const headers = { 'content-type': 'application/octet-stream' };
  const stored = await client.call('storeBlob', { params: { session }, body: bytes, headers });
  expect(stored).toMatchObject({ status: 201, data: { blob, bytes: bytes.length } });
  const part = { type: 'file', blob, mediaType: 'application/pdf', bytes: bytes.length };
  await client.call('say', { params: { session }, body: { text: 'read it', parts: [part] } });
  const read = await client.call('readBlob', { params: { session, blob }, responseType: 'arraybuffer' });
  expect(Buffer.from(read.data).equals(bytes)).toBe(true);
  const exported = await client.call('exportSession', { params: { session }, responseType: 'text' });
  expect(exported.data.trim().split('\n').length).toBeGreaterThan(2);
  const deleted = await until(async () => {
    const reply = await client.call('deleteSession', { params: { session } });
    return reply.status === 409 ? null : reply;
  });
  expect(deleted.status).toBe(204);
  expect(await client.call('readEvents', { params: { session } })).toMatchObject({ status: 404 });
  const nobody = await client.call('deleteSpeaker', { params: { speaker: 'nobody', quotes: 'keep' } });
  expect([200, 403]).toContain(nobody.status); // 403: with tokens it is for the speaker alone
});

test('a generated client steers, takes up and answers, and reads the state of the gateway [http.api.openapi]', async () => {
  const client = await openClient();
  const said = client.call('say', { params: { session }, body: { text: 'watch' } });
  const { turn } = await runningTurn(client, 2);
  const steered = await client.call('steer', { params: { session }, body: { text: 'and be quick', target: turn } });
  expect(steered).toMatchObject({ status: 202, data: { turn } });
  await client.call('abortTurn', { params: { node: turn, wait: 'settled' } });
  expect(await said).toMatchObject({ data: { turn, outcome: 'cancelled' } });
  const resumed = await client.call('resumeTurn', {
    params: { node: turn },
    body: { session, text: 'what time is it?' },
  });
  expect(resumed).toMatchObject({ status: 200, data: { outcome: 'completed' } });
  expect(await client.call('answerCall', { params: { node: 'call_none' }, body: { text: 'yes' } })).toMatchObject({
    status: 404,
    data: { code: 'unknown_target' },
  });
  expect(await client.call('getHealth')).toMatchObject({ status: 200 });
  expect(await client.call('getReadiness')).toMatchObject({ status: 200 });
  expect((await client.call('getOpenApi')).data).toMatchObject({ openapi: expect.stringMatching(/^3\./) });
  expect(await client.call('getMetrics')).toMatchObject({ status: 401, data: { code: 'unauthorized' } }); // its own token
});

test('a generated client has called each operation of the document [http.api.openapi]', () => {
  const document: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(
    readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
  );
  const operations = Object.values(document.paths)
    .flatMap(Object.values)
    .map(({ operationId }) => operationId);
  const called = new Set(clients.flatMap((client) => [...client.called]));
  expect(operations.filter((operation) => !called.has(operation))).toEqual(['readRecords']); // a stream without an end: test/gateway/http/inspector.test.ts
  expect(operations.length).toBeGreaterThan(20);
});
