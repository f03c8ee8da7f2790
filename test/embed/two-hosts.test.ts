// Two runtimes in one process on one SQLite file: the first one keeps its live sessions, or loses them at once.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import type { ToolEnd } from '../../src/core/contracts/tool.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime, type RuntimeOptions } from '../../src/embed/runtime.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf, callsOnce, toolOf } from '../support/harness.ts';
import { newStorePath } from '../support/store-path.ts';

const heldElsewhere = { name: 'HeldElsewhere', code: 'held_elsewhere' };
const longMs = 600_000;

async function startHost(store: string, options: Partial<RuntimeOptions> = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const wait = toolOf(
    'wait',
    (_, { signal }) =>
      new Promise<ToolEnd>((resolve) => {
        entered.resolve();
        void released.then(() => resolve({ kind: 'completed', output: 'done' }));
        signal.addEventListener('abort', () => {
          stopped.resolve();
          resolve({ kind: 'stopped', output: 'stopped' });
        });
      }),
  );
  const warnings: string[] = [];
  const runtime = await createRuntime({
    acknowledge: 'off',
    store,
    provider: createScriptedProvider({ clock: systemSources.clock, respond: callsOnce(['wait']) }),
    tools: [wait],
    limits: { leaseMs: longMs },
    warn: (message) => void warnings.push(message),
    ...options,
  });
  onTestFinished(() => runtime.close({ force: true }));
  return { runtime, entered: entered.promise, stopped: stopped.promise, release, warnings };
}

/** A host with a session `s` in which a tool runs. */
async function startWorking(store: string, options: Partial<RuntimeOptions> = {}) {
  const host = await startHost(store, options);
  const session = await host.runtime.session('s');
  const recorder = createRecorder();
  await session.join(callerOf('carol'), recorder.listener, null);
  const ann = session.as('ann');
  const turn = ann.say('go');
  turn.ended.catch(() => {});
  await host.entered;
  return { ...host, session, recorder, ann, turn };
}

/** Rejects after a second: what is refused at once settles before. */
const soon = <T>(promise: Promise<T>): Promise<T> => {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('It has not settled.')), 1_000));
  return Promise.race([promise, late]);
};

describe('a second host', () => {
  test('leaves a live session to the first one, whose work goes on; it may open others [store.durable.holder]', async () => {
    const store = newStorePath();
    const first = await startWorking(store);
    const second = await startHost(store);
    await expect(soon(second.runtime.session('s'))).rejects.toMatchObject(heldElsewhere);
    await expect(soon(second.runtime.session('s'))).rejects.toThrow('Another host holds the session s.');
    expect(await second.runtime.session('another')).toMatchObject({ id: 'another' });
    first.release();
    expect(await first.turn.ended).toMatchObject({ outcome: 'completed' });
    expect([...first.warnings, ...second.warnings]).toEqual([]);
  });

  test('opens the session as soon as the first one has closed it [store.durable.holder]', async () => {
    const store = newStorePath();
    const first = await startWorking(store);
    const second = await startHost(store);
    await expect(second.runtime.session('s')).rejects.toMatchObject(heldElsewhere);
    await first.runtime.close();
    const recorder = createRecorder();
    const session = await second.runtime.session('s');
    await session.join(callerOf('bob'), recorder.listener, 0);
    expect(recorder.of('turn_ended')).toMatchObject([{ outcome: 'cancelled' }]);
    expect(recorder.of('session_recovered')).toEqual([]);
  });

  test('a local session there is refused as a client is [store.durable.holder]', async () => {
    const store = newStorePath();
    const first = await startWorking(store);
    const second = await startHost(store);
    const third = await second.runtime.session('t');
    const caller = callerOf('bob');
    await expect(soon(second.runtime.join('s', caller, createRecorder().listener, 0))).rejects.toMatchObject(
      heldElsewhere,
    );
    await expect(soon(second.runtime.say('s', caller, { text: 'hello' }))).rejects.toMatchObject(heldElsewhere);
    await expect(soon(second.runtime.cancel('s', caller, { target: 'session' }))).rejects.toMatchObject(heldElsewhere);
    expect(third.id).toBe('t');
    first.release();
    expect(await first.turn.ended).toMatchObject({ outcome: 'completed' });
  });
});

describe('a host that starts under the name of the first one', () => {
  test('has its sessions at once; the first one stops its work with the next renewal, and reports it to the members [store.durable.holder]', async () => {
    const store = newStorePath();
    const first = await startWorking(store, { host: 'gateway', limits: { leaseMs: 400 } });
    const second = await startHost(store, { host: 'gateway', limits: { leaseMs: 400 } });
    expect(await soon(second.runtime.session('s'))).toMatchObject({ id: 's' });
    await soon(first.stopped);
    await expect(soon(first.turn.ended)).rejects.toMatchObject({ name: 'SessionEnded', reason: 'fenced' });
    expect(first.recorder.ended).toBe('fenced');
    await expect(soon(first.session.say(callerOf('carol'), { text: 'hello?' }))).rejects.toMatchObject(heldElsewhere);
    await expect(soon(first.ann.say('hello?').ended)).rejects.toMatchObject({ name: 'SessionEnded' });
    expect(first.warnings.join()).toMatch(/has lost its lease \(fenced\)\. Sessions that were stopped: 1/);

    // the first one lives on, and does not take its name back
    expect(await first.runtime.session('another')).toMatchObject({ id: 'another' });
    await expect(first.runtime.session('s')).rejects.toMatchObject(heldElsewhere);
    expect(await second.runtime.session('s')).toMatchObject({ id: 's' });
  });

  test('a SAY to the first one is refused at once, before a renewal has noticed anything [store.durable.holder]', async () => {
    const store = newStorePath();
    const first = await startWorking(store, { host: 'gateway' });
    const second = await startHost(store, { host: 'gateway' });
    await second.runtime.session('s');
    const refused = soon(first.session.say(callerOf('carol'), { text: 'hello?' }));
    const answered = soon(first.session.say(callerOf('bob'), { text: 'and me?', ref: 'r1' }));
    await expect(refused).rejects.toMatchObject(heldElsewhere);
    await expect(answered).rejects.toMatchObject(heldElsewhere);
    await soon(first.stopped);
  });
});
