// The client library over real sockets, in front of the real runtime under a virtual clock.
import { describe, expect, onTestFinished, test } from 'vitest';
import { CommandRefused, ConnectionClosed, SessionEnded } from '../../src/client/errors.ts';
import type { ClientSession } from '../../src/client/joined-session.ts';
import type { TurnEvent } from '../../src/client/turn-in-flight.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { connectChecked } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';
import { callsOnce, callsResponse, type HarnessOptions, startHarness, textResponse } from '../support/harness.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const tokens = { ann: 'token-of-ann-000001', bob: 'token-of-bob-000001' };

async function start(options: HarnessOptions = {}) {
  const harness = await startHarness(options);
  const authenticator = createTokenAuthenticator({
    [tokens.ann]: { speaker: 'ann', sessions: ['*'] },
    [tokens.bob]: { speaker: 'bob', sessions: ['*'] },
  });
  const { url, gateway } = await startGateway({ runtime: harness.runtime, authenticator });
  const as = async (who: keyof typeof tokens) => {
    const client = await connectChecked({ url, token: tokens[who], reconnect: false });
    onTestFinished(() => client.close());
    return client;
  };
  /** Advances virtual time until the condition holds, with time for real sockets in between. */
  const pass = async <T>(condition: () => T | false | null | undefined) =>
    until(async () => {
      await harness.clock.advance(10);
      return condition();
    });
  return { harness, url, gateway, as, pass };
}

function record(session: ClientSession): ServerFrame[] {
  const frames: ServerFrame[] = [];
  session.on('*', (frame) => frames.push(frame));
  return frames;
}

async function collect(turn: AsyncIterable<TurnEvent>, into: TurnEvent[] = []): Promise<TurnEvent[]> {
  for await (const event of turn) into.push(event);
  return into;
}

test('a CANCEL whose ref was used for another command is sent again under another one [cancel.idempotent.ref]', async () => {
  const { url, pass } = await start({ respond: callsOnce(['wait', { ms: 900 }]) });
  /** Every client makes the same refs. */
  const enter = async () => {
    let count = 0;
    const client = await connectChecked({ url, token: tokens.ann, reconnect: false, createRef: () => `r${count++}` });
    onTestFinished(() => client.close());
    return client.session('s');
  };
  const [other, session] = [await enter(), await enter()];
  const frames = record(session);
  const turn = other.say('words');
  await pass(() => frames.some(({ type }) => type === 'tool_started'));
  const cancel = session.cancel('mine');
  await pass(() => frames.some(({ type }) => type === 'cancel_settled'));
  expect(await cancel.accepted).toMatchObject({ type: 'cancel_accepted', ref: cancel.ref });
  expect(cancel.ref).not.toBe('r1');
  expect((await cancel.settled)?.nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
  expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
  expect(frames.filter(({ type }) => type === 'error')).toEqual([]);
});

describe('a turn', () => {
  test('is iterated from its first event to its end, also by a loop that starts later [ws.protocol]', async () => {
    const { as, pass } = await start({ respond: () => textResponse('Hel', 'lo.') });
    const session = (await as('ann')).session('s');
    const turn = session.say('hi');
    const events: TurnEvent[] = [];
    const iterating = collect(turn, events);
    await pass(() => events.at(-1)?.type === 'turn_ended');
    await iterating;
    expect(events.map(({ type }) => type)).toEqual([
      'turn_opened',
      'turn_started',
      'model_started',
      'text_delta',
      'text_delta',
      'model_ended',
      'turn_ended',
    ]);
    expect(await turn.ended).toMatchObject({ outcome: 'completed', turn: turn.id });
    expect(await collect(turn)).toEqual(events);
  });

  test('has the events of the nodes below it, and none of another turn', async () => {
    const { as, pass } = await start({
      agents: { helper: { description: 'helps', instructions: 'help', tools: ['note'] } },
      respond: (request) => {
        const last = request.messages.at(-1);
        if (last?.role === 'user' && last.content === 'delegate') {
          return callsResponse(['spawn_agent', { agent: 'helper', task: 'look' }]);
        }
        return last?.role === 'user' && last.content === 'look' ? callsResponse(['note']) : textResponse('ok');
      },
    });
    const [ann, bob] = [(await as('ann')).session('s'), (await as('bob')).session('s')];
    await Promise.all([ann.joined, bob.joined]);
    const turn = ann.say('delegate');
    const other = bob.say('talk');
    const [events, others] = [collect(turn), collect(other)];
    let ended = 0;
    void Promise.all([turn.ended, other.ended]).then(() => ended++);
    await pass(() => ended > 0);
    const types = (await events).map(({ type }) => type);
    expect(types.filter((type) => type === 'turn_started')).toHaveLength(2);
    expect(types.filter((type) => type === 'tool_result')).toHaveLength(2);
    expect((await others).every((event) => !('turn' in event) || event.turn === other.id)).toBe(true);
  });

  test('that is cancelled ends with its outcome, after `cancel_accepted` and before `cancel_settled` [cancel.settled]', async () => {
    const { as, pass, harness } = await start({ respond: callsOnce(['wait', { ms: 60_000 }], ['note']) });
    const session = (await as('ann')).session('s');
    const turn = session.say('work');
    await pass(() => harness.entered.length === 1);
    const cancel = turn.cancel({ reason: 'changed my mind' });
    const events = collect(turn);
    let settled = 0;
    void cancel.settled.then(() => settled++);
    await pass(() => settled > 0);
    expect(await cancel.accepted).toMatchObject({
      type: 'cancel_accepted',
      by: 'ann',
      reason: 'changed my mind',
      target: turn.id,
    });
    const receipt = await cancel.settled;
    expect(receipt?.nodes.map(({ kind, outcome }) => [kind, outcome]).sort()).toEqual([
      ['tool-call', 'cancelled'],
      ['turn', 'cancelled'],
    ]);
    expect((await events).at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'cancelled' });
    expect((await events).filter(({ type }) => type === 'tool_result')).toHaveLength(2);
  });

  test('can be cancelled before its id is known: no request is made to the model [cancel.latch]', async () => {
    const { as, pass, harness } = await start();
    const session = (await as('ann')).session('s');
    const turn = session.say('never mind');
    const cancel = turn.cancel();
    const next = session.say('this one');
    let ended = 0;
    void next.ended.then(() => ended++);
    await pass(() => ended > 0);
    expect(await cancel.accepted).toMatchObject({ type: 'cancel_accepted', stopping: [turn.id] });
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    expect(await next.ended).toMatchObject({ outcome: 'completed' });
    expect(harness.provider.requests).toHaveLength(1);
  });
});

describe('a cancel', () => {
  test('of a settled or unknown target gets a reply [cancel.exact]', async () => {
    const { as, pass } = await start();
    const session = (await as('ann')).session('s');
    const turn = session.say('hi');
    let ended = 0;
    void turn.ended.then(() => ended++);
    await pass(() => ended > 0);
    const lateCancel = turn.cancel();
    expect(await lateCancel.accepted).toMatchObject({ type: 'already_settled', receipt: null });
    expect(await lateCancel.settled).toBeNull();
    const unknown = session.cancel('turn_nowhere');
    expect(await unknown.accepted).toMatchObject({ type: 'unknown_target', target: 'turn_nowhere' });
    expect(await unknown.settled).toBeNull();
  });

  test('that is sent six times gets one receipt in six replies [cancel.idempotent]', async () => {
    const { harness, url, pass } = await start({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    const client = await connectRaw(url);
    await client.hello(tokens.ann);
    await client.join('s');
    client.send({ type: 'SAY', ref: 's1', text: 'work' });
    await pass(() => harness.entered.length === 1);
    for (let i = 0; i < 6; i++) client.send({ type: 'CANCEL', ref: 'c1', target: 'mine' });
    await pass(() => client.all('cancel_settled').length === 6);
    const accepted = client.all('cancel_accepted');
    expect(accepted).toHaveLength(6);
    expect(accepted.filter((frame) => 'seq' in frame)).toHaveLength(1);
    expect(accepted.filter(({ repeated }) => repeated === true)).toHaveLength(5);
    expect(new Set([...accepted, ...client.all('cancel_settled')].map(({ cancel }) => cancel)).size).toBe(1);
    expect(client.all('cancel_settled').filter((frame) => 'seq' in frame)).toHaveLength(1);
    expect(harness.settledReceipts()).toHaveLength(1);
  });

  test('by a speaker without standing is refused, and every member receives the refusal [owner.guard]', async () => {
    const { as, pass, harness } = await start({
      session: () => ({ policy: 'owner' }),
      respond: callsOnce(['wait', { ms: 60_000 }]),
    });
    const [ann, bob] = [(await as('ann')).session('s'), (await as('bob')).session('s')];
    await bob.joined;
    const received = record(ann);
    const turn = ann.say('work');
    await pass(() => harness.entered.length === 1);
    const refused = bob.cancel(await turn.opened);
    expect(await refused.accepted).toMatchObject({ type: 'cancel_refused', by: 'bob' });
    expect(await refused.settled).toBeNull();
    await until(() => received.some(({ type }) => type === 'cancel_refused'));
    expect(harness.aborted).toEqual([]);
  });
});

describe('joining again', () => {
  test('after the last sequence number gives every missed fact once [ws.resume]', async () => {
    const { as, pass, harness } = await start({ respond: callsOnce(['wait', { ms: 500 }], ['note']) });
    const first = await as('ann');
    const before = first.session('s', { after: 0 });
    const received = record(before);
    const turn = before.say('work');
    await pass(() => harness.entered.length === 1);
    await until(() => received.some(({ type }) => type === 'tool_started'));
    await first.close();
    await expect(turn.ended).rejects.toThrow(ConnectionClosed);
    await pass(() => harness.recorder.of('turn_ended').length === 1);

    const again = (await as('ann')).session('s', { after: before.seq });
    const missed = record(again);
    await until(() => missed.some(({ type }) => type === 'turn_ended'));
    const seqs = [...received, ...missed].flatMap((frame) =>
      'seq' in frame && frame.type !== 'joined' && frame.seq !== undefined ? [frame.seq] : [],
    );
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    const all = record((await as('bob')).session('s', { after: 0 }));
    await until(() => all.some(({ type }) => type === 'turn_ended'));
    const whole = all.flatMap((frame) => ('seq' in frame && frame.type !== 'joined' ? [frame.seq] : []));
    expect(seqs).toEqual(whole);
  });

  test('in mid-stream gives the text so far, then the deltas [ws.resume]', async () => {
    const pieces = Array.from({ length: 30 }, (_, i) => `word${i} `);
    const { as, pass } = await start({ respond: () => textResponse(...pieces) });
    const ann = (await as('ann')).session('s');
    const received = record(ann);
    const turn = ann.say('talk');
    await pass(() => received.filter(({ type }) => type === 'text_delta').length > 5);
    const bob = (await as('bob')).session('s');
    const joined = await bob.joined;
    const [block] = joined.blocks;
    expect(block?.text).toMatch(/^word0 word1 /);
    const rest = record(bob);
    let ended = 0;
    void turn.ended.then(() => ended++);
    await pass(() => ended > 0 && rest.some(({ type }) => type === 'model_ended'));
    const text = rest.reduce((sum, frame) => (frame.type === 'text_delta' ? sum + frame.text : sum), block?.text ?? '');
    expect(text).toBe(pieces.join(''));
  });
});

describe('the end of', () => {
  test('the connection fails all requests, by name [ws.protocol]', async () => {
    const { as, gateway, pass, harness } = await start({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    const client = await as('ann');
    const session = client.session('s');
    const turn = session.say('work');
    await pass(() => harness.entered.length === 1);
    const iterating = collect(turn);
    iterating.catch(() => {});
    void gateway.close();
    await expect(iterating).rejects.toMatchObject({ name: 'ConnectionClosed', reason: 'shutdown', code: 4450 });
    await expect(turn.ended).rejects.toThrow(ConnectionClosed);
    expect(await client.closed).toMatchObject({ reason: 'shutdown' });
    await expect(session.say('late').opened).rejects.toThrow(ConnectionClosed);
    await expect(session.cancel('mine').accepted).rejects.toThrow(ConnectionClosed);
    await expect(client.session('other').joined).rejects.toThrow(ConnectionClosed);
  });

  test('the membership by LEAVE lets the turn run on', async () => {
    const { as, pass, harness } = await start({ respond: callsOnce(['wait', { ms: 200 }]) });
    const client = await as('ann');
    const session = client.session('s');
    const turn = session.say('work');
    await pass(() => harness.entered.length === 1);
    await session.leave();
    await expect(turn.ended).rejects.toThrow(SessionEnded);
    await pass(() => harness.recorder.of('turn_ended').length === 1);
    expect(harness.recorder.of('turn_ended')[0]).toMatchObject({ outcome: 'completed' });
    expect(client.session('s')).not.toBe(session);
  });

  test('the attempt to connect has its reason: an invalid token, a missing gateway', async () => {
    const { url } = await start();
    await expect(connectChecked({ url, token: 'nonsense' })).rejects.toMatchObject({ reason: 'unauthorized' });
    await expect(connectChecked({ url: 'ws://127.0.0.1:9/belay' })).rejects.toMatchObject({
      name: 'ConnectionClosed',
      reason: null,
    });
  });
});

describe('a command that is refused', () => {
  test('rejects with the code of the reply', async () => {
    const { as, pass, harness } = await start({
      limits: { laneTurns: 1 },
      respond: callsOnce(['wait', { ms: 60_000 }]),
    });
    const session = (await as('ann')).session('s');
    session.say('one');
    await pass(() => harness.entered.length === 1);
    session.say('two');
    const third = session.say('three');
    await expect(third.opened).rejects.toMatchObject({ name: 'CommandRefused', code: 'lane_full' });
    await expect(collect(third)).rejects.toThrow(CommandRefused);
    const invalid = session.cancel('x'.repeat(200));
    await expect(invalid.accepted).rejects.toMatchObject({ code: 'bad_field', field: 'target', limit: 128 });
  });

  test('is a JOIN with an invalid name', async () => {
    const { as } = await start();
    const session = (await as('ann')).session('not a name');
    await expect(session.joined).rejects.toMatchObject({ code: 'bad_field', field: 'session' });
  });
});
