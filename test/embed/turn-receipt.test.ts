// A turn as a door reads it: its receipt, its sum, and the door in the cause of its stop.
import { expect, test } from 'vitest';
import { callKind, titleOfCall } from '../../src/index.ts';
import { asks, open, says } from './open.ts';

test('`receipt` of a turn that nobody has stopped is null, and its sum has texts and calls with output [doors.summary]', async () => {
  const { session, clock } = await open((_said, n) => (n === 0 ? asks('session_status') : says('done')));
  const turn = session.as('ann').say('look');
  await clock.advance(0);
  expect(await turn.receipt).toBeNull();
  const { texts, calls, end, receipt } = await turn.summary();
  expect({ texts, receipt, outcome: end.outcome }).toEqual({ texts: ['done'], receipt: null, outcome: 'completed' });
  expect(calls).toMatchObject([
    { name: 'session_status', title: 'session_status', kind: 'think', result: { outcome: 'failed' } },
  ]);
});

test('`receipt` of a stopped turn is that of its stop, whoever has sent it, with the door in its cause [doors.cause]', async () => {
  const { session, clock } = await open(() => asks('watch'));
  const turn = session.as('ann').say('watch');
  await clock.advance(0);
  const { settled } = session.as('bob', { door: 'acp' }).cancel('session', { reason: 'enough' });
  await clock.advance(0);
  const receipt = await turn.receipt;
  expect(receipt?.cancel).toBe((await settled)?.cancel);
  expect(receipt?.cause).toEqual({ source: 'client', by: 'bob', reason: 'enough', target: 'session', door: 'acp' });
  const { calls } = await turn.summary();
  expect(calls[0]?.result).toMatchObject({ outcome: 'cancelled' });
});

test('a stop without a door has none in its cause [doors.cause]', async () => {
  const { session, clock } = await open(() => asks('watch'));
  const turn = session.as('ann').say('watch');
  await clock.advance(0);
  turn.cancel();
  await clock.advance(0);
  expect((await turn.receipt)?.cause).not.toHaveProperty('door');
});

test('`receipt` rejects as the turn does that was never opened [doors.summary]', async () => {
  const { session, clock } = await open(() => says('x'));
  const blank = session.as('ann').say(' ');
  await clock.advance(0);
  await expect(blank.receipt).rejects.toMatchObject({ name: 'CommandRefused' });
  await expect(blank.summary()).rejects.toMatchObject({ name: 'CommandRefused' });
});

test('titles and kinds of calls [doors.summary]', () => {
  expect(titleOfCall('shell', '{"command":"npm test"}')).toBe('shell: npm test');
  expect(titleOfCall('session_status', '{}')).toBe('session_status');
  expect(['shell', 'read_file', 'spawn_agent', 'constructor', 'files__read'].map(callKind)).toEqual([
    'execute',
    'read',
    'agent',
    'other',
    'other',
  ]);
});
