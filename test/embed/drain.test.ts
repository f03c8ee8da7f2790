// The drain of a host, in one process: its sessions go to the other hosts, each when it has come to rest, and nobody who uses them notices.
import { expect, onTestFinished, test } from 'vitest';
import { createLocalBuses } from '../../src/adapters/buses/local-buses.ts';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import type { Caller } from '../../src/core/session/api.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime, type EmbeddedRuntime } from '../../src/embed/runtime.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf, toolOf } from '../support/harness.ts';
import { newStorePath } from '../support/store-path.ts';
import { until } from '../support/until.ts';

const ann = callerOf('ann');
const key = 'the key of the cluster in these tests';
const longMs = 600_000;

/** A cluster: `start` starts a host whose turns wait in a tool until `release`, where they are asked to. */
function newCluster() {
  const store = newStorePath();
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const buses = createLocalBuses({ key, warn });
  const start = async (host: string) => {
    const released = Promise.withResolvers<void>();
    let started = 0;
    const wait = toolOf('wait', async (_, { signal }) => {
      started += 1;
      const { promise: stopped, resolve } = Promise.withResolvers<'stopped'>();
      signal.addEventListener('abort', () => resolve('stopped'));
      const end = await Promise.race([released.promise, stopped]);
      return end === 'stopped' ? { kind: 'stopped', output: end } : { kind: 'completed', output: 'done' };
    });
    const bus = buses.connect();
    const runtime = await createRuntime({
      acknowledge: 'off',
      store,
      host,
      bus,
      warn,
      tools: [wait],
      provider: createScriptedProvider({
        clock: systemSources.clock,
        respond: ({ messages }) => {
          const last = messages.at(-1);
          const isParked = last?.role === 'user' && JSON.stringify(last).includes('park');
          return { steps: [isParked ? { call: { callId: 'w', name: 'wait', arguments: '{}' } } : { text: 'Well.' }] };
        },
      }),
    });
    onTestFinished(async () => {
      await runtime.close({ force: true });
      await bus.close();
    });
    return { runtime, started: () => started, release: () => released.resolve() };
  };
  return { start, warnings };
}

async function join(runtime: EmbeddedRuntime, session: string, caller: Caller = ann) {
  const recorder = createRecorder();
  const seqs: number[] = [];
  const fact = (event: Parameters<typeof recorder.listener.fact>[0]) => {
    seqs.push(event.seq);
    recorder.listener.fact(event);
  };
  await runtime.join(session, caller, { ...recorder.listener, fact }, 0);
  return { recorder, seqs };
}

const awakeAt = async (runtime: EmbeddedRuntime) => [...(await runtime.directory()).awakeHere.activity().keys()];
const endsOf = ({ recorder }: Awaited<ReturnType<typeof join>>) =>
  recorder.of('turn_ended').map(({ outcome }) => outcome);

test('idle sessions move at once, a busy one when its turn has ended; those who have joined at the draining host stay in them and speak on [cluster.drain]', async () => {
  const { start, warnings } = newCluster();
  const [first, second] = [await start('first'), await start('second')];
  const idle = await join(first.runtime, 'idle');
  await first.runtime.open('alone');
  const busy = await join(first.runtime, 'busy');
  await first.runtime.say('busy', ann, { text: 'park' });
  await until(() => first.started() === 1);

  const drained = first.runtime.drain(longMs);
  await until(async () => (await awakeAt(second.runtime)).includes('idle'), { what: 'the idle session to move' });
  await until(async () => (await awakeAt(first.runtime)).length === 1);
  expect(await awakeAt(first.runtime)).toEqual(['busy']);
  expect(await first.runtime.say('idle', ann, { text: 'hello' })).toMatchObject({ type: 'turn_opened' });
  expect(await first.runtime.say('new', ann, { text: 'hello' })).toMatchObject({ type: 'turn_opened' });
  await until(() => endsOf(idle).length === 1);
  expect((await awakeAt(second.runtime)).toSorted()).toEqual(['idle', 'new']);

  first.release();
  await drained;
  expect(endsOf(busy)).toEqual(['completed']);
  expect(await first.runtime.say('busy', ann, { text: 'hello' })).toMatchObject({ type: 'turn_opened' });
  await until(() => endsOf(busy).length === 2);
  expect(await awakeAt(first.runtime)).toEqual([]);
  await first.runtime.close();
  for (const { recorder, seqs } of [idle, busy]) {
    expect(recorder.joins).toHaveLength(1);
    expect(recorder.ended).toBe('shutdown');
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => i + 1));
  }
  expect(warnings).toEqual([]);
});

test('commands that meet a session on its way are done once, at its next holder [cluster.drain]', async () => {
  const { start } = newCluster();
  const hosts = [await start('first'), await start('second'), await start('third')];
  const [first, second] = hosts;
  if (!first || !second) throw new Error('there are three');
  const sessions = Array.from({ length: 12 }, (_, i) => `s${i}`);
  const joined = await Promise.all(sessions.map((session) => join(first.runtime, session)));
  const replies: string[] = [];
  /** Speaks until the drain is over, one turn after the other: between two of them the session is at rest. */
  const speak = async (runtime: EmbeddedRuntime, session: string, record: Awaited<ReturnType<typeof join>>) => {
    for (let n = 0; !isOver; n++) {
      const ref = `${runtime === first.runtime}-${n}`;
      const reply = await runtime
        .say(session, ann, { text: `${n}`, ref })
        .catch((error: unknown) => ({ type: String(error) }));
      replies.push(reply.type);
      const turn = 'turn' in reply ? reply.turn : '';
      await until(() => record.recorder.of('turn_ended').some((end) => end.turn === turn), { ms: 20_000 });
    }
  };
  let isOver = false;
  const speaking = sessions.flatMap((session, i) => {
    const record = joined[i];
    return record ? [speak(first.runtime, session, record), speak(second.runtime, session, record)] : [];
  });
  await until(() => replies.length > sessions.length);
  await first.runtime.drain(longMs);
  expect(await awakeAt(first.runtime)).toEqual([]);
  const before = replies.length;
  await until(() => replies.length > before + sessions.length);
  isOver = true;
  await Promise.all(speaking);
  expect(replies.filter((type) => type !== 'turn_opened')).toEqual([]);
  for (const { seqs } of joined) expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => i + 1));
});

test('what still runs after the time is stopped by the shutdown, with its receipt; close ends a drain [cluster.drain]', async () => {
  const { start } = newCluster();
  const [first, second] = [await start('first'), await start('second')];
  const busy = await join(second.runtime, 'busy');
  await first.runtime.open('other');
  await second.runtime.say('busy', ann, { text: 'park' });
  await until(() => second.started() === 1);
  await second.runtime.drain(50);
  expect(endsOf(busy)).toEqual([]);
  await second.runtime.close();
  expect(busy.recorder.of('cancel_settled')).toMatchObject([{ cause: { source: 'shutdown' } }]);
  expect(endsOf(busy)).toEqual(['cancelled']);

  await first.runtime.say('other', ann, { text: 'park' });
  await until(() => first.started() === 1);
  const drained = first.runtime.drain(longMs);
  await first.runtime.close();
  await drained;
});

test('the last host keeps what others would take, serves it, and ends its drain when nothing runs any more [cluster.drain]', async () => {
  const { start } = newCluster();
  const { runtime, started, release } = await start('only');
  const busy = await join(runtime, 'busy');
  await runtime.say('busy', ann, { text: 'park' });
  await until(() => started() === 1);
  const drained = runtime.drain(longMs);
  expect(await runtime.say('new', ann, { text: 'hello' })).toMatchObject({ type: 'turn_opened' });
  release();
  await drained;
  expect(endsOf(busy)).toEqual(['completed']);
  expect((await awakeAt(runtime)).toSorted()).toEqual(['busy', 'new']);
});

test('the hosts show which one drains; one that is asked to drain, and whose program does not know of it, refuses [cluster.drain]', async () => {
  const { start } = newCluster();
  const [first, second] = [await start('first'), await start('second')];
  const asked = await first.runtime.directory();
  await until(async () => (await asked.hosts(ann)).every(({ state }) => state === 'living'));
  expect(await asked.drainHost?.(ann, 'second')).toEqual({ type: 'refused', name: 'second' });
  expect(await asked.drainHost?.(ann, 'nobody')).toEqual({ type: 'unknown' });
  await second.runtime.open('s');
  void second.runtime.drain(longMs);
  await until(async () => (await asked.hosts(ann)).find(({ name }) => name === 'second')?.state === 'draining');
  expect(await asked.drainHost?.(ann, 'second')).toMatchObject({ type: 'known', name: 'second' });
});
