// Plays turns of every kind in many sessions at once: completed, cancelled by several causes, refused, abandoned, failed.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import type { SessionListener } from '../../../src/core/session/api.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import { type BoundSession, bindSession } from '../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import {
  callerOf,
  callsResponse,
  type Harness,
  type HarnessOptions,
  startHarness,
  textResponse,
} from '../../support/harness.ts';

const long = { ms: 60_000 };
const hang: Script = { steps: [{ text: 'Well' }, { hang: true }] };

/** What the model does first for each kind of words. */
const firstResponses: Readonly<Record<string, Script>> = {
  plain: textResponse('hello'),
  note: callsResponse(['note'], ['note']),
  invented: callsResponse(['no_such_tool']),
  fail: { steps: [{ fail: 'model_unavailable' }] },
  client: callsResponse(['wait', long], ['note']),
  phrase: callsResponse(['wait', long]),
  lost: callsResponse(['wait', long]),
  refused: callsResponse(['wait', { ms: 100 }]),
  partly: callsResponse(['keyed', { ms: 2_000 }], ['wait', long]),
  ignores: callsResponse(['ignores_signal', { ms: 5_000 }]),
  slow: callsResponse(['slow']),
  newer: callsResponse(['look'], ['look']),
  agent: callsResponse(['spawn_agent', { task: 'client' }]),
  hang,
  stubborn: { steps: [{ waitMs: 5_000 }, { text: 'late' }], ignoresSignal: true },
  waits: callsResponse(['wait', long]),
};

export const kinds = Object.keys(firstResponses);

function respond({ messages }: ModelRequest): Script {
  const last = messages.at(-1);
  const words = last?.role === 'user' && typeof last.content === 'string' ? last.content : '';
  return firstResponses[words] ?? textResponse('done');
}

const bob = callerOf('bob');

const quiet: SessionListener = createRecorder().listener;

/** Says the words in one session, and does what belongs to their kind while the turn runs. */
async function playTurn(harness: Harness, session: BoundSession, kind: string): Promise<void> {
  const { alice, clock } = harness;
  const tick = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const opened = await session.say(alice, { text: kind });
  if (opened.type !== 'turn_opened') throw new Error(opened.type);
  const target = opened.turn;
  await tick(50);
  if (['client', 'partly', 'ignores', 'agent', 'hang', 'stubborn'].includes(kind)) {
    await session.cancel(alice, { target, ref: `cancel of ${target}` });
    await session.cancel(alice, { target }); // a repeat counts no second time
  }
  if (kind === 'phrase') await session.say(alice, { text: 'ok nvm' });
  if (kind === 'refused') await session.cancel(bob, { target });
  if (kind === 'waits') {
    await session.say(alice, { text: 'plain' });
    await session.cancel(alice, { target: 'mine' });
  }
  if (kind === 'lost') {
    await session.leave(alice.connection, 'lost');
    await tick(10_000);
    await session.join(alice, quiet, 0);
  }
  await tick(10_000);
}

/** Plays `rounds` turns in each of `sessions` sessions, and closes the runtime while the last ones run. Resolves with what the log holds. */
export async function playMixedTurns(
  sessions: number,
  rounds: number,
  options: HarnessOptions,
): Promise<readonly RecordedFact[]> {
  const harness = await startHarness({
    respond,
    session: () => ({ policy: 'owner', onDisconnect: 'cancel' }),
    acknowledge: 'on',
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    ownerOfCall: ({ name, turnOwner }) => (name === 'keyed' ? 'bob' : turnOwner),
    toolTimeouts: { slow: 300 },
    tools: [slow, look],
    ...options,
  });
  const { runtime, alice, clock } = harness;
  const bound: BoundSession[] = [];
  for (let i = 0; i < sessions; i++) {
    const session = await bindSession(runtime, `session-${i}`);
    await session.join(alice, quiet, 0);
    await session.join(bob, quiet, 0);
    bound.push(session);
  }
  for (let round = 0; round < rounds; round++) {
    const played = Promise.all(bound.map((session, i) => playTurn(harness, session, kindOf(i, round))));
    await clock.advance(25_000);
    await played;
  }
  const said = Promise.all(bound.slice(0, 10).map((session) => session.say(alice, { text: 'client' })));
  await clock.advance(100);
  await said;
  const closed = runtime.close();
  await clock.advance(10_000);
  await closed;
  const logs = await Promise.all(bound.map(({ id }) => harness.log.read(id, 0)));
  return logs.flat().map(({ body }) => body as RecordedFact); // a log of sessions holds facts
}

const kindOf = (session: number, round: number): string => kinds[(session + round) % kinds.length] ?? 'plain';

const untilAborted = (signal: AbortSignal) =>
  new Promise<{ kind: 'stopped'; output: string }>((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }));
  });

const common = {
  description: 'Waits for its end.',
  input: { type: 'object' },
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  timeoutMs: 0,
} as const;

const slow = defineTool({ ...common, name: 'slow', run: (_, { signal }) => untilAborted(signal) });
let looks = 0;
const look = defineTool({
  ...common,
  name: 'look',
  supersedes: () => 'view',
  run: async (_, { signal }) => (looks++ % 2 === 0 ? untilAborted(signal) : 'seen'),
});
