// Parts that a library user may bring along: a rule of who may stop what, a log, a provider, a file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StandingRule } from '../../machines/standing.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { LogBody } from '../../src/core/contracts/log.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { wrapLog } from '../support/wrap-log.ts';
import { asks, open, says } from './open.ts';

describe('own parts', () => {
  const mayNot: StandingRule = () => ({ may: false, because: 'not_allowed' });

  test('a rule of who may stop what decides for everybody, and never for the runtime itself [owner.guard]', async () => {
    const onlyCarol: StandingRule = (_, speaker) =>
      speaker.id === 'carol' ? { may: true, because: 'policy' } : { may: false, because: 'not_allowed' };
    const { session, clock, close } = await open(() => asks('watch'), { session: () => ({ standing: onlyCarol }) });
    const ann = session.as('ann');
    const turn = ann.say('watch');
    await clock.advance(0);
    const own = turn.cancel();
    await clock.advance(0);
    expect(await own.accepted).toMatchObject({ type: 'cancel_refused', refused: [{ reason: 'not_allowed' }, {}] });
    const carol = session.as('carol').cancel('session');
    await clock.advance(0);
    expect((await carol.settled)?.nodes).toHaveLength(2);
    const next = ann.say('watch');
    await clock.advance(0);
    await close(); // nobody asks carol
    expect(await next.ended).toMatchObject({ outcome: 'cancelled' });
  });

  test('a deadline does not ask the rule [cancel.sources]', async () => {
    const { session, clock } = await open(() => asks('watch'), {
      session: () => ({ standing: mayNot }),
      limits: { turnMs: 1_000 },
    });
    const turn = session.as('ann').say('watch');
    await clock.advance(1_000);
    expect(await turn.ended).toMatchObject({ outcome: 'timed_out' });
  });

  test('a rule that throws refuses the cancel, with a warning; the session goes on', async () => {
    const { session, clock, warnings } = await open(() => asks('watch'), {
      session: () => ({
        standing: () => {
          throw new Error('a bug');
        },
      }),
    });
    const turn = session.as('ann').say('watch');
    await clock.advance(0);
    const { accepted } = turn.cancel();
    await clock.advance(0);
    expect(await accepted).toMatchObject({ type: 'cancel_refused', refused: [{ reason: 'not_allowed' }, {}] });
    expect(new Set(warnings)).toEqual(new Set(['The custom rule of standing threw: the node is not stopped.']));
    expect(await session.nodes()).toHaveLength(2);
  });

  test("an embedder's log gets every fact, and stays open [store.durable]", async () => {
    const inner = createMemoryLog();
    const written: LogBody[] = [];
    let closed = false;
    const log = wrapLog(inner, {
      append(session, epoch, expectedSeq, bodies) {
        written.push(...bodies);
        return inner.append(session, epoch, expectedSeq, bodies);
      },
      async close() {
        closed = true;
      },
    });
    const { session, clock, recorder, close } = await open(() => says('noon'), { log });
    session.as('ann').say('what time is it?');
    await clock.advance(0);
    await close();
    expect(written).toEqual(recorder.facts);
    expect(closed).toBe(false);
    expect(await inner.orphaned()).toEqual([]);
  });

  test("an embedder's provider gets the request, and the signal to stop", async () => {
    const signals: AbortSignal[] = [];
    const { session, clock } = await open(() => says(''), {
      provider: {
        name: 'mine',
        stream: (_, { signal, onText }) => {
          signals.push(signal);
          onText('It is ');
          return new Promise((resolve) => {
            signal.addEventListener('abort', () =>
              resolve({ kind: 'stopped', calls: [], usage: { kind: 'unknown', input: null, output: null } }),
            );
          });
        },
      },
    });
    const turn = session.as('ann').say('what time is it?');
    await clock.advance(0);
    turn.cancel();
    await clock.advance(0);
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('a file keeps the transcript for the next runtime', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'belay-embed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = join(folder, 'deep', 'belay.sqlite');
    const provider = { name: 'mine', stream: async () => Promise.reject(new Error('not asked')) };
    const first = await createRuntime({ provider, store });
    await first.session('s');
    await first.close();
    const second = await createRuntime({ provider, store });
    const ann = (await second.session('s')).as('ann', { after: 0 });
    expect(await ann.joined).toMatchObject({ seq: 1 });
    await second.close();
    await expect(createRuntime({ provider, store, log: createMemoryLog() })).rejects.toThrow('store and log');
  });
});
