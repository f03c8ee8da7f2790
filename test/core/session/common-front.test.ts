// The front that each request has in common with the one before: endpoints keep it in a cache, and read it at a fraction of the price.
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import { callsResponse, startHarness, textResponse } from '../../support/harness.ts';

const words = 'Tell me about the bridges, the ferries and the trains of this town. '.repeat(8);

/** The share of the earlier request that the later one begins with, from 0 to 1. */
function commonFront(earlier: ModelRequest, later: ModelRequest): number {
  const [before, after] = [earlier, later].map(({ messages }) => JSON.stringify(messages).slice(0, -1)) as [
    string,
    string,
  ];
  let length = 0;
  while (length < before.length && before[length] === after[length]) length++;
  return length / before.length;
}

const meanFront = (requests: readonly ModelRequest[]): number => {
  const shares = requests.slice(1).map((request, i) => commonFront(requests[i] as ModelRequest, request));
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
};

test.each([
  { full: 'in turns', limits: { contextTurns: 20 } },
  { full: 'in bytes', limits: { contextTurns: 1_000, contextBytes: 20_000 } },
])('over 200 turns with a window that is full $full, it is most of the request', async ({ limits }) => {
  const harness = await startHarness({
    limits,
    instructions: 'Be brief.',
    respond: ({ messages }, n) =>
      n % 2 === 0 && messages.at(-1)?.role !== 'tool' ? callsResponse(['wait', { ms: 5 }]) : textResponse('fine'),
  });
  for (let i = 0; i < 200; i++) {
    await harness.say(`${i}: ${words}`);
    await harness.clock.advance(100);
  }
  const { requests } = harness.provider;
  expect(requests.length).toBeGreaterThanOrEqual(200);
  expect(meanFront(requests)).toBeGreaterThan(0.9);
  const sizes = requests.slice(-100).map(({ messages }) => messages.filter(({ role }) => role === 'user').length);
  expect(Math.min(...sizes), 'half of the window stays').toBeGreaterThanOrEqual(Math.max(...sizes) / 2 - 1);
});
