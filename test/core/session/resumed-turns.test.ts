// RESUME: a new turn takes up an interrupted one from what it has completed.
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { bobCaller, callerOf, callsResponse, startHarness, textResponse } from '../../support/harness.ts';
import { codeIn, interrupted, lastPrompt, moderator, resume, rounds, turnIn } from './interrupted-turn.ts';

describe('what a turn that was resumed begins with', () => {
  test('its model reads which calls completed and which may have had effects, and nothing runs by itself [recover.resume]', async () => {
    const { harness, turn } = await interrupted({ respond: rounds([['note'], ['wait', { ms: 900 }]], []) });
    const resumed = turnIn(await resume(harness, turn));
    await harness.clock.advance(1_000);
    const opened = harness.recorder.of('turn_opened').find((fact) => fact.turn === resumed);
    expect(opened).toMatchObject({ kind: 'say', owner: 'alice', lane: 'alice', text: '', resumes: turn });
    const prompt = lastPrompt(harness);
    expect(prompt).toContain(`alice has asked to take up again the turn ${turn}.`);
    expect(prompt).toContain(`Completed: note (${harness.callNamed('note')}).`);
    expect(prompt).toContain(`May have had effects: wait (${harness.callNamed('wait')}).`);
    expect(prompt).toContain('Never repeat silently what may have had effects');
    expect(harness.entered).toHaveLength(1);
    expect(harness.endOf(resumed)?.outcome).toBe('completed');
  });

  test('calls that did not start are named, and so are those of its sub-agents [recover.resume]', async () => {
    const agents = { helper: { description: 'helps', instructions: 'Help.' } };
    const respond = rounds(
      [
        ['keyed', { ms: 900 }],
        ['keyed', { ms: 800 }],
        ['spawn_agent', { task: 'help' }],
      ],
      [['wait', { ms: 700 }]],
    );
    const { harness, turn } = await interrupted({ agents, respond });
    await resume(harness, turn);
    await harness.clock.advance(1_000);
    const prompt = lastPrompt(harness);
    expect(prompt).toContain(`Did not run: keyed (${harness.callNamed('keyed', 1)}).`);
    expect(prompt).toContain(
      `wait (${harness.callNamed('wait')}) of spawn_agent (${harness.callNamed('spawn_agent')}) with "{\\"ms\\":700}"`,
    );
  });

  test('the words of a RESUME follow the note, and its options are those of the turn [recover.resume]', async () => {
    const harness = await startHarness({ respond: rounds([['wait', { ms: 900 }]], []) });
    const said = harness.session.say(harness.alice, { text: 'deploy it', options: { temperature: 0.5 } });
    await harness.clock.advance(50);
    const reply = await said;
    const turn = reply.type === 'turn_opened' ? reply.turn : '';
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    await resume(harness, turn, harness.alice, 'stop');
    await harness.clock.advance(1_000);
    expect(lastPrompt(harness)).toMatch(/\]\n\nstop$/);
    expect(harness.provider.requests.at(-1)?.options).toMatchObject({ temperature: 0.5 });
  });

  test('the interrupted turn is in the request whole, however little of the context the limits allow [recover.resume] [history.bounded]', async () => {
    const { harness, turn } = await interrupted({
      limits: { contextTurns: 2 },
      respond: (request, n) =>
        n === 0 ? callsResponse(['note'], ['wait', { ms: 900 }]) : textResponse(`${request.messages.length}`),
    });
    for (const words of ['one', 'two', 'three']) {
      await harness.say(words);
      await harness.clock.advance(100);
    }
    await resume(harness, turn);
    await harness.clock.advance(100);
    const messages = harness.provider.requests.at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'user',
    ]);
    expect(messages[1]?.content).toBe('deploy it');
  });
});

describe('who and what', () => {
  test('the owner or a moderator may resume a turn, and owns the new one [recover.resume]', async () => {
    const { harness, turn } = await interrupted();
    expect(codeIn(await resume(harness, turn, bobCaller))).toBe('turn_of_another');
    const viaBridge = { ...callerOf('bob'), via: 'bridge' };
    expect(codeIn(await resume(harness, turn, viaBridge))).toBe('turn_of_another');
    const resumed = turnIn(await resume(harness, turn, moderator));
    expect(harness.recorder.of('turn_opened').find((fact) => fact.turn === resumed)?.owner).toBe('mia');
  });

  test('each other turn is refused by its name [recover.resume]', async () => {
    const { harness, turn } = await interrupted({
      respond: rounds([['wait', { ms: 900 }]], [], [['wait', { ms: 900 }]]),
    });
    expect(codeIn(await resume(harness, 'turn_none'))).toBe('unknown_turn');
    expect(codeIn(await resume(harness, harness.callNamed('wait')))).toBe('unknown_turn');
    const completed = await harness.say('hello');
    expect(codeIn(await resume(harness, completed))).toBe('turn_not_settled');
    await harness.clock.advance(100);
    expect(codeIn(await resume(harness, completed))).toBe('not_interrupted');
    const resumed = turnIn(await resume(harness, turn));
    await harness.clock.advance(50);
    expect(codeIn(await resume(harness, turn))).toBe('already_resumed');
    void harness.session.cancel(harness.alice, { target: resumed });
    expect(codeIn(await resume(harness, resumed))).toBe('turn_not_settled');
    await harness.clock.advance(2_000);
    expect(codeIn(await resume(harness, resumed))).toBe('turn_opened');
  });

  test('of two RESUMEs of one turn in one tick, one counts [recover.resume]', async () => {
    const { harness, turn } = await interrupted();
    const both = [resume(harness, turn), resume(harness, turn, moderator)];
    expect((await Promise.all(both)).map(codeIn)).toEqual(['turn_opened', 'already_resumed']);
  });

  test('a ref counts once, for a RESUME as for a SAY [cancel.idempotent] [recover.resume]', async () => {
    const { harness, turn } = await interrupted();
    const first = turnIn(await resume(harness, turn, harness.alice, undefined, 'r1'));
    expect(await resume(harness, turn, harness.alice, undefined, 'r1')).toMatchObject({
      turn: first,
      repeated: { resumes: turn },
    });
    expect(codeIn(await resume(harness, turn, harness.alice, 'words', 'r1'))).toBe('ref_reused');
    expect(codeIn(await resume(harness, first, harness.alice, undefined, 'r1'))).toBe('ref_reused');
    const said = harness.session.say(harness.alice, { text: 'words', ref: 'r1' });
    await harness.clock.advance(0);
    expect((await said).type).toBe('ref_reused');
  });

  test('a turn that died with its host is resumed after the restart, and so is one that was stopped before [recover.resume]', async () => {
    const log = createMemoryLog();
    const { harness, turn } = await interrupted({ log });
    const died = await harness.say('and then');
    await harness.clock.advance(100);
    const next = await startHarness({ log, life: 2, respond: rounds([], [['wait', { ms: 900, at: 'here' }]]) });
    expect(next.endOf(died)).toMatchObject({ outcome: 'failed', code: 'crash' });
    await resume(next, died);
    await next.clock.advance(100);
    expect(lastPrompt(next)).toContain('in which alice said "and then"');
    await resume(next, turn);
    await next.clock.advance(100);
    expect(next.recorder.of('approval_requested')).toHaveLength(1);
    await (await bindSession(next.runtime, 's')).cancel(next.alice, { target: 'session' });
    await next.clock.advance(2_000);
  });

  test('a RESUME waits in its lane like a SAY, and is cancelled there [recover.resume] [cancel.latch]', async () => {
    const { harness, turn } = await interrupted({ respond: rounds([['wait', { ms: 900 }]], [['wait', { ms: 500 }]]) });
    const running = await harness.say('something else');
    const resumed = turnIn(await resume(harness, turn));
    await harness.clock.advance(100);
    expect(harness.recorder.of('turn_started').some((fact) => fact.turn === resumed)).toBe(false);
    await harness.cancel({ target: resumed });
    await harness.clock.advance(1_000);
    expect(harness.endOf(resumed)).toMatchObject({ outcome: 'cancelled', effect: 'not_started' });
    expect(harness.endOf(running)?.outcome).toBe('completed');
    expect(codeIn(await resume(harness, turn))).toBe('already_resumed');
    expect(codeIn(await resume(harness, resumed))).toBe('turn_opened');
  });
});
