// What the model reads of a call, for every outcome and every effect.
import { describe, expect, test } from 'vitest';
import type { ToolCall, ToolResult } from '../../machines/facts.ts';
import { effects, outcomeKinds } from '../../machines/vocabulary.ts';
import { resultText } from '../../src/transcript/wording.ts';

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
const text = (more: Partial<ToolResult>) =>
  resultText({ type: 'tool_result', turn: 't1', node: 'c1', outcome: 'completed', effect: 'done', ...more }, call);
const told = (more: Partial<ToolResult>) =>
  JSON.parse(text(more)) as { status: string; message: string; cancelled?: boolean };
const others = outcomeKinds.filter((outcome) => outcome !== 'completed');

describe('the words of a result', () => {
  test('a completed call is its output, and never an empty message', () => {
    expect(text({ output: 'a\nb' })).toBe('a\nb');
    expect(text({ output: '' })).toBe('(no output)');
    expect(text({})).toBe('(no output)');
  });

  test('all other ends are told apart, in one wording each [history.words]', () => {
    const ends = [
      ...others.map((outcome) => told({ outcome, effect: 'unknown' })),
      told({ outcome: 'cancelled', effect: 'not_started' }),
    ];
    expect(new Set(ends.map(({ status }) => status)).size).toBe(ends.length);
    expect(new Set(ends.map(({ message }) => message)).size).toBe(ends.length);
    expect(ends.map(({ status }) => status)).toEqual([...others, 'interrupted_before_start']);
  });

  test('`cancelled: true` stands where the model must not retry [history.words]', () => {
    const marked = others.filter((outcome) => told({ outcome, effect: 'unknown' }).cancelled === true);
    expect(marked).toEqual(['cancelled', 'superseded', 'abandoned']);
    expect(told({ outcome: 'cancelled', effect: 'not_started' }).cancelled).toBe(true);
  });

  test('"did not run" is said of what did not start, and of nothing else [history.effect]', () => {
    for (const outcome of others) {
      for (const effect of effects) {
        const saysSo = /did not run|before it started/i.test(text({ outcome, effect }));
        expect([outcome, effect, saysSo]).toEqual([outcome, effect, effect === 'not_started']);
      }
    }
  });

  test('an end that has no word here is told as unknown, whatever a log says [history.words]', () => {
    const strange = [{}, { outcome: 'paused', effect: 'some' }, { outcome: 'constructor', effect: 'toString' }];
    for (const more of strange) {
      const result = { type: 'tool_result', turn: 't1', node: 'c1', output: 'half', ...more } as unknown as ToolResult;
      const end = JSON.parse(resultText(result, call)) as { status: string; effect: string; message: string };
      expect(end).toMatchObject({ status: 'unknown', effect: 'unknown', output: 'half' });
      expect(end.message).toMatch(/^How it ended is not known\. It may have had effects/);
    }
  });

  test('what runs on belongs to somebody', () => {
    expect(told({ outcome: 'continues', effect: 'unknown' }).message).toMatch(
      /^Not stopped: it belongs to ben and is still running\./,
    );
  });

  test('a failure says its own message, or the sentence of its code; partial output is kept', () => {
    expect(told({ outcome: 'failed', effect: 'none', code: 'command_failed', message: 'Exit code 3.' })).toMatchObject({
      code: 'command_failed',
      message: 'Exit code 3. It had no effects.',
    });
    expect(told({ outcome: 'failed', effect: 'unknown', code: 'crash' }).message).toMatch(
      /^The process that ran this ended/,
    );
    expect(told({ outcome: 'cancelled', effect: 'unknown', output: 'half of it', omitted: 12 })).toMatchObject({
      output: 'half of it',
      omitted: 12,
    });
  });

  test('a timeout names the tool, the seconds and what can be done next', () => {
    expect(told({ outcome: 'timed_out', effect: 'unknown', ms: 120_040 }).message).toMatch(
      /^shell was stopped after 120 s: .*another way/,
    );
  });
});
