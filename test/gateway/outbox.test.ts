// The outbox of a slow reader: order, merging, discarding, the limit.
import { describe, expect, test } from 'vitest';
import { type OutboxLimits, PeerOutbox } from '../../src/gateway/outbox.ts';
import type { TextDeltaFrame } from '../../src/wire/server-frames.ts';

function setUp(limits: Partial<OutboxLimits> = {}) {
  const sent: string[] = [];
  let bufferedBytes = 0;
  let overflows = 0;
  let signs = 0;
  const flushes: (() => void)[] = [];
  const send = (text: string, done: () => void) => {
    sent.push(text);
    flushes.push(done);
  };
  const peer = {
    send,
    sendSoon: send,
    get bufferedBytes() {
      return bufferedBytes;
    },
    ping() {},
    close() {},
    terminate() {},
  };
  const outbox = new PeerOutbox(
    peer,
    { socketBytes: 100, queueBytes: 1_000, outputChars: 10, ...limits },
    { send: () => overflows++ },
    { note: () => signs++ },
  );
  return {
    outbox,
    sent,
    frames: () => sent.map((text) => JSON.parse(text)),
    jam: () => {
      bufferedBytes = 101;
    },
    drain() {
      bufferedBytes = 0;
      outbox.frame('{"drained":true}'); // as if a queued message had been in the socket
      for (const done of flushes.splice(0)) done();
    },
    get overflows() {
      return overflows;
    },
    get signs() {
      return signs;
    },
  };
}

const delta = (offset: number, text: string, block: Partial<TextDeltaFrame> = {}): TextDeltaFrame => ({
  type: 'text_delta',
  session: 'a',
  turn: 't',
  index: 0,
  offset,
  text,
  ...block,
});
const output = (text: string) => ({ type: 'tool_output', session: 'a', node: 'c', text }) as const;

describe('the outbox', () => {
  test('sends at once while the reader keeps up', () => {
    const { outbox, frames } = setUp();
    outbox.text(delta(0, 'a'));
    outbox.text(delta(1, 'b'));
    outbox.output(output('o'));
    expect(frames().map(({ text }) => text)).toEqual(['a', 'b', 'o']);
  });

  test('keeps the order of frames, lets them overtake deltas, merges the deltas of a block [ws.limits]', () => {
    const { outbox, frames, jam, drain } = setUp();
    outbox.frame('{"first":1}');
    jam();
    outbox.text(delta(0, 'ab'));
    outbox.frame('{"n":1}');
    outbox.text(delta(2, 'cd'));
    outbox.text(delta(0, 'other', { index: 1 }));
    outbox.frame('{"n":2}');
    drain();
    expect(frames().slice(1)).toEqual([
      { n: 1 },
      { n: 2 },
      { drained: true },
      delta(0, 'abcd'),
      delta(0, 'other', { index: 1 }),
    ]);
  });

  test('a delta that does not go on where the last one ended is not merged', () => {
    const { outbox, frames, jam, drain } = setUp();
    outbox.frame('{}');
    jam();
    outbox.text(delta(0, 'ab'));
    outbox.text(delta(7, 'cd'));
    drain();
    expect(frames().slice(2)).toEqual([delta(0, 'ab'), delta(7, 'cd')]);
  });

  test('deltas of an ended block, of stopped turns, of a left session are discarded', () => {
    const { outbox, frames, jam, drain } = setUp();
    outbox.frame('{}');
    jam();
    outbox.text(delta(0, 'ended'));
    outbox.text(delta(0, 'open', { index: 1 }));
    outbox.text(delta(0, 'stopped', { turn: 't2' }));
    outbox.text(delta(0, 'left', { session: 'b' }));
    outbox.dropBlock('a', 't', 0);
    outbox.dropTurns('a', ['t2']);
    outbox.dropSession('b');
    drain();
    expect(frames().slice(2)).toEqual([delta(0, 'open', { index: 1 })]);
  });

  test("of a call's output the last characters are kept, and those left out are counted", () => {
    const { outbox, frames, jam, drain } = setUp();
    outbox.frame('{}');
    jam();
    outbox.output(output('abcdef'));
    outbox.output(output('ghijkl'));
    outbox.output(output('mn'));
    drain();
    expect(frames().slice(2)).toEqual([{ ...output('efghijklmn'), skipped: 4 }]);
  });

  test('the queue is limited in bytes, frames and deltas together [ws.limits]', () => {
    const at = setUp({ queueBytes: 20 });
    at.outbox.frame('{}');
    at.jam();
    at.outbox.frame('"0123456789"'); // 12
    at.outbox.text(delta(0, '12345678')); // 8
    expect(at.overflows).toBe(0);
    at.outbox.text(delta(8, 'é'));
    expect(at.overflows).toBe(1);
  });

  test('discarded and sent frames no longer count', () => {
    const at = setUp({ queueBytes: 40 });
    at.outbox.frame('{}');
    for (let round = 0; round < 50; round++) {
      at.jam();
      at.outbox.frame('"0123"');
      at.outbox.text(delta(0, '12345678'));
      at.outbox.output(output('1234'));
      if (round % 2 === 0) at.outbox.dropTurns('a', ['t']);
      at.drain();
    }
    expect(at.overflows).toBe(0);
  });

  test('has room while its queue is empty, and resolves when it is empty again', async () => {
    const at = setUp();
    expect(at.outbox.waitForRoom()).toBeNull();
    at.outbox.frame('{}');
    at.jam();
    const socket = at.outbox.waitForRoom();
    at.outbox.frame('{"n":1}');
    const queue = at.outbox.waitForRoom();
    expect(at.signs).toBe(0);
    at.drain();
    await Promise.all([socket, queue]);
    expect(at.signs).toBe(1);
    expect(at.outbox.waitForRoom()).toBeNull();
    at.outbox.frame('{}');
    at.jam();
    const last = at.outbox.waitForRoom();
    expect(last).not.toBeNull();
    at.outbox.close();
    await last;
  });

  test('after its close nothing is sent', () => {
    const { outbox, sent, jam, drain } = setUp();
    outbox.frame('{}');
    jam();
    outbox.frame('{"n":1}');
    outbox.close();
    drain();
    outbox.text(delta(0, 'a'));
    expect(sent).toEqual(['{}']);
  });
});
