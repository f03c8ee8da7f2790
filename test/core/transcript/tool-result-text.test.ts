// The result of a call as the model reads it, for every outcome and every effect.
import { describe, expect, test } from 'vitest';
import type { ToolCall, ToolResult } from '../../../machines/facts.ts';
import { type Cause, effects, outcomeKinds } from '../../../machines/vocabulary.ts';
import { type Circumstances, resultText } from '../../../src/core/transcript/tool-result-text.ts';

const call: ToolCall = {
  type: 'tool_call',
  turn: 't1',
  node: 'c1',
  kind: 'tool-call',
  callId: 'x',
  name: 'shell',
  arguments: '{}',
  owner: 'ben',
  index: 0,
};
const text = (more: Partial<ToolResult>, about: Partial<Circumstances> = {}) =>
  resultText({ type: 'tool_result', turn: 't1', node: 'c1', outcome: 'completed', effect: 'done', ...more }, call, {
    cause: null,
    expiredTimeoutMs: null,
    maxTimeoutMs: 60_000,
    ...about,
  });
const wordingOf = (more: Partial<ToolResult>, about?: Partial<Circumstances>) =>
  JSON.parse(text(more, about)) as { status: string; message: string; cancelled?: boolean };
const late: Cause = { source: 'deadline', by: null, reason: 'no result within 2 s', target: 'c1' };
const others = outcomeKinds.filter((outcome) => outcome !== 'completed');

describe('the text of a result', () => {
  test('a completed call is its output, and never an empty message', () => {
    expect(text({ output: 'a\nb' })).toBe('a\nb');
    expect(text({ output: '' })).toBe('(no output)');
    expect(text({})).toBe('(no output)');
  });

  test('each other end has a wording of its own [history.words]', () => {
    const ends = [
      ...others.map((outcome) => wordingOf({ outcome, effect: 'unknown' })),
      wordingOf({ outcome: 'cancelled', effect: 'not_started' }),
    ];
    expect(new Set(ends.map(({ status }) => status)).size).toBe(ends.length);
    expect(new Set(ends.map(({ message }) => message)).size).toBe(ends.length);
    expect(ends.map(({ status }) => status)).toEqual([...others, 'interrupted_before_start']);
  });

  test('`cancelled: true` stands where the model must not retry [history.words]', () => {
    const marked = others.filter((outcome) => wordingOf({ outcome, effect: 'unknown' }).cancelled === true);
    expect(marked).toEqual(['cancelled', 'superseded', 'abandoned']);
    expect(wordingOf({ outcome: 'cancelled', effect: 'not_started' }).cancelled).toBe(true);
  });

  test('"did not run" stands for calls that did not start, and for no others [history.effect]', () => {
    for (const outcome of others) {
      for (const effect of effects) {
        const saysSo = /did not run|before it started/i.test(text({ outcome, effect }));
        expect([outcome, effect, saysSo]).toEqual([outcome, effect, effect === 'not_started']);
      }
    }
  });

  test('an unknown end is worded as unknown, whatever the log holds [history.words]', () => {
    const strange = [{}, { outcome: 'paused', effect: 'some' }, { outcome: 'constructor', effect: 'toString' }];
    for (const more of strange) {
      const result = { type: 'tool_result', turn: 't1', node: 'c1', output: 'half', ...more } as unknown as ToolResult;
      const end = JSON.parse(resultText(result, call, { cause: null, expiredTimeoutMs: null, maxTimeoutMs: 1 })) as {
        status: string;
        effect: string;
        message: string;
      };
      expect(end).toMatchObject({ status: 'unknown', effect: 'unknown', output: 'half' });
      expect(end.message).toMatch(/^How it ended is not known\. It may have had effects/);
    }
  });

  test('a call that runs on has an owner', () => {
    expect(wordingOf({ outcome: 'continues', effect: 'unknown' }).message).toMatch(
      /^Not stopped: it is still running\. It belongs to ben\./,
    );
  });

  test('a failure has its own message, or the sentence of its code; partial output is kept', () => {
    expect(
      wordingOf({ outcome: 'failed', effect: 'none', code: 'command_failed', message: 'Exit code 3.' }),
    ).toMatchObject({
      code: 'command_failed',
      message: 'Exit code 3. It had no effects.',
    });
    expect(wordingOf({ outcome: 'failed', effect: 'unknown', code: 'crash' }).message).toMatch(
      /^The process that ran this ended/,
    );
    expect(wordingOf({ outcome: 'cancelled', effect: 'unknown', output: 'half of it', omitted: 12 })).toMatchObject({
      output: 'half of it',
      omitted: 12,
    });
  });

  test('a timeout names the tool, the seconds and what can be done next [tool.timeout]', () => {
    expect(wordingOf({ outcome: 'timed_out', effect: 'unknown', ms: 120_040 }).message).toMatch(
      /^shell was stopped after 120 s: .*another way/,
    );
    const { message } = wordingOf(
      { outcome: 'timed_out', effect: 'unknown', ms: 2_004 },
      { expiredTimeoutMs: 2_000, cause: late },
    );
    expect(message).toMatch(/^shell was stopped after 2 s: its time was over\./);
    expect(message).toMatch(/in smaller steps/);
    expect(message).toContain(
      'with more time: `"_meta": {"timeout": <milliseconds>}` among its arguments, 60000 at most',
    );
  });

  test('more time is not offered where there is none, or where it would not help [tool.timeout]', () => {
    const most = wordingOf(
      { outcome: 'timed_out', effect: 'unknown' },
      { expiredTimeoutMs: 60_000, cause: late },
    ).message;
    expect(most).toMatch(/^shell was stopped after 60 s: .*in smaller steps/);
    expect(most).not.toContain('_meta');
    const reason = 'nobody answered within 600 s';
    const asked = wordingOf({ outcome: 'timed_out', effect: 'not_started' }, { cause: { ...late, reason } }).message;
    expect(asked).toMatch(/^shell was stopped: nobody answered within 600 s\. /);
    expect(asked).not.toMatch(/_meta|smaller steps/);
  });

  test('a call that ignored the timeout is perhaps still running, and may be called again [tool.timeout]', () => {
    const deaf = { outcome: 'abandoned', effect: 'unknown' } as const;
    const end = wordingOf(deaf, { expiredTimeoutMs: 2_000, cause: late });
    expect(end).toMatchObject({ status: 'abandoned', effect: 'unknown' });
    expect(end.cancelled).toBeUndefined();
    expect(end.message).toMatch(
      /^shell was told to stop after 2 s, since its time was over, and did not end: perhaps it is still running\./,
    );
    expect(end.message).toMatch(/smaller steps.*with more time: /);
    expect(wordingOf(deaf, { expiredTimeoutMs: 2_000, cause: { ...late, source: 'client' } }).cancelled).toBe(true);
    const screened = wordingOf({ outcome: 'abandoned', effect: 'not_started' }, { cause: late }).message;
    expect(screened).not.toMatch(/still running/);
  });
});
