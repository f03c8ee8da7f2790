// Checks the limits of a gateway, and the codes with which it closes a connection.

import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayCheck } from './connection-checks.ts';
import { closeCodeAfter } from './raw-upgrade.ts';
import { assertThat, Violation } from './verdict.ts';
import type { WireClient } from './wire-client.ts';

const closeMs = 20_000;
/** The errors that a gateway allows at once, and some more. */
const manyErrors = 40;

async function limitsOf(client: WireClient): Promise<Readonly<Record<string, unknown>>> {
  return fieldsOf((await client.next({ type: 'welcome' }))['limits']);
}

async function assertClosed(client: WireClient, code: number, name: string): Promise<void> {
  const close = await client.nextClose(closeMs);
  assertThat(close.code === code && close.reason === name, `It was closed with ${close.code} ${close.reason}.`);
}

/** A frame of a client as bytes, with a mask of zeros. */
const maskedFrame = (firstByte: number, ...payload: readonly number[]) =>
  Uint8Array.from([firstByte, 0x80 | payload.length, 0, 0, 0, 0, ...payload]);

export const limitChecks: readonly GatewayCheck[] = [
  {
    id: 'limits.rate',
    must: 'refuse a frame past the rate of frames (`rate_limited`), and keep the connection open',
    async run(gateway) {
      const { client } = await gateway.enter();
      const burst = Number((await limitsOf(client))['frameBurst']);
      client.send(...Array.from({ length: burst + 8 }, (_, i) => ({ type: 'PING', ref: `p${i}` })));
      await client.next({ type: 'error', code: 'rate_limited' });
      assertThat(!client.isClosed, 'It was closed.');
    },
  },
  {
    id: 'limits.sessions',
    must: 'refuse a `JOIN` of more sessions than `sessions` (`too_many_sessions`)',
    async run(gateway) {
      const client = await gateway.open();
      const most = Number((await limitsOf(client))['sessions']);
      const names = Array.from({ length: most + 1 }, () => gateway.name());
      for (const [i, session] of names.entries()) {
        const reply = await client.ask({ type: 'JOIN', ref: `j${i}`, session });
        const isRefused = reply.type === 'error' && reply['code'] === 'too_many_sessions';
        assertThat(isRefused === i >= most, `The reply to JOIN ${i + 1} of ${most} was ${JSON.stringify(reply)}.`);
      }
    },
  },
  {
    id: 'close.errors',
    must: 'close the connection of a client that goes on sending frames that are not good with 4400 `too_many_errors`',
    async run(gateway) {
      const client = await gateway.open();
      for (let i = 0; i < manyErrors; i++) client.send({ type: 'SHOUT' });
      await assertClosed(client, 4400, 'too_many_errors');
    },
  },
  {
    id: 'close.flood',
    must: 'close the connection of a client that goes on past its rate with 4429 `flood`',
    async run(gateway) {
      const client = await gateway.open();
      const burst = Number((await limitsOf(client))['frameBurst']);
      for (let i = 0; i < 2 * burst + manyErrors; i++) client.send({ type: 'PING', ref: `p${i}` });
      await assertClosed(client, 4429, 'flood');
    },
  },
  {
    id: 'close.unauthorized',
    must: 'close the connection of a client whose token is not good with 4401 `unauthorized`, where tokens prove the speakers',
    async run(gateway) {
      if (gateway.options.token === undefined) return;
      const client = await gateway.connect();
      client.send(gateway.helloOf('no-token-of-this-gateway'));
      await assertClosed(client, 4401, 'unauthorized');
    },
  },
  {
    id: 'close.expired',
    must: 'close a connection whose token ends with 4402 `token_expired`',
    async run(gateway) {
      const endingToken = gateway.need('endingToken', '--ending-token TOKEN');
      const client = await gateway.connect();
      client.send(gateway.helloOf(await endingToken()));
      await client.next({ type: 'welcome' });
      await assertClosed(client, 4402, 'token_expired');
    },
  },
  {
    id: 'close.hello',
    must: 'close a connection without an accepted `HELLO` in time with 4408 `hello_timeout`',
    async run(gateway) {
      await assertClosed(await gateway.connect(), 4408, 'hello_timeout');
    },
  },
  {
    id: 'close.heartbeat',
    must: 'close a connection without a sign of life after a ping with 4409 `heartbeat_lost`',
    async run(gateway) {
      const client = await gateway.connect({ answersPings: false });
      client.send(gateway.hello);
      const { heartbeatMs } = await limitsOf(client);
      const close = await client.nextClose(3 * Number(heartbeatMs));
      assertThat(
        close.code === 4409 && close.reason === 'heartbeat_lost',
        `It was closed with ${close.code} ${close.reason}.`,
      );
    },
  },
  {
    id: 'close.invalid',
    must: "close a connection that breaks WebSocket's own rules with their codes: 1002 for a reserved opcode, 1007 for a text that is not UTF-8, 1009 for a message of more than four times `frameBytes`",
    async run(gateway) {
      const { url } = gateway.options;
      const [reserved, text] = [maskedFrame(0x83), maskedFrame(0x81, 0xff)];
      for (const [code, bytes] of [
        [1002, reserved],
        [1007, text],
      ] as const) {
        const found = await closeCodeAfter(url, bytes, closeMs);
        assertThat(found === code, `It was closed with ${found} instead of ${code}.`);
      }
      const client = await gateway.open();
      client.send('x'.repeat(4 * Number((await limitsOf(client))['frameBytes']) + 1));
      const close = await client.nextClose(closeMs);
      if (close.code !== 1009) throw new Violation(`It was closed with ${close.code} instead of 1009.`);
    },
  },
];
