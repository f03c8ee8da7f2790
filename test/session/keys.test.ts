// Exclusive keys across sessions: a key of the host is shared by all sessions, a key of a session is not.

import { expect, test } from 'vitest';
import { bindSession } from '../../src/embed/bound-session.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import type { ExclusiveKey } from '../../src/tools/tool.ts';
import { callerOf, callsOnce, callsResponse, startHarness, textResponse, toolOf } from '../support/harness.ts';

/** Makes the same call in two sessions of one runtime at once. Resolves with the times at which each started and ended. */
async function twoSessions(scope: ExclusiveKey['scope']) {
  const entered: string[] = [];
  const folder = toolOf(
    'folder',
    (_, { session, clock }) =>
      new Promise((resolve) => {
        entered.push(`${session} in at ${clock.now()}`);
        clock.after(500, () => {
          entered.push(`${session} out at ${clock.now()}`);
          resolve('done');
        });
      }),
    { access: () => ({ scope, name: '/srv/site' }) },
  );
  const harness = await startHarness({
    tools: [folder],
    respond: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? textResponse('ok') : callsResponse(['folder']),
  });
  const bob = callerOf('bob');
  const other = await bindSession(harness.runtime, 't');
  const recorder = createRecorder(harness.clock.now);
  await other.join(bob, recorder.listener, 0);
  await harness.say('words');
  const said = other.say(bob, { text: 'words' });
  await harness.clock.advance(3_000);
  await said;
  const ends = [...harness.recorder.of('tool_result'), ...recorder.of('tool_result')].map(({ outcome }) => outcome);
  expect(ends).toEqual(['completed', 'completed']);
  return entered;
}

test('a key of the host is held by one call of all sessions, and the next call gets it when that one has ended [tool.parallel]', async () => {
  expect(await twoSessions('host')).toEqual(['s in at 0', 's out at 500', 't in at 500', 't out at 1000']);
});

test('calls with a key of the session do not wait for calls of other sessions [tool.parallel]', async () => {
  expect(await twoSessions('session')).toEqual(['s in at 0', 't in at 0', 's out at 500', 't out at 500']);
});

test('a call holds no key while a person thinks: another call under the key runs meanwhile [tool.parallel] [owner.ask]', async () => {
  const access = () => ({ scope: 'session', name: 'k' }) as const;
  const asking = { ...toolOf('asking', async () => 'done', { access }), approval: () => ({ text: 'May I?' }) };
  const harness = await startHarness({ tools: [asking], respond: callsOnce(['asking'], ['keyed', { ms: 100 }]) });
  await harness.say('words');
  await harness.clock.advance(1_000);
  expect(harness.outcomes()).toEqual({ [harness.callNamed('keyed')]: 'completed' });
  void harness.session.answer(harness.alice, { target: harness.callNamed('asking'), answer: 'approved' });
  await harness.clock.advance(1_000);
  expect(harness.outcomes()[harness.callNamed('asking')]).toBe('completed');
});
