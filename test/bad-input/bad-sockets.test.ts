// Sockets that are half-open, slow, broken or flooding: each is closed by name or served, and a client that behaves is served meanwhile.
import { expect, test } from 'vitest';
import { useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { type AttackedGateway, halvesOf, partOf, tokenOfSpeaker, underAttack } from './attacked-gateway.ts';
import type { BadSocket, SocketOutcome } from './bad-socket.ts';
import { badSockets } from './bad-sockets.ts';
import { RawSocket, rawTextFrame, upgradeText } from './raw-socket.ts';

const endpoint = useEndpoint();
const cases = partOf(badSockets, 40);
/** Fewer than the connections that a speaker may have. */
const atOnce = 24;
const limits = { helloMs: scaled(1_250), heartbeatMs: scaled(1_250), closeMs: scaled(250) };

test('there are at least 100 of them', () => {
  expect(badSockets.length).toBeGreaterThan(100);
});

const title = `${cases.length} bad sockets, each closed by its name or served [ws.protocol] [ws.limits] [access.share]`;
test(title, { timeout: scaled(60_000) }, () => underAttack(endpoint, halvesOf(cases).map(send), { limits }));

const send = (mine: readonly BadSocket[]) => async (gateway: AttackedGateway) => {
  const wrong: string[] = [];
  const rest = [...mine];
  const next = async (): Promise<void> => {
    for (let each = rest.shift(); each; each = rest.shift()) {
      await behave(gateway, each).catch((error: Error) => wrong.push(`${each?.what}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  expect(wrong).toEqual([]);
};

/** Behaves as the case says. Rejects if it goes on otherwise. */
async function behave({ port }: AttackedGateway, { from, does, outcome }: BadSocket): Promise<void> {
  const raw = new RawSocket(port);
  try {
    await advance(raw, from);
    await does(raw);
    await expectOutcome(raw, outcome);
  } finally {
    raw.destroy();
  }
}

async function advance(raw: RawSocket, to: BadSocket['from']): Promise<void> {
  if (to === 'connected') return;
  raw.write(upgradeText());
  if ((await raw.response())?.status !== 101) throw new Error('The upgrade was refused.');
  if (to === 'upgraded') return;
  raw.write(rawTextFrame({ type: 'HELLO', token: tokenOfSpeaker('bad') }));
  await received(raw, 'welcome');
  if (to === 'known') return;
  raw.write(rawTextFrame({ type: 'JOIN', ref: 'join', session: 'pit' }));
  await received(raw, 'joined');
}

const received = (raw: RawSocket, type: string) =>
  until(() => raw.messages.find((frame) => frame['type'] === type), { ms: 10_000, what: `the frame ${type}` });

async function expectOutcome(raw: RawSocket, outcome: SocketOutcome): Promise<void> {
  if ('served' in outcome) {
    raw.write(rawTextFrame({ type: 'PING', ref: 'still-here' }));
    await until(() => raw.messages.some(({ ref }) => ref === 'still-here'), { ms: 10_000, what: 'a pong' });
    const errors = () => raw.messages.filter(({ type }) => type === 'error').map(({ code }) => code);
    const wanted = outcome.errors ?? [];
    // a refusal that has looked a session up may come after the pong
    await until(() => errors().length >= wanted.length, { ms: 10_000, what: wanted.join() });
    return expect(errors()).toEqual(wanted);
  }
  const inTime = { ms: 15_000, what: 'its end' };
  if ('cut' in outcome) {
    await until(() => raw.end, inTime);
    return expect(raw.closed).toBeNull();
  }
  const closed = await until(() => raw.closed, inTime);
  expect(closed).toMatchObject({
    code: outcome.closed,
    ...(outcome.reason !== undefined && { reason: outcome.reason }),
  });
  await until(() => raw.end, inTime); // whether it does its part of the handshake or not
}
