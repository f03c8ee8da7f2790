// Holds of the process of an embedder: they last while a reply can come, and end with the session.
import { expect, test } from 'vitest';
import type { Runtime, SessionListener } from '../../src/core/session/api.ts';
import { PendingKeepAlive } from '../../src/embed/keep-alive.ts';
import { LocalConnection } from '../../src/embed/local-connection.ts';
import { until } from '../support/until.ts';

const never = () => new Promise<never>(() => {});

/** A member whose CANCEL has no reply. */
async function waitForever() {
  let listener: SessionListener | null = null;
  let isAlive = false;
  // of the runtime, what a connection calls here
  const runtime = {
    open: async () => ({ session: 's', kind: 'text', policy: 'anyone' }),
    async join(_session: string, _caller: unknown, joining: SessionListener) {
      listener = joining;
      joining.joined({ kind: 'text', policy: 'anyone', seq: 0, nodes: [], blocks: [], questions: [] } as never);
    },
    leave: async () => {},
    cancel: never,
  } as unknown as Runtime;
  const keepAlive = new PendingKeepAlive(() => {
    isAlive = true;
    return () => {
      isAlive = false;
    };
  });
  const received: string[] = [];
  const connection = new LocalConnection({
    runtime,
    keepAlive,
    connection: 'local_1',
    session: 's',
    warn() {},
    speaker: { id: 'ann', roles: ['member'] },
    receive: ({ type }) => received.push(type),
  });
  connection.send({ type: 'JOIN', ref: 'r1', session: 's' });
  await until(() => received.includes('joined') && !isAlive);
  connection.send({ type: 'CANCEL', ref: 'r2', session: 's', target: 'mine' });
  expect(isAlive).toBe(true);
  const end = (reason: 'fenced' | 'shutdown') => listener?.ended(reason);
  return { connection, end, isAlive: () => isAlive };
}

test.each(['fenced', 'shutdown'] as const)(
  'a session that ended (%s) keeps no process alive for a missing reply',
  async (reason) => {
    const { end, isAlive } = await waitForever();
    end(reason);
    await until(() => !isAlive());
  },
);

test('neither does a session that was left', async () => {
  const { connection, isAlive } = await waitForever();
  connection.send({ type: 'LEAVE', ref: 'r3', session: 's' });
  await until(() => !isAlive());
});
