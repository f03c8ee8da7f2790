// The features that a gateway announces decide what a client sends: commands that wait for a connection are checked when there is one.
import { describe, expect, test } from 'vitest';
import { NotSupported } from '../../src/client/errors.ts';
import type { ClientFrame } from '../../src/wire/client-frames.ts';
import { type WireFeature, wireFeatures } from '../../src/wire/frame-limits.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { setUpSession } from './held-session.ts';
import { type FakeSocket, limits, setUpClient, welcome } from './held-sockets.ts';

const joined = (sent: readonly ClientFrame[], seq = 5): ServerFrame => {
  const join = sent.findLast(({ type }) => type === 'JOIN');
  const ref = join && 'ref' in join ? (join.ref ?? '') : '';
  const lists = { nodes: [], blocks: [], questions: [] };
  return { type: 'joined', ref, session: 's', kind: 'text', policy: 'anyone', seq, ...lists };
};

/** A client without a connection, and how its gateway welcomes it. */
async function setUp(features: readonly string[] | undefined) {
  const { client, sockets } = setUpClient();
  await null; // the token is asked for first
  const [socket] = sockets as unknown as readonly [FakeSocket];
  return {
    client,
    session: client.session('s'),
    sentTypes: () => socket.sent.map(({ type }) => type),
    sent: socket.sent,
    welcome() {
      socket.onopen?.();
      socket.hear({
        ...welcome,
        limits: { ...limits, frameBytes: 65_536 },
        ...(features && { features: [...features] }),
      } as ServerFrame);
    },
    join: () => socket.hear(joined(socket.sent)),
  };
}

describe('a command that was wanted before the welcome', () => {
  const commands = ['CANCEL', 'SET_TIMEOUT', 'RENAME', 'TRANSCRIPT', 'BARGE_IN', 'FORK'];
  const wait = { whileDisconnected: 'wait' } as const;
  const replies = ({ session }: Awaited<ReturnType<typeof setUp>>) => {
    const all = [
      session.cancel('tools:mine').accepted,
      session.cancel('tools:turn_1').accepted,
      session.setToolTimeout('shell', 2_000, wait),
      session.rename('A title', wait),
      session.transcript('words', { ...wait, final: true }),
      session.bargeIn(wait),
      session.fork('turn_1', wait),
    ];
    for (const reply of all) reply.catch(() => {});
    return all;
  };

  test.each([[undefined], [[]], [['a_later_one']]])(
    'is not sent to a gateway that announces %j: it rejects with the name of the feature [client.features]',
    async (features) => {
      const client = await setUp(features);
      const pending = replies(client);
      client.welcome();
      client.join();
      const errors = await Promise.all(
        pending.map((reply) =>
          reply.then(
            () => null,
            (error: unknown) => error,
          ),
        ),
      );
      expect(errors.map((error) => error instanceof NotSupported && error.feature)).toEqual([
        'cancel_tools',
        'cancel_tools',
        'tool_timeouts',
        'rename',
        'own_speech',
        'own_speech',
        'fork',
      ]);
      expect(client.sentTypes().filter((type) => commands.includes(type))).toEqual([]);
      expect(client.client.features).toEqual([]);
    },
  );

  test('is sent to a gateway that announces it, once the session is joined [client.features]', async () => {
    const client = await setUp(wireFeatures);
    replies(client);
    client.welcome();
    client.join();
    expect(client.sentTypes().filter((type) => commands.includes(type))).toEqual([
      'CANCEL',
      'CANCEL',
      'SET_TIMEOUT',
      'RENAME',
      'TRANSCRIPT',
      'BARGE_IN',
      'FORK',
    ]);
    expect(client.client.features).toEqual(wireFeatures);
  });
});

describe('`seen` of words', () => {
  const seenIn = (sent: readonly ClientFrame[]) =>
    sent.flatMap((frame) => (frame.type === 'SAY' || frame.type === 'STEER' ? [frame.seen] : []));

  test.each([
    [['say_seen'], [5, 5]],
    [[], [undefined, undefined]],
  ] as const)('with a gateway that announces %j: %j [recover.go-on]', async (features, expected) => {
    const client = await setUp(features);
    client.welcome();
    client.join();
    client.session.say('continue');
    client.session.steer('continue');
    expect(seenIn(client.sent)).toEqual(expected);
  });

  test('is that of the moment at which they were said, also where they are sent later or again [recover.go-on]', () => {
    const { session, sent, joined: join, replayed, breakOff } = setUpSession({ whileDisconnected: 'wait' });
    join(5);
    session.disconnect();
    session.say('continue');
    session.connect();
    join(9);
    replayed();
    expect(seenIn(sent)).toEqual([5]);
    breakOff();
    join(12);
    replayed();
    expect(seenIn(sent)).toEqual([5, 5]);
  });

  test('is left out while nothing was received of the session [recover.go-on]', () => {
    const { session, sent, joined: join } = setUpSession({ whileDisconnected: 'wait' });
    session.disconnect();
    session.say('continue');
    session.connect();
    join(9);
    expect(seenIn(sent)).toEqual([undefined]);
  });
});

test('a feature is one of a list that gateway and client share [client.features]', () => {
  const known: readonly WireFeature[] = wireFeatures;
  // @ts-expect-error: no gateway has it
  known.includes('cancel_tool');
  expect(new Set(known).size).toBe(known.length);
});
