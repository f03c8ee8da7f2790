// Observers: started and ended come once for each node within a process, on every path, and over a crash from a cursor on.
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { StoreFailed } from '../../../src/core/contracts/log.ts';
import type { NodeEnded, Observer } from '../../../src/core/session/session-spec.ts';
import { callsOnce, callsResponse, startHarness, textResponse } from '../../support/harness.ts';
import { wrapLog } from '../../support/wrap-log.ts';

/** An observer that writes down what it is notified of; with a cursor, the facts as well. */
function notes(cursor?: number) {
  const started: string[] = [];
  const ended: NodeEnded[] = [];
  const seqs: number[] = [];
  const observer: Observer = {
    started: ({ node }) => void started.push(node),
    ended: (node) => void ended.push(node),
    fact: (_session, seq) => void seqs.push(seq),
    ...(cursor !== undefined && { cursor: () => cursor }),
  };
  return { observer, started, ended, seqs };
}

const outcomesOf = ({ ended }: ReturnType<typeof notes>) =>
  Object.fromEntries(ended.map(({ node, outcome }) => [node, outcome]));

describe('each node starts once and ends once [ops.hooks]', () => {
  test('completed, timed out, superseded, denied, refused and cancelled', async () => {
    const noted = notes();
    const find = (tool: string) => [tool, { ms: 5_000 }] as const;
    const harness = await startHarness({
      observers: [noted.observer],
      session: () => ({ policy: 'owner' }),
      toolTimeouts: { wait: 300 },
      interceptors: [{ beforeTool: async ({ name }) => (name === 'note' ? { do: 'deny', reason: 'no' } : undefined) }],
      ownerOfCall: (call) => (call.name === 'ignores_signal' ? 'bob' : call.turnOwner),
      respond: callsOnce(find('wait'), ['note'], ['keyed', { ms: 5_000 }], ['ignores_signal', { ms: 2_000 }]),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(500);
    await harness.cancel({ target: turn });
    await harness.clock.advance(5_000);
    expect(outcomesOf(noted)).toEqual({
      [turn]: 'cancelled',
      [harness.callNamed('wait')]: 'timed_out',
      [harness.callNamed('note')]: 'denied',
      [harness.callNamed('keyed')]: 'cancelled',
      [harness.callNamed('ignores_signal')]: 'completed', // it was refused, and ran on after its turn
    });
    expect(noted.ended).toHaveLength(5);
    expect(noted.started.toSorted()).toEqual(noted.ended.map(({ node }) => node).toSorted());
    expect(noted.ended.every(({ seq }) => seq !== null)).toBe(true);
  });

  test('when the store fails: without a fact, and not again when the session is opened anew', async () => {
    const noted = notes();
    const store = createMemoryLog();
    let fails = false;
    const log = wrapLog(store, {
      append: (...args) => (fails ? Promise.reject(new StoreFailed('disk full')) : store.append(...args)),
    });
    const harness = await startHarness({
      log,
      observers: [noted.observer],
      respond: ({ messages }) =>
        messages.at(-1)?.content === 'words' ? callsResponse(['wait', { ms: 60_000 }]) : textResponse('fine'),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    fails = true;
    void harness.session.say(harness.alice, { text: 'more' });
    await harness.clock.advance(10_000);
    expect(outcomesOf(noted)).toMatchObject({ [turn]: 'failed', [harness.callNamed('wait')]: 'failed' });
    expect(noted.ended.every(({ seq }) => seq === null)).toBe(true);
    const before = noted.ended.length;
    fails = false;
    const again = harness.runtime.open('s');
    await harness.clock.advance(5_000);
    await again;
    expect(noted.ended).toHaveLength(before);
    expect(noted.seqs.length).toBe(new Set(noted.seqs).size);
  });
});

describe('over a crash of the process [ops.hooks.crash]', () => {
  /** A log in which a process has died in the middle of a call. */
  async function afterCrash() {
    const first = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    const turn = await first.say('words');
    await first.clock.advance(100);
    const events = await first.log.read('s', 0);
    const log = createMemoryLog();
    await log.claim('s', 0, 'dead');
    await log.append(
      's',
      1,
      0,
      events.map(({ body }) => body),
    ); // prettier
    return { log, turn, call: first.callNamed('wait'), last: events.length };
  }

  test('what it left open ends, with the seq of the fact that closed it', async () => {
    const { log, turn, call, last } = await afterCrash();
    const noted = notes();
    await startHarness({ log, life: 2, observers: [noted.observer] });
    expect(outcomesOf(noted)).toEqual({ [turn]: 'failed', [call]: 'failed' });
    expect(noted.ended.every(({ seq }) => seq !== null && seq > last)).toBe(true);
    expect(noted.started).toEqual([]);
  });

  test('an observer with a cursor is notified from there on, in order', async () => {
    const { log, turn, call, last } = await afterCrash();
    const [whole, rest] = [notes(0), notes(last - 1)];
    await startHarness({ log, life: 2, observers: [whole.observer, rest.observer] });
    expect(whole.started).toEqual([turn, call]);
    expect(whole.seqs).toEqual(whole.seqs.map((_, i) => i + 1));
    expect(rest.seqs).toEqual(whole.seqs.slice(last - 1));
    expect(outcomesOf(rest)).toEqual({ [turn]: 'failed', [call]: 'failed' });
  });
});
