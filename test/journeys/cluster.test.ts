// Hosts in processes of their own, connected by their parent: a session of one is used at another, also when the first one is killed.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createChannelBus, createChannelHub } from '../../src/adapters/buses/channel-bus.ts';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { pairedChannel } from '../adapters/buses/paired-channel.ts';
import { callerOf } from '../support/harness.ts';
import { newStorePath } from '../support/store-path.ts';
import { until } from '../support/until.ts';

const key = 'the key of the cluster in these tests';

/** Starts a host in a process. Resolves when it holds the session `s`. */
async function startHolder(hub: ReturnType<typeof createChannelHub>, store: string) {
  const program = join(import.meta.dirname, '..', 'children', 'cluster-host.ts');
  const child = fork(program, [store, 'holder'], { env: { ...process.env, BUS_KEY: key }, silent: true });
  hub.connect(child);
  let out = '';
  child.stdout?.on('data', (data) => {
    out += data;
  });
  let hasExited = false;
  child.once('exit', () => {
    hasExited = true;
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await until(() => hasExited);
  });
  await until(() => out.includes('holds'), { ms: 20_000, what: 'the holder' });
  return { child, printed: () => out };
}

/** Starts a host in this process, on the same hub. */
async function startHere(hub: ReturnType<typeof createChannelHub>, store: string) {
  const { child, own } = pairedChannel();
  hub.connect(child);
  const bus = createChannelBus({ key }, own);
  const runtime = await createRuntime({
    acknowledge: 'off',
    store,
    host: 'here',
    bus,
    provider: createScriptedProvider({
      clock: systemSources.clock,
      respond: () => ({ steps: [{ text: 'I am here.' }] }),
    }),
    limits: { leaseMs: 2_000 },
    warn() {},
  });
  onTestFinished(async () => {
    await runtime.close({ force: true });
    await bus.close();
  });
  return runtime;
}

test('a session in another process is joined, spoken in and stopped; when that process is killed, it goes on here, and nobody has to join again [cluster.processes]', async () => {
  const store = newStorePath();
  const hub = createChannelHub();
  const holder = await startHolder(hub, store);
  const runtime = await startHere(hub, store);
  const ann = callerOf('ann');
  const recorder = createRecorder();
  const seqs: number[] = [];
  const fact = (event: Parameters<typeof recorder.listener.fact>[0]) => {
    seqs.push(event.seq);
    recorder.listener.fact(event);
  };
  await runtime.join('s', ann, { ...recorder.listener, fact }, 0);
  expect(await runtime.say('s', ann, { text: 'watch' })).toMatchObject({ type: 'turn_opened' });
  await until(() => holder.printed().includes('running'), { what: 'the tool to run' });
  expect(await runtime.cancel('s', ann, { target: 'mine' })).toMatchObject({ type: 'cancel_accepted' });
  await until(() => recorder.of('turn_ended').length === 1, { what: 'the end of the turn' });
  expect(holder.printed()).toContain('stopped');

  await runtime.say('s', ann, { text: 'watch again' });
  await until(() => recorder.of('tool_started').length === 2, { what: 'the second call' });
  holder.child.kill('SIGKILL');
  await until(() => recorder.of('turn_ended').length === 2, {
    ms: 20_000,
    what: 'the end of the turn of the dead host',
  });
  expect(recorder.of('session_recovered')).toHaveLength(1);
  expect(await runtime.say('s', ann, { text: 'who is there?' })).toMatchObject({ type: 'turn_opened' });
  await until(() => recorder.of('turn_ended').length === 3, { what: 'the end of the turn here' });
  expect(recorder.of('turn_ended').at(-1)).toMatchObject({ outcome: 'completed' });
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => i + 1));
  expect(recorder.joins).toHaveLength(1);
  expect(recorder.ended).toBe(null);
});
