// Exclusive keys in whole sessions: which calls wait for each other, what is published of a wait, and what does not count it.

import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import type { ExclusiveKey, KeyScope } from '../../../src/core/contracts/tool.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import {
  type CallSpec,
  callerOf,
  callsOnce,
  callsResponse,
  type HarnessOptions,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';

/** Makes the same call in two sessions of one runtime at once. Resolves with the times at which each started and ended. */
async function twoSessions(key: ExclusiveKey, keys?: KeyScope) {
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
    { access: () => key },
  );
  const harness = await startHarness({
    tools: [folder],
    ...(keys && { keys }),
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

const oneAfterTheOther = ['s in at 0', 's out at 500', 't in at 500', 't out at 1000'];
const sideBySide = ['s in at 0', 't in at 0', 's out at 500', 't out at 500'];

test('a key of the host is held by one call of all sessions, and the next call gets it when that one has ended [tool.parallel]', async () => {
  expect(await twoSessions({ scope: 'host', name: 'site' })).toEqual(oneAfterTheOther);
});

test('calls with a key of the session do not wait for calls of other sessions [tool.parallel]', async () => {
  expect(await twoSessions({ scope: 'session', name: 'site' }, 'host')).toEqual(sideBySide);
});

test("the key of a folder is the session's, unless the configuration says that it is the host's [tool.parallel]", async () => {
  expect(await twoSessions({ folder: '/srv/site' })).toEqual(sideBySide);
  expect(await twoSessions({ folder: '/srv/site' }, 'session')).toEqual(sideBySide);
  expect(await twoSessions({ folder: '/srv/site' }, 'host')).toEqual(oneAfterTheOther);
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

describe('a call that waits for another one', () => {
  const bob = callerOf('bob');
  const agents = { helper: { description: 'helps', instructions: 'Help.' } };
  const lastText = ({ messages }: ModelRequest) => messages.findLast(({ role }) => role === 'user')?.content;
  /** Alice's call holds the key for `heldMs`; then bob's turn makes the calls of `first`, and those of `helped` in its sub-agent. */
  const waitingFor = async (heldMs: number, options: HarnessOptions, first: CallSpec, helped: CallSpec = first) => {
    const harness = await startHarness({
      agents,
      respond: (request) => {
        if (request.messages.at(-1)?.role === 'tool') return textResponse('ok');
        const text = lastText(request);
        if (text === 'hold') return callsResponse(['keyed', { ms: heldMs }]);
        return text === 'first' ? callsResponse(first) : callsResponse(helped);
      },
      ...options,
    });
    await harness.session.join(bob, createRecorder().listener, null);
    await harness.say('hold');
    await harness.clock.advance(10);
    const turn = await harness.say('first', bob);
    await harness.clock.advance(10);
    return { harness, turn, holder: harness.callNamed('keyed') };
  };

  test('is published at once and every five seconds, and is in the live tree, until it starts [tool.waits]', async () => {
    const { harness, holder } = await waitingFor(12_000, {}, ['keyed', { ms: 100 }]);
    const waiting = async () =>
      (await harness.session.nodes()).flatMap(({ node, waitsFor }) => (waitsFor ? [node] : []));
    const node = harness.callNamed('keyed', 1);
    expect(await waiting()).toEqual([node]);
    await harness.clock.advance(12_050);
    expect(harness.entered).toEqual([holder, node]);
    expect(await waiting()).toEqual([]);
    await harness.clock.advance(8_000);
    const waitsFor = { node: holder, name: 'keyed', owner: 'alice' };
    const published = [0, 5_000, 10_000].map((elapsedMs) => ({ node, waitsFor, elapsedMs }));
    expect(harness.recorder.waits).toEqual(published);
    expect(harness.outcomes()).toEqual({ [holder]: 'completed', [node]: 'completed' });
  });

  test('fails after the limit, and holds no one else up; 0 is no limit [tool.waits]', async () => {
    const limits = { keyWaitMs: 1_000 };
    const { harness, turn, holder } = await waitingFor(400_000, { limits }, ['keyed', { ms: 100 }]);
    const node = harness.callNamed('keyed', 1);
    await harness.clock.advance(900);
    expect(harness.outcomes()).toEqual({});
    await harness.clock.advance(200);
    expect(harness.recorder.of('tool_result')).toMatchObject([
      {
        node,
        outcome: 'failed',
        code: 'key_wait_limit',
        effect: 'not_started',
        message: expect.stringContaining(holder),
      },
    ]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    expect((await harness.session.nodes()).some(({ waitsFor }) => waitsFor)).toBe(false);

    const unlimited = await waitingFor(400_000, { limits: { keyWaitMs: 0 } }, ['keyed', { ms: 100 }]);
    await unlimited.harness.clock.advance(500_000);
    expect(Object.values(unlimited.harness.outcomes())).toEqual(['completed', 'completed']);
  });

  test.each([
    { name: 'its own timeout', options: { toolTimeouts: { keyed: 2_000 } }, first: ['keyed', { ms: 1_500 }] },
    { name: 'the deadline of its turn', options: { limits: { turnMs: 2_000 } }, first: ['keyed', { ms: 1_500 }] },
    {
      name: "its sub-agent's timeout",
      options: {},
      first: ['spawn_agent', { task: 'help', _meta: { timeout: 2_000 } }],
    },
  ] as const)('counts the wait in no timeout: $name [tool.waits] [tool.timeout]', async ({ options, first }) => {
    // the holder's own turn has no deadline that it could exceed: it is held by a call that was left behind
    const { harness, turn } = await waitingFor(1_900, options, first, ['keyed', { ms: 1_500 }]);
    await harness.clock.advance(1_880);
    expect(harness.recorder.of('tool_result')).toHaveLength(1);
    await harness.clock.advance(1_400);
    expect(harness.endOf(turn)).toBeUndefined();
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('tool_timeout')).toEqual([]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('has a timeout again as soon as it works [tool.waits] [tool.timeout]', async () => {
    const { harness, turn } = await waitingFor(1_900, { limits: { turnMs: 2_000 } }, ['keyed', { ms: 5_000 }]);
    await harness.clock.advance(1_880);
    await harness.clock.advance(1_900);
    expect(harness.endOf(turn)).toBeUndefined();
    await harness.clock.advance(200);
    expect(harness.endOf(turn)?.outcome).toBe('timed_out');
  });

  test('leaves nothing when it is stopped: no entry, no timer, no key [tool.waits] [cancel.clean]', async () => {
    const { harness, turn, holder } = await waitingFor(60_000, {}, ['keyed', { ms: 100 }]);
    await harness.cancel({ target: turn }, bob);
    await harness.clock.advance(100);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('keyed', 1)]: 'cancelled' });
    expect(harness.runtime.sizes('s')).toMatchObject({ exclusiveKeys: 1 }); // the holder's
    const { length } = harness.recorder.waits;
    await harness.clock.advance(30_000);
    expect(harness.recorder.waits).toHaveLength(length);
    await harness.cancel({ target: holder });
    await harness.clock.advance(1_000);
    expect(harness.clock.pending).toBe((await startHarness()).clock.pending);
  });
});
