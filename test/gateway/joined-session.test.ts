// A session that a connection has joined, where the connection ends while a frame of it is sent.
import { expect, test } from 'vitest';
import { JoinedSession } from '../../src/gateway/joined-session.ts';
import type { Outbox } from '../../src/gateway/outbox.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';

test('a reader that is too slow for the reply to its JOIN is a member no more [ws.limits]', async () => {
  const runtime = new FakeRuntime();
  const sent: string[] = [];
  const outbox: Outbox = {
    frame(text) {
      const { type } = JSON.parse(text);
      sent.push(type);
      if (type === 'joined') abandoned = joined.abandon('lost'); // as the machine does when the backlog is full
    },
    text: () => {},
    preview: () => {},
    output: () => {},
    waitForRoom: () => null,
    dropBlock: () => {},
    dropTurns: () => {},
    dropSession: () => {},
  };
  let abandoned: Promise<void> | null = null;
  const report = (error: unknown) => {
    throw error;
  };
  const joined = new JoinedSession(
    {
      runtime,
      outbox,
      report,
      connection: 'conn_1',
      speaker: { id: 'ann', roles: ['member'] },
      errors: { sendError: (problem) => sent.push(problem.code) },
    },
    { type: 'JOIN', ref: 'j', session: 's' },
    null,
    { onSessionOver: () => {} },
  );
  await joined.waitForReply();
  await abandoned;
  await joined.perform({ type: 'SAY', ref: 'r', session: 's', text: 'words' });
  expect(sent).toEqual(['joined', 'not_joined']);
  expect(runtime.calls.map(({ command }) => command)).toEqual(['join', 'leave']);
});
