// A call that waits for another call's folder, over the wire: who waits for whom, who sees it, and how the wait ends.
import { describe, expect, test } from 'vitest';
import type { ClientSession } from '../../src/client/joined-session.ts';
import { SessionView } from '../../src/client/view/session-view.ts';
import type { ServerFrame, ServerFrameOf } from '../../src/wire/server-frames.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type Belay, type ConfigFile, newWorkspace, serveBelay, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { connectChecked } from '../support/checked-client.ts';
import { shellCall, toolMessages, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

interface Member {
  readonly session: ClientSession;
  readonly view: SessionView;
  of<T extends ServerFrame['type']>(type: T): readonly ServerFrameOf<T>[];
}

async function join(belay: Belay, speaker: TestSpeaker, room: string): Promise<Member> {
  const client = await connectChecked({ url: belay.url, token: tokenOf(speaker), reconnect: false });
  const session = client.session(room, { after: 0 });
  const view = new SessionView(session);
  const frames: ServerFrame[] = [];
  session.on('*', (frame) => frames.push(frame));
  await session.joined;
  const of = <T extends ServerFrame['type']>(type: T) =>
    frames.filter((frame) => frame.type === type) as unknown as readonly ServerFrameOf<T>[]; // the filter narrows the union
  return { session, view, of };
}

/** Ann's `sleep` runs in the only root; bob says `echo`, in the same room or in another one. */
async function sleepAndEcho(rooms: { readonly ann: string; readonly bob: string }, config: ConfigFile = {}) {
  const token = newToken();
  const workspace = newWorkspace();
  const belay = await serveBelay(endpoint, { workspace, config: { roots: [workspace.path], ...config } });
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Done.' } },
    { when: { user: 'sleep' }, reply: { calls: [shellCall(`true ${token}; sleep 60`)] } },
    { when: { user: 'echo' }, reply: { calls: [shellCall('echo at last')] } },
    { when: { user: 'status' }, reply: { calls: [{ name: 'session_status', arguments: {} }] } },
  ]);
  const [ann, bob] = [await join(belay, 'ann', rooms.ann), await join(belay, 'bob', rooms.bob)];
  const sleeping = ann.session.say('sleep');
  await untilRunning(token);
  const holder = await until(() => ann.of('tool_started')[0]?.node, { what: 'the start of the sleep' });
  return { belay, ann, bob, token, sleeping, holder, echoing: bob.session.say('echo') };
}

const firstWaiting = (member: Member) => until(() => member.of('tool_waiting')[0], { what: 'a wait to be shown' });

describe('calls in two folders of one root', () => {
  /** A command that ends when the other folder has a sign of the other command, which runs meanwhile. */
  const meet = (own: string, other: string) =>
    shellCall(`touch here; until [ -e ../${other}/here ]; do sleep 0.05; done; echo met`, own);

  async function meeting(config: ConfigFile) {
    const workspace = newWorkspace();
    const belay = await serveBelay(endpoint, { workspace, config: { roots: [workspace.path], ...config } });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Done.' } },
      { when: { user: 'left' }, reply: { calls: [meet('a', 'b')] } },
      { when: { user: 'right' }, reply: { calls: [meet('b', 'a')] } },
    ]);
    const [ann, bob] = [await join(belay, 'ann', 'a'), await join(belay, 'bob', 'a')];
    return { ann, bob, left: ann.session.say('left'), right: bob.session.say('right') };
  }

  test('run at the same time, each for its speaker [tool.keys]', async () => {
    const { ann, left, right } = await meeting({});
    expect(await left.ended).toMatchObject({ outcome: 'completed' });
    expect(await right.ended).toMatchObject({ outcome: 'completed' });
    for (const { output } of ann.of('tool_result')) expect(output).toContain('met');
    expect(ann.of('tool_result')).toHaveLength(2);
    expect(ann.of('tool_waiting')).toEqual([]);
  });

  test('wait for each other where a key is that of the root [tool.keys]', async () => {
    const { ann, left, right } = await meeting({ keys: { scope: 'root' } });
    const { node, waitsFor } = await firstWaiting(ann);
    const receipt = await (waitsFor.owner === 'ann' ? right : left).cancel().settled;
    expect(receipt?.nodes.find((one) => one.node === node)).toMatchObject({ effect: 'not_started' });
    await (waitsFor.owner === 'ann' ? left : right).cancel().settled;
  });
});

describe('calls in one folder', () => {
  test('of two rooms do not wait for each other [tool.parallel]', async () => {
    const { bob, token, sleeping, echoing } = await sleepAndEcho({ ann: 'a', bob: 'b' });
    expect(await echoing.ended).toMatchObject({ outcome: 'completed' });
    expect(bob.of('tool_result')).toMatchObject([{ outcome: 'completed', output: expect.stringContaining('at last') }]);
    expect(bob.of('tool_waiting')).toEqual([]);
    expect(living(token)).not.toEqual([]);
    await sleeping.cancel().settled;
  });

  test("of one room do: everybody sees for whose call, and that call's stop lets the other run [tool.waits] [tool.parallel]", async () => {
    const { belay, ann, bob, token, sleeping, holder, echoing } = await sleepAndEcho({ ann: 'a', bob: 'a' });
    const waitsFor = { node: holder, name: 'shell', owner: 'ann' };
    const waiting = await firstWaiting(bob);
    expect(waiting).toMatchObject({ session: 'a', waitsFor, elapsedMs: expect.any(Number) });
    expect(await firstWaiting(ann)).toEqual(waiting);
    const own = bob.view.getSnapshot().nodes.find(({ id }) => id === waiting.node);
    expect(own).toMatchObject({ owner: 'bob', state: 'waiting', waitsFor });

    const late = await join(belay, 'witness', 'a');
    const { nodes } = await late.session.joined;
    expect(nodes.find(({ node }) => node === waiting.node)).toMatchObject({ owner: 'bob', waitsFor });
    await until(() => late.of('tool_call').length === 2);
    expect(late.view.getSnapshot().nodes.find(({ id }) => id === waiting.node)).toMatchObject({ waitsFor });
    expect(await late.session.say('status').ended).toMatchObject({ outcome: 'completed' });
    const status = toolMessages((await endpoint.requests()).at(-1)).at(-1);
    expect(status).toContain(`${waiting.node} shell waiting for ann's shell (${holder})`);

    await sleeping.cancel().settled;
    expect(living(token)).toEqual([]);
    expect(await echoing.ended).toMatchObject({ outcome: 'completed' });
    const result = bob.of('tool_result').find(({ node }) => node === waiting.node);
    expect(result).toMatchObject({ outcome: 'completed', output: expect.stringContaining('at last') });
    expect(bob.view.getSnapshot().nodes).toEqual([]);
  });

  test('of one room: a call that waits is stopped without having started, and the other runs on [tool.waits] [ladder.call.queued]', async () => {
    const { bob, token, sleeping, echoing } = await sleepAndEcho({ ann: 'a', bob: 'a' });
    const waiting = await firstWaiting(bob);
    const receipt = await bob.session.cancel('mine').settled;
    const own = receipt?.nodes.find(({ node }) => node === waiting.node);
    expect(own).toMatchObject({ outcome: 'cancelled', effect: 'not_started' });
    expect(await echoing.ended).toMatchObject({ outcome: 'cancelled', effect: 'none' });
    expect(living(token)).not.toEqual([]);
    await sleeping.cancel().settled;
  });

  test('of two rooms wait for each other where the keys are those of the host: the frame names the room [tool.waits]', async () => {
    const { ann, bob, token, sleeping, holder, echoing } = await sleepAndEcho({ ann: 'a', bob: 'b' }, { keys: 'host' });
    const waiting = await firstWaiting(bob);
    expect(waiting.waitsFor).toEqual({ node: holder, name: 'shell', owner: 'ann', session: 'a' });
    expect(ann.of('tool_waiting')).toEqual([]);
    await sleeping.cancel().settled;
    expect(living(token)).toEqual([]);
    expect(await echoing.ended).toMatchObject({ outcome: 'completed' });
  });

  test('wait for a limited time: then the waiting call fails by name, not started, and its turn goes on [tool.waits]', async () => {
    const limits = { keyWaitMs: 400 };
    const { bob, token, sleeping, holder, echoing } = await sleepAndEcho({ ann: 'a', bob: 'a' }, { limits });
    expect(await echoing.ended).toMatchObject({ outcome: 'completed', effect: 'none' });
    const [result] = bob.of('tool_result');
    expect(result).toMatchObject({ outcome: 'failed', code: 'key_wait_limit', effect: 'not_started' });
    expect(result?.message).toContain(`ann's shell (${holder})`);
    expect(living(token)).not.toEqual([]);
    await sleeping.cancel().settled;
  });
});
