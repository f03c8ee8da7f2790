// The table of signed tokens that were verified: their number is limited, and each is kept for ten minutes.
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../src/core/sources/virtual.ts';
import { VerifiedTokens } from '../../src/gateway/auth/verified-tokens.ts';

const proofOf = (id: string, expiresAt: number | null = null) => ({ speaker: { id, roles: [] }, expiresAt });
const minute = 60_000;

test('the table keeps the tokens that were shown last, up to its capacity [http.api.limits.guesses]', () => {
  const table = new VerifiedTokens(createVirtualClock(), 3);
  for (const name of ['a', 'b', 'c']) table.add(name, proofOf(name));
  expect(table.find('a')).toEqual(proofOf('a'));
  table.add('d', proofOf('d'));
  expect(['a', 'b', 'c', 'd'].filter((name) => table.find(name))).toEqual(['a', 'c', 'd']);
  for (let n = 0; n < 100; n++) table.add(`token-${n}`, proofOf('eve'));
  expect(table.size).toBe(3);
});

test('the table forgets a token that was not shown for ten minutes, also if the time of day is set meanwhile', async () => {
  const clock = createVirtualClock(1_000_000);
  const table = new VerifiedTokens(clock);
  table.add('a', proofOf('a'));
  await clock.advance(9 * minute);
  expect(table.find('a')).not.toBeNull();
  clock.step(24 * 60 * minute);
  await clock.advance(9 * minute);
  expect(table.find('a')).not.toBeNull();
  clock.step(-48 * 60 * minute);
  await clock.advance(10 * minute);
  expect(table.find('a')).toBeNull();
  expect(table.size).toBe(0);
});

test('the table returns no token that has expired', () => {
  const clock = createVirtualClock(1_000_000);
  const table = new VerifiedTokens(clock);
  table.add('a', proofOf('a', 1_000_500));
  clock.step(499);
  expect(table.find('a')).not.toBeNull();
  clock.step(1);
  expect(table.find('a')).toBeNull();
  clock.step(-500);
  expect(table.find('a')).toBeNull();
});
