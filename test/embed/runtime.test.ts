// The runtime as a library user has it: a few lines, seats for speakers, the tree, one shutdown.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { asks, open, type Respond, says } from './open.ts';

describe('a seat', () => {
  test('says something, and has all of it as events and as promises', async () => {
    const { session, clock } = await open(() => says('noon'));
    const ann = session.as('ann');
    const turn = ann.say('what time is it?');
    await clock.advance(0);
    const heard: string[] = [];
    let text = '';
    for await (const event of turn) {
      if (event.type === 'text_delta') text += event.text;
      else heard.push(event.type);
    }
    expect(text).toBe('noon');
    expect(heard).toEqual(['turn_opened', 'turn_started', 'model_started', 'model_ended', 'turn_ended']);
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

  test('is checked as a client is: a command that is not good is refused by name', async () => {
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
    expect(() => session.as('')).toThrow('a speaker has a name');
    expect(() => session.as({ id: 'ann', roles: ['king' as 'member'] })).toThrow('there is no role king');
  });

  test('hears what the others do, and what was before it where it asks for that [ws.resume]', async () => {
    const { session, clock } = await open(() => says('noon'));
    session.as('ann').say('what time is it?');
    await clock.advance(0);
    const late: string[] = [];
    const told: string[] = [];
    const facts = ['session_opened', 'turn_opened', 'turn_started', 'model_ended', 'turn_ended'];
    session.as('bob').on('*', ({ type }) => late.push(type));
    const carol = session.as('carol', { after: 0 });
    carol.on('*', ({ type }) => told.push(type));
    await clock.advance(0);
    expect(late.filter((type) => facts.includes(type))).toEqual([]);
    expect(told.filter((type) => facts.includes(type))).toEqual(facts);
    expect(carol.seq).toBe(6);
    session.as('dave').say('and now?');
    await clock.advance(0);
    expect(late).toContain('text_delta');
    expect(told.filter((type) => type === 'turn_opened')).toHaveLength(2);
  });

  test('what a listener throws is told, and stops nobody [ops.hooks]', async () => {
    const { session, clock, warnings } = await open(() => says('noon'));
    const ann = session.as('ann');
    ann.on('turn_started', () => {
      throw new Error('mine');
    });
    const heard: string[] = [];
    ann.on('turn_started', ({ type }) => heard.push(type));
    const turn = ann.say('hello');
    await clock.advance(0);
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    expect(heard).toEqual(['turn_started']);
    expect(warnings).toEqual(['who listens to a session threw']);
  });

  test('hears nothing once it has left; what it has started runs on', async () => {
    const { session, clock } = await open(() => asks('watch'));
    const heard: string[] = [];
    const ann = session.as('ann');
    ann.on('*', ({ type }) => heard.push(type));
    const turn = ann.say('watch');
    await clock.advance(0);
    const left = ann[Symbol.asyncDispose]();
    await clock.advance(0);
    await left;
    expect(heard.at(-1)).toBe('left');
    await expect(turn.ended).rejects.toMatchObject({ name: 'SessionEnded' });
    expect(await session.nodes()).toHaveLength(2);
    const stopped = session.as('ann').cancel('mine').settled;
    await clock.advance(0);
    expect((await stopped)?.nodes).toHaveLength(2);
    expect(heard.at(-1)).toBe('left');
  });

  test('answers what a call asks', async () => {
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
    ann.on('approval_requested', ({ node }) => void ann.approve(node));
    ann.on('question_asked', ({ node }) => void ann.answer(node, 'yes, all'));
    const turn = ann.say('go');
    await clock.advance(0);
    await clock.advance(0);
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    expect(recorder.of('approval_closed')).toMatchObject([{ answer: 'approved', by: 'ann' }]);
    expect(recorder.of('tool_result')).toMatchObject([{ output: 'removed yes, all' }]);
  });
});

describe('observers', () => {
  test('hear each node start and end once, and cancelled is not failed [ops.hooks]', async () => {
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

  test('that is detached is listed by a cancel of what it came from, told as it goes, and stopped by its own id [agent.tree]', async () => {
    const { session, clock } = await open(
      (said, n) => (n === 1 && said !== 'help' ? asks('watch') : respond(said, n)), // the turn has something else to wait for
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
  test('answers a cancel with pending and its bound, and stops when that is over [cancel.shield]', async () => {
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
  test('is a shutdown: a CANCEL with that cause, waited for, told to all; then what closes with it [ops.shutdown]', async () => {
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
});
