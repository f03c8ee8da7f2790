// The axis, the sentences and the numbers of a wave.
import { describe, expect, test } from 'vitest';
import { measuredText } from '../../src/core/words/durations.ts';
import type { Wave, WaveRow } from '../../src/page/inspector-view/wave/wave-model.ts';
import { createScale, movedSpan, wholeSpan, zoomedSpan } from '../../src/page/inspector-view/wave/wave-scale.ts';
import {
  numbersOf,
  reachedMs,
  rowEndText,
  targetText,
  toneOf,
  waveResultText,
} from '../../src/page/inspector-view/wave/wave-words.ts';

const start = 1_000_000;

const row = (node: string, more: Partial<WaveRow> = {}): WaveRow => ({
  node,
  parent: null,
  depth: 1,
  kind: 'tool-call',
  name: 'shell',
  detail: '',
  owner: 'ann',
  verdict: 'stop',
  reason: null,
  actor: null,
  plannedAt: null,
  cutAt: null,
  cancelAt: null,
  abortedAt: null,
  settledAt: null,
  outcome: null,
  effect: null,
  code: null,
  forced: false,
  budgetMs: null,
  keptBudget: null,
  exitedAt: null,
  ...more,
});

const wave = (rows: readonly WaveRow[], more: Partial<Wave> = {}): Wave => ({
  cancel: 'c',
  state: 'settled',
  source: 'client',
  by: 'ann',
  via: null,
  reason: null,
  target: 'turn_1',
  force: false,
  acceptedAt: start,
  settledAt: start + 48,
  rows,
  ...more,
});

const turn = row('turn_1', { depth: 0, kind: 'turn', name: 'turn', detail: 'build it', outcome: 'cancelled' });

describe('the axis', () => {
  test('a logarithmic one has room for a third of a millisecond and for five seconds', () => {
    const scale = createScale({ kind: 'log', endMs: 7_000, finestMs: 0.15, span: wholeSpan });
    const places = [0, 0.3, 5, 1_500, 5_000, 7_000].map((ms) => scale.at(ms));
    expect(places[0]).toBe(0);
    expect(places[5]).toBeCloseTo(1);
    for (let i = 1; i < 5; i += 1) expect((places[i] ?? 0) - (places[i - 1] ?? 0)).toBeGreaterThan(0.08);
    for (const ms of [0, 0.3, 48, 5_000]) expect(scale.msAt(scale.at(ms))).toBeCloseTo(ms);
    expect(scale.ticks.map(({ label }) => label).filter(Boolean)).toEqual(['0', '1 ms', '10 ms', '100 ms', '1 s']);
  });

  test('a linear one has even numbers, no two over each other', () => {
    const scale = createScale({ kind: 'linear', endMs: 52, finestMs: 1, span: wholeSpan });
    expect(scale.ticks.map(({ label }) => label)).toEqual(['0', '10 ms', '20 ms', '30 ms', '40 ms', '50 ms']);
  });

  test('a part of it has finer numbers', () => {
    const span = zoomedSpan(zoomedSpan(wholeSpan, 0.1, 0.6), 0.3);
    const scale = createScale({ kind: 'log', endMs: 7_000, finestMs: 0.15, span });
    expect(scale.ticks.filter(({ label }) => label !== '').length).toBeGreaterThan(2);
    for (const { at } of scale.ticks) expect(at >= -0.001 && at <= 1.001).toBe(true);
  });

  test('it is never left', () => {
    expect(movedSpan({ from: 0.5, to: 0.75 }, 10)).toEqual({ from: 0.75, to: 1 });
    expect(movedSpan({ from: 0.5, to: 0.75 }, -10)).toEqual({ from: 0, to: 0.25 });
    expect(zoomedSpan({ from: 0.2, to: 0.4 }, 100)).toEqual(wholeSpan);
  });
});

test('times have the digits that one reads', () => {
  expect([0, 0.06, 0.3, 2.44, 48.2, 999, 999.6, 1_550, 12_340].map(measuredText)).toEqual([
    '0 ms',
    '0.06 ms',
    '0.3 ms',
    '2.4 ms',
    '48 ms',
    '999 ms',
    '1 s',
    '1.55 s',
    '12.3 s',
  ]);
});

describe('sentences', () => {
  test('what was stopped, how many and in what time; what was not', () => {
    const rows = [
      turn,
      row('call_1', { outcome: 'abandoned', settledAt: start + 48 }),
      row('call_2', { verdict: 'refused', reason: 'not_owner', owner: 'bob' }),
      row('turn_2', { verdict: 'detached', kind: 'turn' }),
    ].map((each) => ({ ...each, settledAt: each.verdict === 'stop' ? start + 48 : null }));
    expect(waveResultText(wave(rows))).toBe('2 nodes in 48 ms; 1 did not stop in time; 1 refused; 1 detached');
    expect(waveResultText(wave(rows.slice(0, 1)))).toBe('1 node in 48 ms');
    expect(waveResultText(wave([{ ...turn, settledAt: null }], { settledAt: null }))).toBe('0 of 1 node so far');
    expect(rows.map(rowEndText).slice(1)).toEqual([
      'did not stop in time; its end will be reported',
      'runs on: it belongs to bob',
      'runs on: it is detached',
    ]);
    expect(rows.map(toneOf)).toEqual(['stopped', 'late', 'runs-on', 'runs-on']);
  });

  test.each([
    ['turn_1', [turn], 'the turn “build it”'],
    ['mine', [turn], 'the turn “build it”'],
    ['mine', [turn, { ...turn, node: 'turn_2' }], 'everything of ann'],
    ['session', [turn, { ...turn, node: 'turn_2' }], 'everything in the session'],
    ['call_1', [row('call_1', { depth: 0, detail: 'make' })], 'shell “make”'],
  ] as const)('the target %s', (target, rows, expected) => {
    expect(targetText(wave(rows, { target }))).toBe(expected);
  });

  test('a number that is not known is blank', () => {
    expect(numbersOf(row('a'), start).map(({ text }) => text)).toEqual(['', '', '', '', '', '']);
    const known = row('a', {
      cutAt: start - 5,
      cancelAt: start + 0.3,
      settledAt: start + 12,
      budgetMs: 1_500,
      keptBudget: true,
    });
    expect(numbersOf(known, start).map(({ text }) => text)).toEqual([
      'before',
      '0.3 ms',
      '',
      '12 ms',
      '',
      '1.5 s, kept',
    ]);
    expect(reachedMs(wave([row('a')]))).toBeNull();
    expect(reachedMs(wave([known]))).toBeCloseTo(0.3);
  });
});
