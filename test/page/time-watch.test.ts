// The limits of the browser: they count the work of a node from its start, also one that was seen for the first time, and not its waits.
import { expect, test } from 'vitest';
import { defaultViewLimits, foldFrame } from '../../src/client/view/fold.ts';
import { GatewayTime } from '../../src/client/view/gateway-time.ts';
import { emptySnapshot, type SessionSnapshot } from '../../src/client/view/snapshot.ts';
import { TimeWatch } from '../../src/page/chat-view/time-watch.ts';
import type { LiveNode, ServerFrame } from '../../src/wire/server-frames.ts';
import { joined } from '../client/view/frames.ts';

const node = (id: string, fields: Partial<LiveNode> = {}): LiveNode => ({
  node: id,
  kind: id === 'turn' ? 'turn' : 'tool-call',
  owner: 'ann',
  parent: id === 'turn' ? null : 'turn',
  name: id === 'turn' ? null : 'shell',
  state: 'running',
  since: 1,
  ...fields,
});

const question = {
  type: 'question_asked',
  turn: 'turn',
  node: 'call',
  question: 'q',
  to: 'ann',
  text: '?',
  choices: [],
  expiresAt: null,
} as const;

function watch(nodes: readonly LiveNode[], limits: { readonly turn: number; readonly call: number }) {
  let elapsed = 500;
  const gatewayTime = new GatewayTime(() => elapsed);
  let publish = (_: ServerFrame) => {};
  const on = (type: string, listener: never) => {
    if (type === '*') publish = listener;
    return () => {};
  };
  gatewayTime.follow({ state: 'joined', on }, { isReplayed: false });
  let snapshot: SessionSnapshot = emptySnapshot;
  const stopped: string[] = [];
  const timeWatch = new TimeWatch(gatewayTime);
  const send = (frame: ServerFrame) => {
    snapshot = foldFrame(snapshot, frame, defaultViewLimits);
    publish(frame);
  };
  send(joined(1, { nodes }));
  return {
    stopped,
    send,
    /** Lets seconds pass, with a check after each. */
    pass(seconds: number) {
      for (let n = 0; n < seconds; n++) {
        elapsed += 1_000;
        timeWatch.countWaits(snapshot, 1_000);
        stopped.push(...timeWatch.findOverdue(snapshot, limits, 'ann').map(({ id }) => id));
      }
    },
  };
}

test('right after a JOIN a call that has worked longer than its limit is stopped, once, and a younger one is not [clock.ages] [page.chat]', () => {
  const { pass, stopped } = watch(
    [node('turn', { ageMs: 27_000 }), node('call', { ageMs: 26_000 }), node('young', { ageMs: 13_500 })],
    { turn: 0, call: 15 },
  );
  pass(1);
  expect(stopped).toEqual(['call']);
  pass(1);
  expect(stopped).toEqual(['call', 'young']);
  pass(5);
  expect(stopped).toEqual(['call', 'young']);
});

test('what it has waited before the JOIN does not count, nor what it waits after it, for it and the turn above [page.chat]', () => {
  const { pass, send, stopped } = watch(
    [node('turn', { ageMs: 60_000, waitedMs: 50_000 }), node('call', { ageMs: 40_000, waitedMs: 35_000 })],
    { turn: 15, call: 15 },
  );
  pass(2);
  send({ ...question, session: 's', seq: 2, at: 1 });
  pass(60);
  expect(stopped).toEqual([]);
  send({
    type: 'question_closed',
    session: 's',
    seq: 3,
    at: 1,
    node: 'call',
    question: 'q',
    answer: 'answered',
    text: 'yes',
    by: 'ann',
    ref: null,
  });
  pass(3);
  expect(stopped).toEqual([]);
  pass(1);
  expect(stopped).toEqual(['turn']);
  pass(5);
  expect(stopped).toEqual(['turn', 'call']);
});

test('what runs at a gateway that says no ages is not stopped by a guess [clock.ages]', () => {
  const { pass, stopped } = watch([node('turn'), node('call')], { turn: 1, call: 1 });
  pass(5);
  expect(stopped).toEqual([]);
});
