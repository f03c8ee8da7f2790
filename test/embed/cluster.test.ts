// Hosts that share a store and a bus: a session is used from any of them, wherever it is held.
import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CarriedFault, createLocalBuses } from '../../src/adapters/buses/local-buses.ts';
import { createScriptedProvider, type Script } from '../../src/adapters/models/scripted.ts';
import { connect } from '../../src/client/index.ts';
import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { Bus } from '../../src/core/contracts/bus.ts';
import type { ToolEnd } from '../../src/core/contracts/tool.ts';
import type { Caller } from '../../src/core/session/api.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { attach } from '../../src/embed/attach.ts';
import { createRuntime, type EmbeddedRuntime, type RuntimeOptions } from '../../src/embed/runtime.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { createRecorder, type Recorder } from '../../src/testing/recorder.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { callerOf, toolOf } from '../support/harness.ts';
import { newStorePath } from '../support/store-path.ts';
import { until } from '../support/until.ts';

const key = 'the key of the cluster in these tests';

interface TestHost {
  readonly runtime: EmbeddedRuntime;
  /** The calls of `wait` that were stopped here. */
  readonly stopped: () => number;
  readonly started: () => number;
  readonly release: () => void;
}

/** A cluster: `start` starts one more host of it. `fault`: of what is sent from now on. */
function newCluster() {
  const store = newStorePath();
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  let fault: (subject: string) => CarriedFault = () => null;
  const buses = createLocalBuses({ key, warn, fault: (subject) => fault(subject) });
  const start = async (host: string, options: Partial<RuntimeOptions> = {}): Promise<TestHost> => {
    const released = Promise.withResolvers<void>();
    let [started, stopped] = [0, 0];
    const wait = toolOf(
      'wait',
      (_, { signal }) =>
        new Promise<ToolEnd>((resolve) => {
          started += 1;
          void released.promise.then(() => resolve({ kind: 'completed', output: 'done' }));
          signal.addEventListener('abort', () => {
            stopped += 1;
            resolve({ kind: 'stopped', output: 'stopped' });
          });
        }),
    );
    const bus = buses.connect();
    const provider = createScriptedProvider({ clock: systemSources.clock, respond: respondTo });
    const runtime = await createRuntime({
      acknowledge: 'off',
      store,
      provider,
      tools: [wait],
      host,
      bus,
      warn,
      ...options,
    });
    onTestFinished(async () => {
      await runtime.close({ force: true });
      await bus.close();
    });
    return { runtime, stopped: () => stopped, started: () => started, release: () => released.resolve() };
  };
  const setFault = (next: typeof fault) => {
    fault = next;
  };
  return { start, setFault, warnings, buses };
}

/** `park` calls the tool, everything else is answered with five words. */
function respondTo(request: {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}): Script {
  const last = request.messages.at(-1);
  if (last?.role !== 'user' || !JSON.stringify(last.content).includes('park'))
    return { steps: ['I ', 'heard ', 'you ', 'very ', 'well.'].map((text) => ({ text })) };
  return { steps: [{ call: { callId: 'w', name: 'wait', arguments: '{}' } }] };
}

async function join(runtime: EmbeddedRuntime, caller: Caller, from: Parameters<EmbeddedRuntime['join']>[3] = 0) {
  const recorder = createRecorder();
  const seqs: number[] = [];
  const { listener } = recorder;
  const counting = {
    ...listener,
    fact: (event: Parameters<typeof listener.fact>[0]) => {
      seqs.push(event.seq);
      listener.fact(event);
    },
  };
  await runtime.join('s', caller, counting, from);
  return { recorder, seqs };
}

const endsOf = (recorder: Recorder) => recorder.of('turn_ended').map(({ outcome }) => outcome);
const typesOf = (recorder: Recorder) => recorder.facts.map(({ type }) => type);
const unbroken = (seqs: readonly number[], from = 1) => Array.from({ length: seqs.length }, (_, i) => i + from);

describe('a session that another host holds', () => {
  test('is joined, read, spoken in and stopped as one that is held here [cluster.session]', async () => {
    const { start, warnings } = newCluster();
    const [first, second] = [await start('first'), await start('second')];
    const ann = await join(first.runtime, callerOf('ann'));
    await first.runtime.say('s', callerOf('ann'), { text: 'hello' });
    await until(() => endsOf(ann.recorder).length === 1);
    const bob = await join(second.runtime, callerOf('bob'));
    expect(typesOf(bob.recorder)).toEqual(typesOf(ann.recorder)); // what was said before
    expect(bob.recorder.joins).toMatchObject([{ session: 's', kind: 'text', seq: ann.seqs.at(-1) }]);
    expect(bob.recorder.joins[0]?.room?.present.toSorted()).toEqual(['ann', 'bob']);

    const said = await second.runtime.say('s', callerOf('bob'), { text: 'park for it', ref: 'r1' });
    expect(said).toMatchObject({ type: 'turn_opened' });
    expect(await second.runtime.say('s', callerOf('bob'), { text: 'park for it', ref: 'r1' })).toMatchObject({
      type: 'turn_opened',
      repeated: { ref: 'r1' },
    });
    await until(() => first.started() === 1);
    expect(second.started()).toBe(0); // it runs where the session is
    expect(await second.runtime.nodes('s')).toMatchObject([{ kind: 'turn' }, { name: 'wait' }]);

    const reply = await second.runtime.cancel('s', callerOf('bob'), { target: 'mine', ref: 'c1' });
    expect(reply).toMatchObject({ type: 'cancel_accepted' });
    const cancel = reply.type === 'cancel_accepted' ? reply.receipt.cancel : '';
    expect(await second.runtime.settled('s', cancel)).toMatchObject({ cancel });
    expect(first.stopped()).toBe(1);
    for (const { recorder } of [ann, bob]) await until(() => endsOf(recorder).at(-1) === 'cancelled');
    await until(() => bob.seqs.length === ann.seqs.length);
    expect(typesOf(bob.recorder)).toEqual(typesOf(ann.recorder));
    expect(bob.seqs).toEqual(unbroken(bob.seqs));

    await first.runtime.say('s', callerOf('ann'), { text: 'and now' });
    await until(() => endsOf(bob.recorder).length === 3);
    expect(bob.recorder.texts.map(({ text }) => text).join('')).toContain('I heard you very well.');
    expect(warnings).toEqual([]);
  });

  test('is used by its library and its client, over a gateway of the other host [cluster.session]', async () => {
    const { start } = newCluster();
    const [first, second] = [await start('first'), await start('second')];
    const ann = (await first.runtime.session('s')).as('ann');
    expect(await ann.say('hello').ended).toMatchObject({ outcome: 'completed' });
    const server = createServer();
    attach(server, second.runtime, { authenticator: createLocalAuthenticator() });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const client = await connect({ url: `ws://127.0.0.1:${port}/belay` });
    onTestFinished(() => client.close());
    const session = client.session('s', { last: 1 });
    const frames: ServerFrame['type'][] = [];
    session.on('*', ({ type }) => void frames.push(type));
    await session.joined;
    const turn = session.say('park for me');
    await until(() => first.started() === 1);
    const stop = session.cancel('mine');
    expect(await stop.settled).toMatchObject({ nodes: expect.anything() });
    expect(await turn.ended.catch((error: unknown) => error)).toMatchObject({ outcome: 'cancelled' });
    expect(first.stopped()).toBe(1);
    await expect(session.rename('a title')).rejects.toMatchObject({ code: 'access_denied' }); // nobody owns it
    expect(await ann.say('still there?').ended).toMatchObject({ outcome: 'completed' });
    expect(frames.filter((type) => type === 'error' || type === 'left')).toEqual(['error']);
    await session.leave();
    await until(async () => {
      const { recorder } = await join(first.runtime, callerOf('carol'), null);
      return !recorder.joins[0]?.room?.present.includes('local');
    });
  });

  test('refuses there what it refuses here, with the same errors [cluster.session]', async () => {
    const { start } = newCluster();
    const session = () => ({ access: 'members' as const });
    const [first, second] = [await start('first', { session }), await start('second', { session })];
    const provenAs = (id: string): Caller => {
      const speaker = { id, roles: ['member'] as const };
      return { speaker, connection: `of-${id}`, proof: { speaker, sessions: null } };
    };
    await first.runtime.open('s', provenAs('ann'));
    await first.runtime.say('s', provenAs('ann'), { text: 'park here' });
    await until(() => first.started() === 1);
    const denied = { name: 'AccessDenied', code: 'access_denied' };
    await expect(second.runtime.say('s', provenAs('eve'), { text: 'hello' })).rejects.toMatchObject(denied);
    await expect(join(second.runtime, provenAs('eve'))).rejects.toMatchObject(denied);
    await expect(second.runtime.deleteSession('s', provenAs('ann'))).rejects.toMatchObject({ code: 'session_in_use' });
    const { invited } = (await second.runtime.invite('s', provenAs('ann'), { speaker: 'eve' })) as never;
    expect(invited).toMatchObject({ speaker: 'eve' });
    const eve = await join(second.runtime, provenAs('eve'));
    await first.runtime.remove('s', provenAs('ann'), { speaker: 'eve' });
    await until(() => eve.recorder.ended === 'removed');
  });

  test('keeps images that are said there, and reads them [cluster.session]', async () => {
    const { start } = newCluster();
    const [first, second] = [await start('first'), await start('second')];
    await first.runtime.open('s');
    const bytes = new Uint8Array([1, 2, 3, 254, 255]);
    const [blob = ''] = await second.runtime.storeBlobs('s', [bytes]);
    expect(await first.runtime.readBlob('s', blob)).toEqual(bytes);
    expect(await second.runtime.readBlob('s', blob)).toEqual(bytes);
  });
});

describe('when its holder closes', () => {
  test('a session goes on at the host where somebody has joined it, and nobody there notices [cluster.moves]', async () => {
    const { start, warnings } = newCluster();
    const [first, second] = [await start('first'), await start('second')];
    await first.runtime.open('s');
    const bob = await join(second.runtime, callerOf('bob'));
    await second.runtime.say('s', callerOf('bob'), { text: 'park for it' });
    await until(() => first.started() === 1);
    await first.runtime.close();
    await until(() => endsOf(bob.recorder).length === 1);
    expect(endsOf(bob.recorder)).toEqual(['cancelled']);
    expect(await second.runtime.say('s', callerOf('bob'), { text: 'hello again' })).toMatchObject({
      type: 'turn_opened',
    });
    await until(() => endsOf(bob.recorder).length === 2);
    expect(endsOf(bob.recorder)).toEqual(['cancelled', 'completed']);
    expect(bob.seqs).toEqual(unbroken(bob.seqs));
    expect(bob.recorder.joins).toHaveLength(1);
    expect(bob.recorder.ended).toBe(null);
    expect(warnings).toEqual([]);
  });

  test('a command to a session that has moved finds its new holder [cluster.moves]', async () => {
    const { start } = newCluster();
    const [first, second, third] = [await start('first'), await start('second'), await start('third')];
    await first.runtime.open('s');
    expect(await third.runtime.say('s', callerOf('ann'), { text: 'one' })).toMatchObject({ type: 'turn_opened' });
    await first.runtime.close();
    const bob = await join(second.runtime, callerOf('bob'));
    expect(await third.runtime.say('s', callerOf('ann'), { text: 'two' })).toMatchObject({ type: 'turn_opened' });
    await until(() => endsOf(bob.recorder).length === 2);
  });
});

describe('on a bus that loses and repeats', () => {
  test('each fact comes once and in order, and each command is done once [cluster.loss]', async () => {
    const { start, setFault } = newCluster();
    const [first, second] = [await start('first'), await start('second')];
    const ann = await join(first.runtime, callerOf('ann'));
    const bob = await join(second.runtime, callerOf('bob'));
    let sent = 0;
    const faults: Readonly<Record<number, CarriedFault>> = { 1: 'lost', 3: 'twice' };
    setFault((subject) => (subject.startsWith('belay.host.') ? (faults[sent++ % 5] ?? null) : null));
    for (const text of ['one', 'two', 'three', 'four']) {
      const ended = endsOf(ann.recorder).length;
      expect(await second.runtime.say('s', callerOf('bob'), { text })).toMatchObject({ type: 'turn_opened' });
      await until(() => endsOf(ann.recorder).length === ended + 1, { ms: 10_000 });
    }
    await until(() => endsOf(bob.recorder).length === 4, { ms: 20_000, what: 'the ends of four turns' });
    expect(sent).toBeGreaterThan(3);
    expect(bob.seqs).toEqual(unbroken(bob.seqs));
    expect(bob.recorder.joins).toHaveLength(1);
    expect(ann.recorder.of('turn_opened').map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four']);
  });

  test('a holder that is asked again, because its answer was lost, does it once [cluster.loss]', async () => {
    const { start, setFault } = newCluster();
    const [first, second] = [await start('first'), await start('second')];
    const ann = await join(first.runtime, callerOf('ann'));
    let lost = 0;
    setFault((subject) => (subject.startsWith('belay.replies') && lost++ === 0 ? 'lost' : null));
    expect(await second.runtime.say('s', callerOf('bob'), { text: 'once' })).toMatchObject({ type: 'turn_opened' });
    expect(lost).toBeGreaterThan(1);
    await until(() => endsOf(ann.recorder).length === 1);
    expect(ann.recorder.of('turn_opened')).toHaveLength(1);
  });

  test('a JOIN whose `joined` was lost is asked again, and leaves nothing at the holder [cluster.loss]', async () => {
    const { start, setFault } = newCluster();
    const [first, second] = [await start('first'), await start('second')];
    await first.runtime.open('s');
    let lost = 0;
    setFault((subject) => (subject.startsWith('belay.host.') && lost++ === 0 ? 'lost' : null));
    const bob = await join(second.runtime, callerOf('bob'));
    expect(lost).toBeGreaterThan(1);
    expect(bob.recorder.joins).toHaveLength(1);
    await first.runtime.say('s', callerOf('ann'), { text: 'hello' });
    await until(() => endsOf(bob.recorder).length === 1);
    expect(bob.seqs).toEqual(unbroken(bob.seqs));
    await second.runtime.leave('s', callerOf('bob').connection, 'left');
    const ann = await join(first.runtime, callerOf('ann'));
    expect(ann.recorder.joins[0]?.room?.present).toEqual(['ann']);
  });

  test('a command that a holder may have done before it was gone is run here under the same ref [cluster.loss]', async () => {
    const { start, buses } = newCluster();
    const questions: string[] = [];
    const bus = buses.connect();
    onTestFinished(() => bus.close());
    const ask: Bus['ask'] = async (_, text) => {
      questions.push(text);
      return { type: questions.length === 1 ? 'silent' : 'none' };
    };
    const watched: Bus = {
      state: 'up',
      ask,
      answer: (...given) => bus.answer(...given),
      publish: (...given) => bus.publish(...given),
      subscribe: (...given) => bus.subscribe(...given),
      onState: (...given) => bus.onState(...given),
      close: () => bus.close(),
    };
    const { runtime } = await start('second', { bus: watched });
    await runtime.say('s', callerOf('bob'), { text: 'once' });
    const bob = await join(runtime, callerOf('bob'));
    const { given } = JSON.parse(questions[0] ?? '') as { readonly given: readonly unknown[] };
    const { ref } = fieldsOf(given[2]);
    expect(ref).toMatch(/^ref_/);
    expect(bob.recorder.of('turn_opened')).toMatchObject([{ ref }]);
  });

  test('a command whose holder is not reached is refused, and says that its ref is good [cluster.loss]', async () => {
    const { start, setFault } = newCluster();
    const [first, second] = [await start('first'), await start('second')];
    await first.runtime.open('s');
    setFault((subject) => (subject.startsWith('belay.session') ? 'lost' : null));
    const say = () => second.runtime.say('s', callerOf('bob'), { text: 'hello', ref: 'r1' });
    await expect(say()).rejects.toMatchObject({ name: 'HolderSilent', message: /under the same ref/ });
    setFault(() => null);
    expect(await say()).toMatchObject({ type: 'turn_opened' });
  });
});

test('the lists have what runs on all hosts; a host that does not reply is named [cluster.lists] [list.missing]', async () => {
  const { start, setFault, buses } = newCluster();
  const [first, second] = [await start('first'), await start('second')];
  const caller = callerOf('ann');
  await first.runtime.say('s', caller, { text: 'park here' });
  await until(() => first.started() === 1);
  const directory = await second.runtime.directory();
  await until(async () => (await directory.activeTurns(caller)).turns.length === 1);
  const { turns, missing } = await directory.activeTurns(caller);
  expect(turns).toMatchObject([{ session: 's', owner: 'ann', calls: [{ name: 'wait' }] }]);
  expect(missing).toEqual([]);
  const awake = { after: null, limit: 10, action: 'read', state: 'awake' } as const;
  const running = { session: 's', state: 'awake', activeTurns: 1, status: 'runs' };
  expect(await directory.list(caller, awake)).toMatchObject({ sessions: [running], missing: [] });
  expect(await directory.list(caller, { ...awake, state: null, order: 'newest' })).toMatchObject({
    sessions: [running],
  });
  const [turn] = turns;
  const node = turn?.calls[0]?.node ?? '';
  expect(await directory.sessionOf('cancel', caller, node)).toBe('s');
  expect(await directory.ancestorsOf('s', node)).toEqual([turn?.turn]);
  expect(await directory.questions(caller)).toEqual({ questions: [], missing: [] });

  setFault((subject) => (subject.startsWith('belay.host.') ? 'lost' : null));
  expect(await directory.activeTurns(caller)).toEqual({ turns: [], missing: ['first'] });
  setFault(() => null);
  await first.runtime.close();
  await until(async () => (await directory.activeTurns(caller)).missing.length === 0);
  await buses.connect().close();
});
