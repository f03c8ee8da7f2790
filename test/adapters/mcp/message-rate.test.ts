// The rate of messages that no request has caused, when the time of day is set back.
import { expect, test } from 'vitest';
import { IncomingMessages } from '../../../src/adapters/mcp/incoming-messages.ts';
import { defaultMcpLimits } from '../../../src/adapters/mcp/mcp-limits.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

test('a server that keeps the rate is in order although the clock was set back an hour', async () => {
  const clock = createVirtualClock(1_000_000_000_000);
  const violations: string[] = [];
  const limits = { ...defaultMcpLimits, maxFramesPerSecond: 10 };
  const messages = new IncomingMessages({
    clock,
    limits,
    onMessage() {},
    onResponse() {},
    onViolation: (message) => violations.push(message),
  });
  const receive = (count: number) => {
    for (let n = 0; n < count; n++) messages.receiveText('{"jsonrpc":"2.0","method":"notifications/message"}');
  };
  receive(10);
  clock.step(-3_600_000);
  await clock.advance(1_000);
  receive(10);
  expect(violations).toEqual([]);
  receive(1);
  expect(violations).toEqual(['sent more than 10 unrequested messages in a second']);
});
