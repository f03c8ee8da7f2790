// Decisions in the transcript: each with its inputs, and equal when it is made again.
import { expect, test } from 'vitest';
import { replayDecision } from '../../machines/decision-replay.ts';
import type { CancelDecided } from '../../machines/facts.ts';
import type { StandingRule } from '../../machines/standing.ts';
import { type ReplayCount, replaySession } from '../../src/programs/replay-decisions.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf, callsOnce, startHarness } from '../support/harness.ts';

const bob = callerOf('bob');

/** A session under `owner` with a turn of alice: a call of hers, and one of bob's. */
async function startRoom(standing?: StandingRule) {
  const harness = await startHarness({
    session: () => ({ policy: 'owner', standing }),
    respond: callsOnce(['wait', { ms: 900 }], ['wait', { ms: 900, of: 'bob' }]),
    ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
  });
  await harness.session.join(bob, createRecorder().listener, null);
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  return { harness, turn, hers: harness.callNamed('wait', 0), his: harness.callNamed('wait', 1) };
}

test('an acceptance and a refusal each follow their decision, with its evidence and its policy [owner.replay]', async () => {
  const { harness, turn, hers, his } = await startRoom();
  await harness.cancel({ target: hers }, bob);
  await harness.cancel({ target: turn });
  const kinds = harness.recorder.facts.map(({ type }) => type).filter((type) => /^cancel_/.test(type));
  expect(kinds).toEqual(['cancel_decided', 'cancel_refused', 'cancel_decided', 'cancel_accepted']);
  const [refusal, acceptance] = harness.recorder.of('cancel_decided');
  expect(refusal).toMatchObject({
    source: 'client',
    by: 'bob',
    roles: ['member'],
    kind: 'text',
    policy: 'owner',
    rule: 'builtin',
    participants: 2,
    nodes: [{ node: hers, kind: 'tool-call', owner: 'alice', may: false, because: 'not_owner' }],
  });
  expect(acceptance?.cancel).toBe(harness.recorder.of('cancel_accepted')[0]?.cancel);
  expect(acceptance?.nodes).toMatchObject([
    { node: turn, may: true, because: 'initiator' },
    { node: hers, may: true, because: 'initiator' },
    { node: his, may: false, because: 'not_owner' },
  ]);
});

test('a repeat is not recorded again, and a cause of the runtime is none [owner.replay]', async () => {
  const { harness, turn } = await startRoom();
  for (let i = 0; i < 4; i++) await harness.cancel({ target: turn });
  expect(harness.recorder.of('cancel_decided').length).toBeLessThanOrEqual(2);
  const closed = harness.runtime.close();
  await harness.clock.advance(1_000);
  await closed;
  const sources = harness.recorder.of('cancel_decided').map(({ source }) => source);
  expect(new Set(sources)).toEqual(new Set(['client']));
});

test('a record that was changed is found, and one of an embedder is judged with its rule alone [owner.replay]', async () => {
  const rule: StandingRule = (_, { id }) =>
    id === 'bob' ? { may: true, because: 'policy' } : { may: false, because: 'not_allowed' };
  const { harness, hers } = await startRoom(rule);
  await harness.cancel({ target: hers }, bob);
  const [decided] = harness.recorder.of('cancel_decided');
  if (!decided) throw new Error('There is no decision.');
  expect(decided.rule).toBe('embedder');
  expect(replayDecision(decided)).toBeNull();
  expect(replayDecision(decided, rule)).toEqual([]);
  const forged: CancelDecided = { ...decided, rule: 'builtin' };
  expect(replayDecision(forged)).toMatchObject([
    { recorded: { because: 'policy' }, now: { may: false, because: 'not_owner' } },
  ]);
});

test('the command counts the decisions of a transcript and names those that differ [owner.replay]', () => {
  const decided = {
    type: 'cancel_decided',
    source: 'phrase',
    by: 'bob',
    roles: ['member'],
    target: 'session',
    kind: 'voice',
    policy: 'addressed',
    rule: 'builtin',
    participants: 3,
    addressed: 0.4,
    addressedFrom: 0.7,
    nodes: [{ node: 'turn_1', kind: 'turn', owner: 'ann', may: false, because: 'words_not_addressed' }],
  };
  const changed = { ...decided, addressed: 0.9 };
  const facts = [decided, changed, { ...decided, rule: 'embedder' }].map((fact, i) => ({
    seq: i + 1,
    fact: fact as never,
  }));
  const count: ReplayCount = { decisions: 0, equal: 0, differing: 0, unknown: 0 };
  const lines: string[] = [];
  replaySession('s', facts, count, (line) => lines.push(line));
  expect(count).toEqual({ decisions: 3, equal: 1, differing: 1, unknown: 1 });
  expect(lines).toEqual(['s 2: bob over turn_1: recorded may not (words_not_addressed), now may (addressed)']);
});
