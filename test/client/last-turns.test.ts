// A session that is joined with its last turns: what its JOINs ask for, whatever breaks, and at a gateway that cannot replay them.
import { expect, test } from 'vitest';
import { JoinedSession } from '../../src/client/joined-session.ts';
import { replayStart } from '../../src/client/replay-start.ts';
import type { ClientFrame } from '../../src/wire/client-frames.ts';
import { openedFrame, setUpSession } from './held-session.ts';

const tail = { start: 100, owner: 'ann', members: [], delegations: [] };
const joinsOf = (sent: readonly ClientFrame[]) =>
  sent.flatMap((frame) => (frame.type === 'JOIN' ? [{ after: frame.after, last: frame.last }] : []));

test('a connection that ends before a fact of the last turns came joins with them again, and all comes anew [ws.last]', () => {
  const held = setUpSession({ from: { last: 2 } });
  held.joined(120, { tail });
  held.session.receive(openedFrame(5, 'r', 'turn_old'));
  held.breakOff();
  expect(joinsOf(held.sent)).toEqual([{ last: 2 }, { last: 2 }]);
  held.joined(121, { tail });
  held.session.receive(openedFrame(5, 'r', 'turn_old'));
  held.session.receive(openedFrame(100, 'r', 'turn_new'));
  expect(held.emitted.map((frame) => ('seq' in frame ? frame.seq : 0))).toEqual([120, 5, 121, 5, 100]);
  held.breakOff();
  expect(joinsOf(held.sent).at(-1)).toEqual({ after: 100 });
  held.joined(130);
  held.session.receive(openedFrame(100, 'r', 'turn_new'));
  held.replayed();
  expect(held.emitted.at(-1)?.type).toBe('replayed');
  expect(held.emitted).toHaveLength(7);
  expect(held.session.seq).toBe(100);
});

test('another log is joined with its last turns, too [ws.last]', () => {
  const held = setUpSession({ from: { last: 2 } });
  held.joined(120, { tail });
  held.session.receive(openedFrame(110, 'r'));
  held.replayed();
  held.breakOff();
  held.joined(3); // it ends before what was received
  expect(joinsOf(held.sent).at(-1)).toEqual({ last: 2 });
});

test('a gateway that cannot replay the last turns replays all [ws.last]', () => {
  const sent: ClientFrame[] = [];
  const session = new JoinedSession({
    id: 's',
    from: { last: 2 },
    createRef: () => 'r',
    send: (frame) => sent.push(frame),
    features: () => ['fork'],
    onEnd() {},
  });
  expect(joinsOf(sent)).toEqual([{ after: 0 }]);
  session.disconnect();
  session.connect();
  expect(joinsOf(sent)).toEqual([{ after: 0 }, { after: 0 }]);
});

test('a number of turns that is none is refused [ws.last]', () => {
  for (const last of [0, -1, 1.5, Number.NaN]) expect(() => replayStart({ last })).toThrow(RangeError);
  expect([replayStart({}), replayStart({ after: 0 }), replayStart({ last: 3 })]).toEqual([null, 0, { last: 3 }]);
});
