// No text of people, models or tools is in a record of the inspector: secrets are planted everywhere, and found nowhere.
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import type { Authenticator } from '../../src/gateway/auth/authenticator.ts';
import { StatelyFeed } from '../../src/inspector/stately-feed.ts';
import { startGateway } from '../support/gateway.ts';
import { callsResponse, textResponse, toolOf } from '../support/harness.ts';
import { connectRaw } from '../support/raw-client.ts';
import { collectRecords, startObservedHarness } from './observed.ts';

const secret = (place: string) => `planted-${place}`;
const agents = { helper: { description: secret('agent-purpose'), instructions: secret('agent-instructions') } };

/** Words, arguments, names, tasks, reports, outputs, errors: each with a secret of its own. */
async function plant(data: 'lengths' | 'texts') {
  const tools = [
    toolOf('tell', async () => secret('output')),
    toolOf('angry', () => Promise.reject(Object.assign(new Error(secret('error')), { code: secret('error-code') }))),
    toolOf('late', async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { kind: 'stopped', output: secret('stopped-output'), message: secret('stopped-message') };
    }),
    toolOf('chatty', async (_, { output }) => {
      output(secret('live-output'));
      return 'said';
    }),
  ];
  const respond = ({ messages }: ModelRequest, n: number) => {
    if (messages.some(({ content }) => content?.includes(secret('task')))) return textResponse(secret('report'));
    if (n > 0) return textResponse(secret('text'), secret('more-text'));
    return callsResponse(
      ['tell', { argument: secret('arguments') }],
      ['angry', { [secret('field')]: 1 }],
      ['late'],
      ['chatty'],
      ['spawn_agent', { task: secret('task') }],
      [secret('unknown-tool'), { argument: secret('unknown-arguments') }],
    );
  };
  const harness = await startObservedHarness({
    inspect: { data },
    tools,
    agents,
    respond,
    instructions: secret('instructions'),
  });
  const recorded = collectRecords(harness.inspector);
  const sent: string[] = [];
  const feed = new StatelyFeed((event) => sent.push(JSON.stringify(event)));
  harness.inspector.listen((record) => feed.add(record));
  const turn = await harness.say(secret('words'), harness.alice, secret('ref'));
  await harness.clock.advance(200);
  await harness.cancel({ target: harness.callNamed('late'), reason: secret('reason'), ref: secret('cancel-ref') });
  await harness.clock.advance(200);
  await harness.say(secret('second-words'));
  const late = collectRecords(harness.inspector); // a late listener gets contexts that have long been filled
  await harness.cancel({ target: 'session', reason: secret('second-reason') });
  await harness.clock.advance(5_000);
  expect(harness.endOf(turn)).toBeDefined();
  return {
    recorded,
    texts: JSON.stringify([recorded.records, late.records, harness.inspector.recent()]),
    sent: sent.join(),
  };
}

test("a planted secret never arrives, neither as a record nor in Stately's events", async () => {
  const { recorded, texts, sent } = await plant('lengths');
  expect(recorded.events('SAY')[0]?.fields).toMatchObject({ textChars: secret('words').length, owner: 'alice' });
  expect(recorded.events('OUTCOME').length).toBeGreaterThan(6);
  expect(sent.length).toBeGreaterThan(10_000);
  expect(texts).not.toContain('planted');
  expect(sent).not.toContain('planted');
});

test('the texts are visible where the embedder asks for them; names that models make up are not among them', async () => {
  const { texts, sent } = await plant('texts');
  for (const place of ['words', 'arguments', 'output', 'error', 'text', 'task', 'report', 'reason', 'stopped-output']) {
    expect(texts, place).toContain(secret(place));
    expect(sent, place).toContain(secret(place));
  }
});

test('a token never arrives, whatever the options are', async () => {
  const harness = await startObservedHarness({ inspect: { data: 'texts' } });
  const recorded = collectRecords(harness.inspector);
  const authenticator: Authenticator = {
    kind: 'tokens',
    verify: async (token) =>
      token === secret('token')
        ? { speaker: { id: 'ann', roles: ['member'] }, sessions: ['s'], expiresAt: null }
        : null,
  };
  const { url } = await startGateway({ runtime: harness.runtime, authenticator });
  const client = await connectRaw(url);
  await client.hello(secret('token'));
  await client.join('s');
  client.send({ type: 'SAY', ref: 'r1', text: 'words' });
  await client.waitFor('turn_opened');
  await harness.clock.advance(1_000);
  expect(client.socket.readyState).toBe(WebSocket.OPEN);
  expect(recorded.events('SAY')[0]?.fields).toMatchObject({ owner: 'ann', text: 'words' });
  expect(JSON.stringify(recorded.records)).not.toContain('planted');
});
