// The contract of every adapter of a socket: one suite, called from the adapter's own test file.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { LeaveReason } from '../../machines/vocabulary.ts';
import type { Peer } from '../../src/gateway/peer.ts';
import { until } from '../support/until.ts';

/** The client at the other end of the peer. */
export interface FarEnd {
  send(message: string | Uint8Array): void;
  readonly received: readonly string[];
  /** Stops reading, and goes on. */
  pause(): void;
  resume(): void;
  close(code: number): void;
  /** Destroys the socket. */
  cut(): void;
  readonly ended: { readonly code: number; readonly reason: string } | null;
}

/** A peer with the events that it has published, and its far end. */
export interface PeerPair {
  readonly peer: Peer;
  readonly far: FarEnd;
  readonly messages: readonly { readonly text: string | null; readonly bytes: number }[];
  readonly pongs: () => number;
  readonly gone: readonly LeaveReason[];
  dispose(): Promise<void>;
}

type OpenPair = () => Promise<PeerPair>;

/** Defines the tests of an adapter. `open` makes a pair of connected ends. */
export function peerContract(name: string, open: OpenPair): void {
  const pair = async () => {
    const opened = await open();
    onTestFinished(() => opened.dispose());
    return opened;
  };
  describe(`the peer contract: ${name}`, () => {
    describeMessages(pair);
    describeEnd(pair);
  });
}

function describeMessages(pair: OpenPair): void {
  test('messages arrive whole and in order, with their size on the wire', async () => {
    const { far, messages } = await pair();
    far.send('héllo');
    far.send(new Uint8Array([1, 2, 3]));
    far.send('last');
    await until(() => messages.length === 3);
    expect(messages).toEqual([
      { text: 'héllo', bytes: 6 },
      { text: null, bytes: 3 },
      { text: 'last', bytes: 4 },
    ]);
  });

  test('what is sent arrives in order, and `sent` is called once for each', async () => {
    const { peer, far } = await pair();
    const sent: number[] = [];
    for (let i = 0; i < 100; i++) peer.send(`m${i}`, () => sent.push(i));
    await until(() => far.received.length === 100 && sent.length === 100);
    expect(far.received).toEqual(Array.from({ length: 100 }, (_, i) => `m${i}`));
    expect(sent).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  test('messages that may wait for each other keep the order with all others, which do not wait for them', async () => {
    const { peer, far } = await pair();
    const sent: string[] = [];
    peer.sendSoon('a', () => sent.push('a'));
    peer.sendSoon('b', () => sent.push('b'));
    expect(peer.bufferedBytes).toBeGreaterThan(0);
    peer.send('c', () => sent.push('c'));
    expect(peer.bufferedBytes).toBe(0);
    peer.sendSoon('d', () => sent.push('d'));
    await until(() => far.received.length === 4 && sent.length === 4);
    expect(far.received).toEqual(['a', 'b', 'c', 'd']);
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
  });

  test('many messages that may wait do not wait for the last of them', async () => {
    const { peer, far } = await pair();
    const text = 'x'.repeat(1_000);
    for (let i = 0; i < 100; i++) peer.sendSoon(text, () => {});
    expect(peer.bufferedBytes).toBeLessThan(5_500);
    await until(() => far.received.length === 100);
  });

  test('what a far end does not read is counted as waiting, until it reads', async () => {
    const { peer, far } = await pair();
    far.pause();
    const text = 'x'.repeat(100_000);
    let messages = 0;
    await until(() => {
      if (peer.bufferedBytes > 500_000) return true;
      peer.send(text, () => {});
      messages += 1;
      return false;
    });
    far.resume();
    await until(() => peer.bufferedBytes === 0 && far.received.length === messages, { ms: 10_000 });
  });

  test('a ping is answered', async () => {
    const { peer, pongs } = await pair();
    peer.ping();
    await until(() => pongs() === 1);
  });
}

function describeEnd(pair: OpenPair): void {
  test('a close reaches the far end after what was sent, with its code and name', async () => {
    const { peer, far, gone } = await pair();
    peer.send('before', () => {});
    peer.close(4408, 'hello_timeout');
    await until(() => far.ended);
    expect(far).toMatchObject({ received: ['before'], ended: { code: 4408, reason: 'hello_timeout' } });
    await until(() => gone.length === 1);
  });

  test('the end is published once: left by 1000, else lost', async () => {
    for (const [end, how] of [
      ['polite', 'left'],
      ['away', 'lost'],
      ['broken', 'lost'],
    ] as const) {
      const { far, gone } = await pair();
      if (end === 'broken') far.cut();
      else far.close(end === 'polite' ? 1000 : 4000);
      await until(() => gone.length > 0);
      expect(gone).toEqual([how]);
    }
  });

  test('terminated, it ends also when the far end reads nothing', async () => {
    const { peer, far, gone } = await pair();
    far.pause();
    peer.terminate();
    await until(() => gone.length === 1);
  });

  test('nothing throws when it is gone, and `sent` is called all the same', async () => {
    const { peer, far, gone } = await pair();
    far.cut();
    await until(() => gone.length === 1);
    let sent = 0;
    peer.send('late', () => sent++);
    peer.ping();
    peer.close(4450, 'shutdown');
    peer.terminate();
    expect(peer.bufferedBytes).toBeTypeOf('number');
    await until(() => sent === 1);
    expect(gone).toHaveLength(1);
  });
}
