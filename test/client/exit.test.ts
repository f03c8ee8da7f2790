// A closed client keeps no process alive, whatever the state of its connection.
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';

test.each([
  { line: 'good', refuse: 0, hole: 0 },
  { line: 'lost', refuse: 1, hole: 0 },
  { line: 'hole', refuse: 0, hole: 0 },
])('with a connection that is $line [ws.protocol]', async ({ line, refuse }) => {
  const { url } = await startGateway({ runtime: new FakeRuntime() });
  const proxy = await startProxy({ target: url, faults: { refuse }, chance: () => 0 });
  const child = startChild('test/children/client-that-exits.ts', { args: [proxy.url, line] });
  await child.untilPrinted(/ready \w+/);
  if (line === 'hole') {
    proxy.mute();
    child.type('go on');
  }
  await child.untilPrinted('closed');
  expect(await child.ended()).toBe(0);
});
