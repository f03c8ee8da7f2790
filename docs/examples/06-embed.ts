// Embed: Belay inside an existing server. Its routes say things, browsers and programs join over its socket, and it shuts down in order.
import assert from 'node:assert/strict';
import { type Authenticator, attach, createRuntime, systemSources } from '@belay/runtime';
import { connect } from '@belay/runtime/client';
import { createScriptedProvider } from '@belay/runtime/testing';
import Fastify from 'fastify';

const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond: ({ messages }) =>
    messages.at(-1)?.content === 'go on for ever'
      ? { steps: [{ text: 'On and on' }, { hang: true }] }
      : { steps: [{ text: 'It is ' }, { waitMs: 10 }, { text: 'noon.' }] },
});

// the server as it was
const app = Fastify();
const users = new Map([['cookie-of-ann', 'ann']]);

// the two lines: a runtime, and its door on the server. Who a token belongs to, the server knows already.
const authenticator: Authenticator = {
  kind: 'tokens',
  async verify(token) {
    const id = users.get(token ?? '');
    return id === undefined ? null : { speaker: { id, roles: ['member'] }, expiresAt: null };
  },
};
const runtime = await createRuntime({ provider, session: () => ({ access: 'open' }) }); // the lobby is for everybody whom the server knows
attach(app.server, runtime, { authenticator });
// and the shutdown: what runs is stopped, clients get the close code, then the server closes
app.addHook('preClose', () => runtime.close());

// a route of its own that asks, without any socket; who hangs up has changed their mind
app.post<{ Body: { text: string } }>('/ask', async (request, reply) => {
  const session = await runtime.session('lobby');
  await using visitor = session.as('visitor');
  const turn = visitor.say(request.body.text);
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) turn.cancel({ reason: 'hung up' });
  });
  return { answer: await turn.reply() };
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });

// over HTTP
const response = await fetch(`${address}/ask`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text: 'what time is it?' }),
});
assert.deepEqual(await response.json(), { answer: 'It is noon.' });

// over the socket, in the same session; everybody in it receives the visitor's turn
const client = await connect({ url: `${address.replace('http', 'ws')}/belay`, token: 'cookie-of-ann' });
const lobby = client.session('lobby');
await lobby.joined;
const hangsUp = new AbortController();
const endless = fetch(`${address}/ask`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text: 'go on for ever' }),
  signal: hangsUp.signal,
});
const stopped = new Promise<string>((resolve) => {
  lobby.on('text_delta', () => hangsUp.abort());
  lobby.on('cancel_settled', ({ cause }) => resolve(`${cause.by}: ${cause.reason}`));
});
await assert.rejects(endless);
assert.equal(await stopped, 'visitor: hung up');

// the server shuts down with a turn in flight
const turn = lobby.say('go on for ever');
for await (const event of turn) if (event.type === 'text_delta') break;
await app.close();
assert.equal((await turn.ended).outcome, 'cancelled');
console.log(`the server has closed; the client is ${client.state.kind}`);
await client.close(); // it would come back by itself
