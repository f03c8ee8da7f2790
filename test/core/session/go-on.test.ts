// Words like "continue" after a stop: they resume the stopped turn of their speaker, as a RESUME does, and are an ordinary message where one condition is missing.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { Log, LogBody } from '../../../src/core/contracts/log.ts';
import type { Caller, SayReply, SayRequest } from '../../../src/core/session/api.ts';
import { GoOn } from '../../../src/core/session/go-on.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { bobCaller, type Harness, type HarnessOptions, startHarness, toolOf } from '../../support/harness.ts';
import { interrupted, lastPrompt, moderator, resume, rounds } from './interrupted-turn.ts';

async function speak(harness: Harness, said: string | SayRequest, member: Caller = harness.alice): Promise<SayReply> {
  const pending = harness.session.say(member, typeof said === 'string' ? { text: said } : said);
  await harness.clock.advance(0);
  return pending;
}

/** The turn that the last words have resumed; undefined: they have resumed none. */
const lastResumed = ({ recorder }: Harness) => recorder.of('turn_opened').at(-1)?.resumes;

/** The sequence number of the end of a turn: the recorder has every fact of the one session. */
const seqOfEnd = ({ recorder }: Harness, turn: string): number =>
  recorder.facts.findIndex((fact) => fact.type === 'turn_ended' && fact.turn === turn) + 1;

const ending: HarnessOptions = { respond: rounds([['note'], ['wait', { ms: 900, at: 'here' }]], []) };

describe('words that go on', () => {
  test.each(['continue', 'Go on!', 'carry on', 'ok, pick up where you left off', 'mach weiter', '続けて'])(
    '%j is a RESUME of the turn that was stopped, and its words follow the note [recover.go-on]',
    async (text) => {
      const { harness, turn } = await interrupted(ending);
      const reply = await speak(harness, { text, ref: 'r1' });
      const opened = harness.recorder.of('turn_opened').at(-1);
      expect(reply).toMatchObject({ type: 'turn_opened', turn: opened?.turn });
      expect(opened).toMatchObject({ kind: 'say', owner: 'alice', text, resumes: turn, ref: 'r1', command: 'SAY' });
      await harness.clock.advance(1_000);
      expect(lastPrompt(harness)).toContain(`alice has asked to take up again the turn ${turn}.`);
      expect(lastPrompt(harness).endsWith(`]\n\n${text}`)).toBe(true);
    },
  );

  test('hold a repeat of what may have had effects for a yes, as a RESUME does [recover.go-on]', async () => {
    const { harness } = await interrupted();
    await speak(harness, 'go on');
    await harness.clock.advance(100);
    expect(harness.recorder.of('approval_requested')).toHaveLength(1);
    await harness.cancel({ target: 'session' });
    await harness.clock.advance(1_000);
  });

  test('have the options of the turn, or those of their own SAY [recover.go-on]', async () => {
    for (const options of [undefined, { temperature: 0.1 }]) {
      const harness = await startHarness(ending);
      const said = harness.session.say(harness.alice, { text: 'deploy', options: { temperature: 0.5 } });
      await harness.clock.advance(50);
      const reply = await said;
      await harness.cancel({ target: reply.type === 'turn_opened' ? reply.turn : '' });
      await harness.clock.advance(1_000);
      await speak(harness, { text: 'continue', options });
      await harness.clock.advance(100);
      expect(harness.provider.requests.at(-1)?.options).toMatchObject(options ?? { temperature: 0.5 });
    }
  });

  test('after a stop phrase, and again after the next stop [recover.go-on] [cancel.sources.phrase]', async () => {
    const harness = await startHarness({ respond: rounds([['wait', { ms: 900 }]], [['wait', { ms: 800 }]], []) });
    const first = await harness.say('deploy it');
    await harness.clock.advance(50);
    await speak(harness, 'stop');
    await harness.clock.advance(1_000);
    const reply = await speak(harness, 'continue');
    expect(lastResumed(harness)).toBe(first);
    await harness.clock.advance(50);
    await speak(harness, 'nvm');
    await harness.clock.advance(1_000);
    await speak(harness, 'please go on');
    expect(lastResumed(harness)).toBe(reply.type === 'turn_opened' ? reply.turn : '');
    await harness.clock.advance(1_000);
  });

  test('take up the work, not the words that waited for it and were stopped with it [recover.go-on]', async () => {
    const harness = await startHarness(ending);
    const work = await harness.say('deploy it');
    await harness.say('and tell bob');
    await harness.clock.advance(50);
    await harness.cancel({ target: 'session' });
    await harness.clock.advance(1_000);
    await speak(harness, 'continue');
    expect(lastResumed(harness)).toBe(work);
    await harness.clock.advance(1_000);
  });

  test.each([
    ['Continue?', 0.9, true],
    ['Please, go on.', undefined, true],
    ['continue', 0.1, false],
  ] as const)(
    'a transcript %j of confidence %j, heard without the marks of the recognizer [recover.go-on]',
    async (text, confidence, resumes) => {
      const { harness, turn } = await interrupted({ ...ending, session: () => ({ kind: 'voice' }) });
      const bridge = { ...harness.alice, via: 'bridge' };
      const said = harness.runtime.voice.transcript('s', bridge, { text, confidence, final: true, ref: 'r1' });
      await harness.clock.advance(0);
      expect(await said).toMatchObject({ type: 'turn_opened' });
      expect(lastResumed(harness)).toBe(resumes ? turn : undefined);
      if (resumes)
        expect(harness.recorder.of('turn_opened').at(-1)).toMatchObject({ command: 'TRANSCRIPT', spoken: {} });
      await harness.clock.advance(2_000);
    },
  );

  test('are read only after a stop of their speaker: other words run nothing of it [recover.go-on]', async () => {
    const findTurn = vi.spyOn(GoOn.prototype, 'findTurn');
    onTestFinished(() => findTurn.mockRestore());
    const { harness } = await interrupted(ending);
    await speak(harness, 'continue', bobCaller);
    await harness.clock.advance(2_000);
    expect(findTurn).not.toHaveBeenCalled();
    await speak(harness, 'what happened');
    await harness.clock.advance(2_000);
    expect(findTurn).toHaveBeenCalledTimes(1);
    await speak(harness, 'continue');
    expect(findTurn).toHaveBeenCalledTimes(1);
    await harness.clock.advance(2_000);
  });

  test('count for a STEER that names no turn [recover.go-on]', async () => {
    const { harness, turn } = await interrupted(ending);
    await speak(harness, { text: 'continue', steer: {} });
    expect(harness.recorder.of('turn_opened').at(-1)).toMatchObject({ resumes: turn, command: 'STEER' });
    await harness.clock.advance(1_000);
  });
});

describe('a repeat', () => {
  test('under the ref gets the same turn, also after a restart, and another command under it is refused [recover.go-on] [cancel.idempotent.ref]', async () => {
    const log = createMemoryLog();
    const { harness, turn } = await interrupted({ ...ending, log });
    const said = { text: 'continue', ref: 'r1' };
    const copies = [harness.session.say(harness.alice, said), harness.session.say(harness.alice, said)];
    await harness.clock.advance(0);
    const [first, copy] = await Promise.all(copies);
    expect(copy).toMatchObject({ type: 'turn_opened', repeated: { resumes: turn } });
    await harness.clock.advance(1_000);
    const same = { ...first, repeated: { resumes: turn } };
    expect(await speak(harness, said)).toMatchObject(same);
    expect(await speak(harness, { ...said, text: 'go on' })).toEqual({ type: 'ref_reused' });
    expect(await resume(harness, turn, harness.alice, 'continue', 'r1')).toEqual({ type: 'ref_reused' });
    const next = await startHarness({ ...ending, log, life: 2 });
    expect(await speak(next, said)).toMatchObject(same);
    expect(next.recorder.of('turn_opened').filter(({ resumes }) => resumes !== undefined)).toHaveLength(1);
  });

  test('of two in one tick, the second is an ordinary message [recover.go-on]', async () => {
    const { harness, turn } = await interrupted(ending);
    const both = [
      harness.session.say(harness.alice, { text: 'continue' }),
      harness.session.say(harness.alice, { text: 'go on' }),
    ];
    await harness.clock.advance(0);
    await Promise.all(both);
    expect(harness.recorder.of('turn_opened').map(({ resumes }) => resumes)).toEqual([undefined, turn, undefined]);
    await harness.clock.advance(2_000);
  });
});

/** Says it, and expects a turn that resumes nothing. */
async function expectOrdinary(harness: Harness, said: string | SayRequest = 'continue', member?: Caller) {
  expect(await speak(harness, said, member)).toMatchObject({ type: 'turn_opened' });
  expect(lastResumed(harness)).toBeUndefined();
  await harness.clock.advance(2_000);
}

describe('an ordinary message', () => {
  test('are words that only contain a phrase, a question, and more than text [recover.go-on]', async () => {
    for (const text of [
      'continue with the second file',
      'where were we',
      'continue?',
      "don't continue",
      'go on holiday',
    ]) {
      const { harness } = await interrupted(ending);
      await expectOrdinary(harness, text);
    }
  });

  test('is a phrase after a turn that completed, that failed, and after none [recover.go-on]', async () => {
    const harness = await startHarness({ respond: rounds() });
    await expectOrdinary(harness);
    await expectOrdinary(harness);
    const failing = await startHarness({
      respond: () => {
        throw new Error('broken');
      },
    });
    await failing.say('hello');
    await failing.clock.advance(2_000);
    await expectOrdinary(failing);
  });

  test('is a phrase that is known to be for somebody else, unless it names the bot [recover.go-on]', async () => {
    for (const said of [{ addressed: 0.05 }, { addressed: 0.05, replyToBot: false }]) {
      const { harness } = await interrupted(ending);
      await expectOrdinary(harness, { text: 'go on', ...said });
    }
    for (const said of [
      { text: 'go on', addressed: 0.9 },
      { text: 'go on', addressed: 0.05, replyToBot: true },
      { text: 'belay, go on', addressed: 0.05 },
    ]) {
      const { harness, turn } = await interrupted(ending);
      await speak(harness, said);
      expect(lastResumed(harness)).toBe(turn);
    }
  });

  test('is a phrase after the speaker has said something else [recover.go-on]', async () => {
    const { harness } = await interrupted(ending);
    await harness.say('what happened');
    await harness.clock.advance(2_000);
    await expectOrdinary(harness);
  });

  test('is a phrase after words to the turn of another speaker, by a STEER or by an answer [recover.go-on]', async () => {
    for (const way of ['steer', 'answer']) {
      const asks = toolOf('asks', (_, { ask }) => ask({ text: 'Where?', to: way === 'answer' ? 'alice' : 'bob' }));
      const { harness } = await interrupted({
        tools: [asks],
        respond: rounds([['wait', { ms: 900 }]], [['asks']], []),
      });
      await harness.session.join(bobCaller, createRecorder().listener, null);
      await speak(harness, 'his own', bobCaller);
      await harness.clock.advance(50);
      const bobs = harness.recorder.of('turn_opened').at(-1)?.turn ?? '';
      const steered = { text: 'look there', steer: { target: bobs } };
      if (way === 'steer') expect(await speak(harness, steered)).toMatchObject({ type: 'input_deferred' });
      const answer = { target: harness.callNamed('asks'), answer: 'answered', text: 'here' } as const;
      const answered = harness.session.answer(way === 'answer' ? harness.alice : bobCaller, answer);
      await harness.clock.advance(1_000);
      expect(await answered).toEqual({ type: 'answer_taken' });
      await expectOrdinary(harness);
    }
  });

  test('is a phrase while another turn of the speaker runs, and a STEER that names a turn [recover.go-on]', async () => {
    const respond = rounds([['wait', { ms: 900 }]], [['wait', { ms: 900 }]], []);
    const harness = await startHarness({ respond, session: () => ({ whileRunning: 'parallel' }) });
    await harness.say('runs on');
    const stopped = await harness.say('deploy it');
    await harness.clock.advance(50);
    await harness.cancel({ target: stopped });
    await harness.clock.advance(200);
    expect(harness.endOf(stopped)?.outcome).toBe('cancelled');
    await expectOrdinary(harness);
    const { harness: other, turn } = await interrupted(ending);
    await expectOrdinary(other, { text: 'continue', steer: { target: turn } });
  });

  test('is a phrase while the turn is being stopped [recover.go-on]', async () => {
    const harness = await startHarness({
      respond: rounds([['ignores_signal', { ms: 3_000 }]], []),
      limits: { toolCancelMs: 4_000 },
    });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    void harness.session.cancel(harness.alice, { target: turn });
    await harness.clock.advance(10);
    await speak(harness, 'continue');
    expect(lastResumed(harness)).toBeUndefined();
    await harness.clock.advance(6_000);
  });

  test('is a phrase that was said before its speaker had seen the stop, and one that was said after it resumes [recover.go-on]', async () => {
    for (const [late, resumes] of [
      [-1, false],
      [0, true],
      [1, true],
      [undefined, true],
    ] as const) {
      const { harness, turn } = await interrupted(ending);
      const seen = late === undefined ? undefined : seqOfEnd(harness, turn) + late;
      await speak(harness, { text: 'continue', seen });
      expect(lastResumed(harness), `${late}`).toBe(resumes ? turn : undefined);
      await harness.clock.advance(2_000);
    }
  });

  test('is a phrase that was said when of several turns of its speaker one had not been seen to end [recover.go-on]', async () => {
    for (const seesAll of [false, true]) {
      const harness = await startHarness(ending);
      const work = await harness.say('deploy it');
      const waits = await harness.say('and tell bob');
      await harness.clock.advance(50);
      await harness.cancel({ target: 'session' });
      await harness.clock.advance(1_000);
      const ends = [work, waits].map((turn) => seqOfEnd(harness, turn));
      await speak(harness, { text: 'continue', seen: seesAll ? Math.max(...ends) : Math.min(...ends), steer: {} });
      expect(lastResumed(harness)).toBe(seesAll ? work : undefined);
      await harness.clock.advance(2_000);
    }
  });

  test('under a ref, said with other knowledge, is a repeat [recover.go-on] [cancel.idempotent.ref]', async () => {
    const { harness, turn } = await interrupted(ending);
    await speak(harness, { text: 'continue', ref: 'r1', seen: 0 });
    const again = await speak(harness, { text: 'continue', ref: 'r1', seen: seqOfEnd(harness, turn) });
    expect(again).toMatchObject({ type: 'turn_opened', repeated: { text: 'continue' } });
    expect(lastResumed(harness)).toBeUndefined();
    await harness.clock.advance(2_000);
  });

  test('is the phrase of another speaker, a moderator included, and of the owner once the turn is resumed [recover.go-on]', async () => {
    const { harness, turn } = await interrupted(ending);
    await expectOrdinary(harness, 'continue', bobCaller);
    await expectOrdinary(harness, 'continue', moderator);
    await resume(harness, turn, moderator);
    await harness.clock.advance(2_000);
    await expectOrdinary(harness);
  });

  test('is one in another language than those of the session [recover.go-on]', async () => {
    const session = () => ({ stopPhrases: { languages: ['de'] as const, names: ['Rita'] } });
    const { harness, turn } = await interrupted({ ...ending, session });
    await speak(harness, 'Rita, mach weiter');
    expect(lastResumed(harness)).toBe(turn);
    await harness.clock.advance(2_000);
    const other = await interrupted({ ...ending, session });
    await expectOrdinary(other.harness, 'carry on');
  });
});

/** The log as an earlier version has written it. */
const withoutRule = (log: Log): Log =>
  new Proxy(log, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'read') return value.bind(target);
      return async (...args: Parameters<Log['read']>) =>
        (await target.read(...args)).map((event) => {
          const { resumePhrases: _, ...body } = event.body as LogBody & { readonly resumePhrases?: unknown };
          return { ...event, body };
        });
    },
  });

describe('the rule of a session', () => {
  test('off: every phrase is an ordinary message [recover.go-on]', async () => {
    const { harness } = await interrupted({ ...ending, session: () => ({ resumePhrases: 'off' }) });
    expect(harness.recorder.of('session_opened')).toMatchObject([{ resumePhrases: 'off' }]);
    await expectOrdinary(harness);
  });

  test('a new session has it on; one of a version without it has it off until the configuration says on [recover.go-on]', async () => {
    for (const [stored, configured, resumes] of [
      ['on', undefined, true],
      ['off', undefined, false],
      [undefined, undefined, false],
      [undefined, 'on', true],
      ['on', 'off', false],
    ] as const) {
      const log = createMemoryLog();
      const first = await interrupted({ ...ending, log, session: () => ({ resumePhrases: stored ?? 'on' }) });
      expect(first.harness.recorder.of('session_opened')).toMatchObject([{ resumePhrases: stored ?? 'on' }]);
      await first.harness.runtime.close();
      const older = stored === undefined ? withoutRule(log) : log;
      const session = () => ({ resumePhrases: configured });
      const harness = await startHarness({ ...ending, log: older, life: 2, session });
      await speak(harness, 'continue');
      expect(lastResumed(harness) === first.turn, `${stored} ${configured}`).toBe(resumes);
      await harness.clock.advance(2_000);
    }
  });
});
