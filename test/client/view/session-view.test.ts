// A view of a session: subscribe and snapshot, over a session without a socket and over a real gateway.
import { expect, onTestFinished, test } from 'vitest';
import { JoinedSession, type SessionState } from '../../../src/client/joined-session.ts';
import { SessionView } from '../../../src/client/view/session-view.ts';
import type { ServerFrame } from '../../../src/wire/server-frames.ts';
import { connectChecked } from '../../support/checked-client.ts';
import { startGateway } from '../../support/gateway.ts';
import { callsOnce, startHarness } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { delta, joined, working } from './frames.ts';

function setUp() {
  let count = 0;
  const session = new JoinedSession({
    id: 's',
    from: 0,
    createRef: () => `r${count++}`,
    send() {},
    isConnected: false,
    rejoinLater() {},
    onEnd() {},
  });
  const view = new SessionView(session);
  const receive = (...frames: readonly ServerFrame[]) => {
    for (const frame of frames) session.receive(frame);
  };
  return { session, view, receive };
}

test('the snapshot is the same value until something changes, and each change calls the listeners', () => {
  const { session, view, receive } = setUp();
  const { subscribe, getSnapshot } = view; // called without `this`, as React does
  let changes = 0;
  const unsubscribe = subscribe(() => changes++);
  const first = getSnapshot();
  expect(getSnapshot()).toBe(first);
  session.connect();
  receive({ ...joined(10), ref: 'r0' }, ...working);
  const snapshot = getSnapshot();
  expect(snapshot.turns).toHaveLength(2);
  const seen = changes;
  expect(seen).toBeGreaterThan(working.length);
  receive(...working); // repeated
  expect(getSnapshot()).toBe(snapshot);
  expect(changes).toBe(seen);
  unsubscribe();
  receive(delta('turn_2', 0, 'more'));
  expect(changes).toBe(seen);
  expect(getSnapshot().turns[1]?.blocks[0]?.text).toBe('more');
});

test('it has the state of the session, and stops with close', () => {
  const { session, view, receive } = setUp();
  const states: SessionState[] = [];
  view.subscribe(() => states.push(view.getSnapshot().state));
  session.connect();
  receive({ ...joined(0), ref: 'r0' });
  session.disconnect();
  receive({ type: 'left', session: 's', reason: 'shutdown' });
  expect(states).toEqual(['joining', 'joining', 'joined', 'away']);
  session.connect();
  session.fail(new Error('over'));
  expect(view.getSnapshot().state).toBe('ended');
  view.close();
  receive(...working);
  expect(view.getSnapshot().turns).toEqual([]);
});

test('after the server has ended the membership the snapshot has the reason', () => {
  const { session, view, receive } = setUp();
  session.connect();
  receive({ ...joined(0), ref: 'r0' }, { type: 'left', session: 's', reason: 'store_failed' });
  expect(view.getSnapshot()).toMatchObject({ state: 'away', endReason: 'store_failed' });
});

test('over a socket a view from the start and a view by a replay have equal snapshots', async () => {
  const harness = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }], ['note']) });
  const { url } = await startGateway({ runtime: harness.runtime });
  const client = async () => {
    const made = await connectChecked({ url, reconnect: false });
    onTestFinished(() => made.close());
    return made;
  };
  const session = (await client()).session('s');
  const view = new SessionView(session);
  const turn = session.say('work');
  const pass = <T>(condition: () => T) =>
    until(async () => {
      await harness.clock.advance(10);
      return condition();
    });
  await pass(() => view.getSnapshot().nodes.some(({ name, state }) => name === 'wait' && state === 'running'));
  const receipt = turn.cancel({ reason: 'enough' });
  await pass(() => view.getSnapshot().receipts[0]?.settled);
  await receipt.settled;
  expect(view.getSnapshot()).toMatchObject({
    state: 'joined',
    nodes: [],
    turns: [
      { text: 'work', node: { outcome: 'cancelled' }, calls: [{ node: { name: 'wait' } }, { node: { name: 'note' } }] },
    ],
    receipts: [{ reason: 'enough', target: turn.id }],
  });
  const again = new SessionView((await client()).session('s', { after: 0 }));
  await pass(() => again.getSnapshot().receipts[0]?.settled);
  expect(again.getSnapshot()).toEqual(view.getSnapshot());
});
