// The runtime as a library user has it: a few lines, local sessions of speakers, the tree, one shutdown.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { asks, open, type Respond, says } from './open.ts';

describe('a local session', () => {
  test('says something, and gets all of the turn as events and as promises', async () => {
    const { session, clock } = await open(() => says('noon'));
    const ann = session.as('ann');
    const turn = ann.say('what time is it?');
    await clock.advance(0);
    const received: string[] = [];
    let text = '';
    for await (const event of turn) {
      if (event.type === 'text_delta') text += event.text;
      else received.push(event.type);
    }
    expect(text).toBe('noon');
    expect(received).toEqual(['turn_opened', 'turn_started', 'model_started', 'model_ended', 'turn_ended']);
    expect(await turn.opened).toBe(turn.id);
    expect(await turn.ended).toMatchObject({ outcome: 'completed', turn: turn.id });
    expect(await ann.joined).toMatchObject({ session: 's', kind: 'text', policy: 'anyone' });
  });

  test('cancels, and has the receipts: what will be stopped, then what became of it [cancel.accepted] [cancel.settled]', async () => {
    const { session, clock } = await open(() => asks('watch'));
    const ann = session.as('ann');
    const turn = ann.say('watch');
    await clock.advance(0);
    const nodes = (await session.nodes()).map(({ node }) => node);
    expect(nodes).toHaveLength(2);
    const { accepted, settled } = turn.cancel({ reason: 'enough' });
    await clock.advance(0);
    expect(await accepted).toMatchObject({ type: 'cancel_accepted', stopping: nodes, by: 'ann', reason: 'enough' });
    expect((await settled)?.nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    expect(await session.nodes()).toEqual([]);
  });

  test('is checked as a client is: an invalid command is rejected by name', async () => {
    const { session, clock } = await open(() => says('x'));
    const ann = session.as('ann');
    const blank = ann.say(' ');
    const forged = ann.say('hello', { as: 'bob' });
    await clock.advance(0);
    await expect(blank.ended).rejects.toMatchObject({ name: 'CommandRefused', code: 'bad_field', field: 'text' });
    await expect(forged.ended).rejects.toMatchObject({ code: 'as_not_allowed' });
    const bridge = session.as({ id: 'bridge', roles: ['bridge'] });
    const relayed = bridge.say('hello', { as: 'bob' });
    await clock.advance(0);
    await expect(relayed.ended).resolves.toMatchObject({ outcome: 'completed' });
    expect(() => session.as('')).toThrow('The id of a speaker must have 1 to 128 characters, and has 0.');
    expect(() => session.as({ id: 'ann', roles: ['king' as 'member'] })).toThrow(
      'Unknown role of the speaker ann: king. The roles are member,',
    );
  });

  test('receives what the others do, and the earlier facts where it asks for them [ws.resume]', async () => {
    const { session, clock } = await open(() => says('noon'));
    session.as('ann').say('what time is it?');
    await clock.advance(0);
    const live: string[] = [];
    const replayed: string[] = [];
    const facts = ['session_opened', 'turn_opened', 'turn_started', 'model_ended', 'turn_ended'];
    session.as('bob').on('*', ({ type }) => live.push(type));
    const carol = session.as('carol', { after: 0 });
    carol.on('*', ({ type }) => replayed.push(type));
    await clock.advance(0);
    expect(live.filter((type) => facts.includes(type))).toEqual([]);
    expect(replayed.filter((type) => facts.includes(type))).toEqual(facts);
    expect(carol.seq).toBe(6);
    session.as('dave').say('and now?');
    await clock.advance(0);
    expect(live).toContain('text_delta');
    expect(replayed.filter((type) => type === 'turn_opened')).toHaveLength(2);
  });

  test('an exception of a listener goes to `warn`, and stops no other listener [ops.hooks]', async () => {
    const { session, clock, warnings } = await open(() => says('noon'));
    const ann = session.as('ann');
    ann.on('turn_started', () => {
      throw new Error('mine');
    });
    const received: string[] = [];
    ann.on('turn_started', ({ type }) => received.push(type));
    const turn = ann.say('hello');
    await clock.advance(0);
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    expect(received).toEqual(['turn_started']);
    expect(warnings).toEqual(['A listener of a session threw.']);
  });

  test('receives nothing once it has left; what it has started runs on', async () => {
    const { session, clock } = await open(() => asks('watch'));
    const received: string[] = [];
    const ann = session.as('ann');
    ann.on('*', ({ type }) => received.push(type));
    const turn = ann.say('watch');
    await clock.advance(0);
    const left = ann[Symbol.asyncDispose]();
    await clock.advance(0);
    await left;
    expect(received.at(-1)).toBe('left');
    await expect(turn.ended).rejects.toMatchObject({ name: 'SessionEnded' });
    expect(await session.nodes()).toHaveLength(2);
    const stopped = session.as('ann').cancel('mine').settled;
    await clock.advance(0);
    expect((await stopped)?.nodes).toHaveLength(2);
    expect(received.at(-1)).toBe('left');
  });

  test('answers the questions of a call', async () => {
    const rm = defineTool({
      name: 'rm',
      description: 'Removes.',
      input: z.object({ path: z.string() }),
      access: 'parallel',
      cancel: 'abortable',
      effect: 'some',
      approval: ({ path }) => ({ text: `remove ${path}?` }),
      run: async (_, { ask }) => `removed ${await ask({ text: 'all of it?' })}`,
    });
    const respond: Respond = (said) => (said === 'go' ? asks('rm', { path: '/tmp/x' }) : says('done'));
    const { session, clock, recorder } = await open(respond, { tools: [rm] });
    const ann = session.as('ann');
    ann.on('approval_requested', ({ node, question }) => void ann.approve(node, { question }));
    ann.on('question_asked', ({ node, question }) => void ann.answer(node, 'yes, all', { question }));
    const turn = ann.say('go');
    await clock.advance(0);
    await clock.advance(0);
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    expect(recorder.of('approval_closed')).toMatchObject([{ answer: 'approved', by: 'ann' }]);
    expect(recorder.of('tool_result')).toMatchObject([{ output: 'removed yes, all' }]);
  });
});

describe('observers', () => {
  test('see each node start and end once, and cancelled is not failed [ops.hooks]', async () => {
    const respond: Respond = (said, n) => (n === 0 ? asks('watch') : n === 1 ? asks('nothing') : says(said));
    const { session, clock, recorder } = await open(respond);
    const ann = session.as('ann');
    const turn = ann.say('watch');
    await clock.advance(0);
    turn.cancel();
    await clock.advance(0);
    const next = ann.say('and again');
    await clock.advance(0);
    expect(await next.ended).toMatchObject({ outcome: 'completed' });
    const ends = recorder.ends.map(({ kind, outcome }) => `${kind} ${outcome}`).sort();
    expect(ends).toEqual(['tool-call cancelled', 'tool-call failed', 'turn cancelled', 'turn completed']);
    expect(recorder.ends.map(({ node }) => node).sort()).toEqual(recorder.starts.map(({ node }) => node).sort());
  });
});

describe('a sub-agent', () => {
  const agents = { helper: { description: 'Helps.', instructions: 'Help.', tools: ['watch'] } };
  const delegate = (detached: boolean) => asks('spawn_agent', { agent: 'helper', task: 'help', detached });
  const respond: Respond = (said) => {
    if (said === 'help') return asks('watch');
    return said === 'attached' || said === 'detached' ? delegate(said === 'detached') : says('done');
  };

  test('that is attached is stopped with its turn, down to its tool [agent.tree]', async () => {
    const { session, clock } = await open(respond, { agents });
    const turn = session.as('ann').say('attached');
    await clock.advance(0);
    expect((await session.nodes()).map(({ kind }) => kind)).toEqual(['turn', 'sub-agent', 'turn', 'tool-call']);
    const { settled } = turn.cancel();
    await clock.advance(0);
    expect((await settled)?.nodes.map(({ outcome }) => outcome)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
  });

  test('that is detached is listed by a cancel of the turn that it came from, and stopped by its own id [agent.tree]', async () => {
    const { session, clock } = await open(
      (said, n) => (n === 1 && said !== 'help' ? asks('watch') : respond(said, n)), // the turn has a call of its own to wait for
      { agents },
    );
    const ann = session.as('ann');
    const opened: string[] = [];
    ann.on('turn_opened', ({ kind, turn }) => kind === 'agent' && opened.push(turn));
    const turn = ann.say('detached');
    await clock.advance(0);
    const [agent = ''] = opened;
    const { accepted } = turn.cancel();
    await clock.advance(0);
    expect(await accepted).toMatchObject({ type: 'cancel_accepted', detached: [agent] });
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    expect((await session.nodes()).map(({ node, name }) => [node, name])[0]).toEqual([agent, 'helper']);
    const { settled } = ann.cancel(agent);
    await clock.advance(0);
    expect((await settled)?.nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
    expect(await session.nodes()).toEqual([]);
  });
});

describe('a session that may not be interrupted', () => {
  test('replies to a cancel with pending and its maximum, and stops when that is over [cancel.shield]', async () => {
    const { session, clock } = await open(() => asks('watch'), {
      session: () => ({ interruptible: false }),
      limits: { shieldMs: 3_000 },
    });
    const ann = session.as('ann');
    const turn = ann.say('watch');
    await clock.advance(1_000);
    const { accepted, settled } = turn.cancel();
    await clock.advance(0);
    expect(await accepted).toMatchObject({ type: 'cancel_accepted', stopping: [], pendingMs: 2_000 });
    expect(await session.nodes()).toHaveLength(2);
    await clock.advance(2_000);
    expect((await settled)?.nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('close', () => {
  test('is a shutdown: a CANCEL with that cause, waited for, published to all; then the callbacks of closeWith [ops.shutdown]', async () => {
    const { runtime, session, clock, recorder } = await open(() => asks('watch'));
    const order: string[] = [];
    const ann = session.as('ann');
    ann.on('cancel_settled', ({ cause }) => order.push(cause.source));
    ann.on('left', ({ reason }) => order.push(String(reason)));
    const undo = runtime.closeWith(async () => void order.push('taken back'));
    undo();
    runtime.closeWith(async () => void order.push('closed with it'));
    runtime.closeWith(() => Promise.reject(new Error('and this fails')));
    const turn = ann.say('watch');
    await clock.advance(0);
    const closed = runtime.close();
    expect(runtime.close()).toBe(closed);
    await clock.advance(0);
    await closed;
    expect(order).toEqual(['shutdown', 'shutdown', 'closed with it']);
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    expect(recorder.of('cancel_accepted')).toMatchObject([{ source: 'shutdown', by: null }]);
    await expect(runtime.session('s')).rejects.toMatchObject({ name: 'RuntimeClosing' });
    await expect(ann.say('hello').ended).rejects.toMatchObject({ name: 'SessionEnded', reason: 'shutdown' });
  });

  test('waits for a callback of closeWith for `limits.shutdownMs`, and no longer [ops.shutdown]', async () => {
    const warnings: string[] = [];
    const { runtime, clock } = await open(() => says('x'), { warn: (message) => warnings.push(message) });
    runtime.closeWith(() => new Promise(() => {}));
    let isClosed = false;
    void runtime.close().then(() => {
      isClosed = true;
    });
    await clock.advance(9_900);
    expect(isClosed).toBe(false);
    await clock.advance(200);
    expect(isClosed).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('closeWith')]);
  });
});
