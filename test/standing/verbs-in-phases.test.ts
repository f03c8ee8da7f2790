// The verbs beside CANCEL in each phase of the turn that they are about: each does what its cell in docs/cancellation.md says.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import { verbRowsOf } from '../house/phase-tables.ts';
import { read } from '../house/tree.ts';
import {
  callerOf,
  callsOnce,
  type Harness,
  type HarnessOptions,
  later,
  startHarness,
  textResponse,
} from '../support/harness.ts';
import { holdAppend } from '../support/held-log.ts';

interface InPhase {
  readonly harness: Harness;
  readonly turn: string;
  /** Lets a commit go on for which the phase waits. */
  readonly release?: () => void;
}

const long = 'x'.repeat(3_000);
/** A summary is asked for as the last message. */
const compacts: HarnessOptions = {
  limits: { compactAboveBytes: 9_000 },
  respond: ({ messages }) =>
    messages.at(-1)?.content.includes('Summarize this conversation')
      ? { steps: [{ text: 'In short.' }, { waitMs: 50_000 }] }
      : textResponse(long),
};

async function say(options: HarnessOptions, ms = 50): Promise<InPhase> {
  const harness = await startHarness(options);
  const turn = await harness.say('words');
  await harness.clock.advance(ms);
  return { harness, turn };
}

async function sayHeld(type: string, isStopped: boolean): Promise<InPhase> {
  const hold = holdAppend((types) => types.includes(type));
  const memory = createMemoryLog();
  const createSession: Log['createSession'] = async (...args) => memory.createSession?.(...args);
  const respond = callsOnce(['wait']);
  const { harness, turn } = await say({
    log: { ...hold.wrap(memory), createSession },
    respond: (request, n) => later(respond(request, n)), // the calls are in a commit of their own
  });
  if (isStopped) {
    await harness.cancel({ target: turn });
    await harness.clock.advance(100);
  }
  await hold.reached;
  return { harness, turn, release: hold.release };
}

/** How a turn comes into each phase of the page. */
const phases: Readonly<Record<string, () => Promise<InPhase>>> = {
  async queued() {
    const { harness } = await say({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    return { harness, turn: await harness.say('later') };
  },
  preparing: () => say({ buildContext: () => new Promise(() => {}) }),
  async compacting() {
    const { harness } = await say(compacts, 1_000);
    for (const words of ['two', 'three']) {
      await harness.say(words);
      await harness.clock.advance(1_000);
    }
    const turn = await harness.say('four');
    await harness.clock.advance(50);
    const [request] = harness.provider.requests.slice(-1);
    expect(request?.messages.at(-1)?.content).toContain('Summarize this conversation');
    return { harness, turn };
  },
  generating: () => say({ respond: () => ({ steps: [{ text: 'I' }, { waitMs: 60_000 }] }) }),
  dispatching: () => sayHeld('tool_call', false),
  acting: () => say({ respond: callsOnce(['wait', { ms: 60_000 }]) }),
  async 'any, being stopped'() {
    const { harness, turn } = await say({ respond: callsOnce(['wait', { ms: 60_000, unwind: 1_000 }]) });
    await harness.cancel({ target: turn });
    return { harness, turn };
  },
  'settling: stopped': () => sayHeld('turn_ended', true),
  async 'settled: stopped'() {
    const { harness, turn } = await say({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    return { harness, turn };
  },
  async 'settled: stopped, and taken up again'() {
    const { harness, turn } = await say({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    await perform(harness, harness.runtime.resume('s', harness.alice, { turn }));
    await harness.clock.advance(1_000);
    return { harness, turn };
  },
  'settled: failed': () => say({ respond: () => ({ steps: [{ fail: 'model_malformed' as const }] }) }, 1_000),
  'settled: out of time': () => say({ limits: { turnMs: 500 }, respond: callsOnce(['wait', { ms: 60_000 }]) }, 5_000),
  'settled: completed': () => say({ respond: () => textResponse('ok') }, 1_000),
};

async function perform<T>({ clock }: Harness, pending: Promise<T>, release: () => void = () => {}): Promise<T> {
  await clock.advance(1);
  release();
  await clock.advance(20);
  return pending;
}

type Reply = { readonly type: string; readonly code?: string; readonly refusal?: { readonly code: string } };

const codeIn = (reply: Reply): string => `\`${reply.code ?? reply.refusal?.code ?? reply.type}\``;

/** What each verb does, in the words of the page. */
const verbs: Readonly<Record<string, (phase: InPhase) => Promise<string>>> = {
  async RESUME({ harness, turn, release }) {
    const reply = await perform(harness, harness.runtime.resume('s', harness.alice, { turn }), release);
    return reply.type === 'turn_opened' ? 'accepted' : codeIn(reply);
  },
  async 'words that go on'({ harness, turn, release }) {
    const reply = await perform(harness, harness.runtime.say('s', harness.alice, { text: 'continue' }), release);
    if (reply.type !== 'turn_opened') return codeIn(reply);
    const opened = harness.recorder.of('turn_opened').find((fact) => fact.turn === reply.turn);
    expect(opened?.resumes).toBe(opened?.resumes === undefined ? undefined : turn);
    return opened?.resumes === undefined ? 'an ordinary message' : 'a RESUME of it';
  },
  async FORK({ harness, turn, release }) {
    const reply = await perform(harness, harness.runtime.forkSession('s', harness.alice, { turn }), release);
    return reply.type === 'forked' ? 'accepted' : codeIn(reply);
  },
  async SET_TIMEOUT({ harness, release }) {
    const moderator = callerOf('alice', ['moderator']);
    const reply = await perform(
      harness,
      harness.runtime.setToolTimeout('s', moderator, { tool: 'wait', ms: 60_000 }),
      release,
    );
    return reply.type === 'tool_timeout_set' ? 'accepted' : codeIn(reply);
  },
};

const written = verbRowsOf(read('docs/cancellation.md'));

test('the page has a column for each verb, and a row for each phase', () => {
  expect(written.head).toEqual(['phase of the turn', ...Object.keys(verbs)]);
  expect(written.rows.map(([phase]) => phase)).toEqual(Object.keys(phases));
});

test.each(Object.entries(phases))(
  '%s [recover.resume] [recover.go-on] [fork.settled] [tool.timeouts]',
  async (phase, enter) => {
    const seen: string[] = [];
    for (const verb of Object.values(verbs)) seen.push(await verb(await enter()));
    expect(seen).toEqual(written.rows.find(([name]) => name === phase)?.slice(1));
  },
);
