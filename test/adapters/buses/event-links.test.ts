// The streams of other hosts at a holder: each is left once, and none of those that have joined since then.
import { expect, test } from 'vitest';
import { createLocalBuses } from '../../../src/adapters/buses/local-buses.ts';
import { EventLinks } from '../../../src/core/cluster/event-links.ts';
import { callerOf } from '../../support/harness.ts';

const caller = callerOf('bob');
const { connection } = caller;

/** Links over a runtime that notes what is asked of it. `joining`: what a JOIN waits for. */
function newLinks(joining: Promise<void> = Promise.resolve()) {
  const asked: string[] = [];
  let count = 0;
  const links = new EventLinks({
    bus: createLocalBuses({ key: 'the key of the cluster in these tests' }).connect(),
    host: 'holder',
    ids: (prefix) => `${prefix}_${++count}`,
    runtime: {
      join: async () => {
        await joining;
        asked.push('join');
      },
      leave: async (session) => {
        asked.push(`leave ${session}`);
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
  });
  const join = (stream: string, session = 's') => links.join(session, caller, null, { host: 'other', stream });
  return { links, join, asked };
}

test('a LEAVE that comes late does not remove a connection that has joined again [cluster.loss]', async () => {
  const { links, join, asked } = newLinks();
  await join('first');
  await join('second');
  await links.leave('s', connection, 'left', 'first');
  expect(asked).toEqual(['join', 'join']);
  await links.leave('s', connection, 'left', 'second');
  await links.leave('s', connection, 'left', 'second'); // it was asked again
  expect(asked).toEqual(['join', 'join', 'leave s']);
});

test('the connections of a host that is gone leave at once, before one of them joins again [cluster.loss]', async () => {
  const { links, join, asked } = newLinks();
  await join('first', 'a');
  await join('second', 'b');
  const dropped = links.drop('other');
  await join('third', 'b');
  await dropped;
  expect(asked).toEqual(['join', 'join', 'leave a', 'leave b', 'join']);
});

test('a connection that leaves while it joins has left when it has joined [cluster.loss]', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { links, join, asked } = newLinks(promise);
  const joining = join('first');
  await links.leave('s', connection, 'left', 'first');
  resolve();
  await joining;
  expect(asked).toEqual(['leave s', 'join', 'leave s']);
});
