// The facts that recovery adds, case by case: outcomes, effects and causes, receipts, texts, usage, late ends.
import { describe, expect, test } from 'vitest';
import type { Fact, FactOf, FactType, RecordedFact } from '../../../machines/facts.ts';
import { recover } from '../../../src/core/transcript/recover.ts';

const at = (facts: readonly Fact[], start = 1_000): RecordedFact[] =>
  facts.map((fact, i) => ({ ...fact, at: start + i }));
const of = <T extends FactType>(facts: readonly Fact[], type: T): FactOf<T>[] =>
  facts.filter((fact): fact is FactOf<T> => fact.type === type);

// one turn of ann, with a call of her own that runs, one of ben that runs, and one that has not started
const open: readonly Fact[] = [
  { type: 'turn_opened', turn: 'turn_1', kind: 'say', owner: 'ann', lane: 'ann', text: 'go', ref: null },
  { type: 'turn_started', turn: 'turn_1', owner: 'ann', parent: null },
  { type: 'model_started', turn: 'turn_1', index: 0 },
  {
    type: 'model_ended',
    turn: 'turn_1',
    index: 0,
    outcome: 'completed',
    text: 'I look.',
    cutOff: false,
    usage: { kind: 'exact', input: 7, output: 3 },
  },
  ...(['hers', 'his', 'waiting'] as const).map(
    (node): Fact => ({
      type: 'tool_call',
      turn: 'turn_1',
      node,
      kind: 'tool-call',
      callId: 'c',
      name: 'shell',
      arguments: '{}',
      owner: node === 'his' ? 'ben' : 'ann',
      index: 0,
    }),
  ),
  { type: 'tool_started', turn: 'turn_1', node: 'hers' },
  { type: 'tool_started', turn: 'turn_1', node: 'his' },
];
const accepted = (more: Partial<FactOf<'cancel_accepted'>> = {}): Fact => ({
  type: 'cancel_accepted',
  cancel: 'cancel_1',
  ref: 'r1',
  source: 'client',
  by: 'ann',
  reason: 'enough',
  target: 'turn_1',
  force: false,
  stopping: ['turn_1', 'hers', 'waiting'],
  pending: [],
  refused: [{ node: 'his', reason: 'not_owner' }],
  detached: [],
  ...more,
});
const ends = (facts: readonly Fact[]) =>
  facts.flatMap((fact) =>
    fact.type === 'tool_result' || fact.type === 'turn_ended'
      ? [[fact.type === 'turn_ended' ? fact.turn : fact.node, fact.outcome, fact.effect, fact.code ?? null]]
      : [],
  );

describe('the facts of a recovery', () => {
  test('without a recorded cancel the crash is the cause', () => {
    expect(ends(recover(at(open)))).toEqual([
      ['hers', 'failed', 'unknown', 'crash'],
      ['his', 'failed', 'unknown', 'crash'],
      ['waiting', 'failed', 'not_started', 'crash'],
      ['turn_1', 'failed', 'unknown', 'crash'],
    ]);
    expect(recover(at(open)).at(-1)).toEqual({ type: 'session_recovered', turns: ['turn_1'] });
  });

  test('a recorded acceptance is the cause of what it lists, and of nothing that it refused [cancel.sources]', () => {
    const log = at([...open, accepted()]);
    expect(ends(recover(log))).toEqual([
      ['hers', 'cancelled', 'unknown', null],
      ['his', 'failed', 'unknown', 'crash'],
      ['waiting', 'cancelled', 'not_started', null],
      ['turn_1', 'cancelled', 'unknown', null],
    ]);
    expect(ends(recover(at([...open, accepted({ source: 'deadline' })])))[3]).toEqual([
      'turn_1',
      'timed_out',
      'unknown',
      null,
    ]);
  });

  test('the first acceptance that lists a node wins', () => {
    const second = accepted({
      cancel: 'cancel_2',
      source: 'deadline',
      stopping: ['turn_1', 'hers', 'his', 'waiting'],
      refused: [],
    });
    expect(ends(recover(at([...open, accepted(), second]))).map(([, outcome]) => outcome)).toEqual([
      'cancelled',
      'timed_out',
      'cancelled',
      'cancelled',
    ]);
  });

  test('a deadline that stops a call whose stop is pending is its cause, and a CANCEL is not [cancel.shield]', () => {
    const pending = accepted({ stopping: [], pending: ['turn_1', 'hers'], pendingMs: 200 });
    const later = (source: 'deadline' | 'client') =>
      accepted({ cancel: 'cancel_2', source, target: 'hers', stopping: ['hers'], refused: [] });
    const outcomesWith = (...acceptances: readonly Fact[]) =>
      ends(recover(at([...open, ...acceptances]))).flatMap(([id, outcome]) => (id === 'hers' ? outcome : []));
    expect(outcomesWith(pending, later('deadline'))).toEqual(['timed_out']);
    expect(outcomesWith(pending, later('deadline'), accepted({ source: 'superseded' }))).toEqual(['timed_out']);
    expect(outcomesWith(accepted({ source: 'http' }), later('deadline'))).toEqual(['cancelled']);
    const reasons = recover(at([...open, pending, later('client'), later('deadline')]));
    expect(ends(reasons).find(([id]) => id === 'hers')).toEqual(['hers', 'timed_out', 'unknown', null]);
  });

  test('a call written after the cut of its turn shares its cause', () => {
    const hasty: Fact = {
      type: 'tool_call',
      turn: 'turn_1',
      node: 'hasty',
      kind: 'tool-call',
      callId: 'c',
      name: 'shell',
      arguments: '{}',
      owner: 'ann',
      index: 0,
    };
    expect(ends(recover(at([...open, accepted(), hasty])))[3]).toEqual(['hasty', 'cancelled', 'not_started', null]);
  });

  test('an open receipt is settled after the closings, with each node and its time [cancel.settled]', () => {
    const facts = recover(at([...open, accepted()]), 9_000);
    expect(facts.map(({ type }) => type).slice(-3)).toEqual(['turn_ended', 'cancel_settled', 'session_recovered']);
    const since = 9_000 - 1_000 - open.length;
    expect(of(facts, 'cancel_settled')).toEqual([
      {
        type: 'cancel_settled',
        cancel: 'cancel_1',
        ref: 'r1',
        cause: { source: 'client', by: 'ann', reason: 'enough', target: 'turn_1' },
        nodes: [
          { node: 'turn_1', kind: 'turn', outcome: 'cancelled', effect: 'unknown', ms: since },
          { node: 'hers', kind: 'tool-call', outcome: 'cancelled', effect: 'unknown', ms: since },
          { node: 'waiting', kind: 'tool-call', outcome: 'cancelled', effect: 'not_started', ms: since },
        ],
      },
    ]);
  });

  test('a node that no fact names had not started', () => {
    const log = at([...open, accepted({ stopping: ['turn_1', 'hers', 'waiting', 'turn_2'] })]);
    expect(of(recover(log), 'cancel_settled')[0]?.nodes.at(-1)).toMatchObject({
      node: 'turn_2',
      kind: 'turn',
      outcome: 'cancelled',
      effect: 'not_started',
    });
  });

  test('a model call that streamed keeps what the checkpoints have [history.partial]', () => {
    const streaming: readonly Fact[] = [
      ...open.slice(0, 3),
      { type: 'text_checkpoint', turn: 'turn_1', index: 0, offset: 0, text: 'The answer ' },
      { type: 'text_checkpoint', turn: 'turn_1', index: 0, offset: 11, text: 'is for' },
    ];
    const [ended] = of(recover(at(streaming)), 'model_ended');
    expect(ended).toEqual({
      type: 'model_ended',
      turn: 'turn_1',
      index: 0,
      outcome: 'failed',
      code: 'crash',
      text: 'The answer is for',
      cutOff: true,
      usage: { kind: 'unknown', input: null, output: null },
      lostAfter: 17,
    });
    const cut = recover(at([...streaming, accepted({ stopping: ['turn_1'], refused: [] })]));
    expect(of(cut, 'model_ended')[0]).toMatchObject({ outcome: 'cancelled', text: 'The answer is for', cutOff: true });
  });

  test('the usage of a turn is that of the whole tree below it [history.usage]', () => {
    const nested: readonly Fact[] = [
      ...open.slice(0, 4),
      {
        type: 'tool_call',
        turn: 'turn_1',
        node: 'agent_1',
        kind: 'sub-agent',
        callId: 'c',
        name: 'spawn_agent',
        arguments: '{}',
        owner: 'ann',
        index: 0,
      },
      { type: 'tool_started', turn: 'turn_1', node: 'agent_1' },
      { type: 'turn_started', turn: 'turn_2', owner: 'ann', parent: 'agent_1', text: 'look', agent: 'scout' },
      { type: 'model_started', turn: 'turn_2', index: 0 },
      {
        type: 'model_ended',
        turn: 'turn_2',
        index: 0,
        outcome: 'completed',
        text: 'So far: nothing.',
        cutOff: false,
        usage: { kind: 'estimated', input: 20, output: 2 },
      },
    ];
    const facts = recover(at(nested));
    expect(of(facts, 'turn_ended').map(({ turn, usage }) => [turn, usage])).toEqual([
      ['turn_2', { kind: 'estimated', input: 20, output: 2 }],
      ['turn_1', { kind: 'estimated', input: 27, output: 5 }],
    ]);
    expect(of(facts, 'tool_result')).toEqual([
      {
        type: 'tool_result',
        turn: 'turn_1',
        node: 'agent_1',
        outcome: 'failed',
        code: 'crash',
        effect: 'unknown',
        output: 'So far: nothing.',
        usage: { kind: 'estimated', input: 20, output: 2 },
      },
    ]);
  });

  test('a call that ran on after its turn has ended, and so has one that was abandoned', () => {
    const result = (node: string, outcome: FactOf<'tool_result'>['outcome']): Fact => ({
      type: 'tool_result',
      turn: 'turn_1',
      node,
      outcome,
      effect: 'unknown',
    });
    const usage = { kind: 'exact', input: 7, output: 3 } as const;
    const settled: readonly Fact[] = [
      ...open,
      accepted(),
      result('waiting', 'cancelled'),
      result('hers', 'abandoned'),
      result('his', 'continues'),
      { type: 'turn_ended', turn: 'turn_1', outcome: 'cancelled', effect: 'unknown', usage },
    ];
    expect(recover(at(settled))).toEqual([
      { type: 'abandoned_ended', node: 'hers' },
      { type: 'late_result', node: 'his', outcome: 'failed', effect: 'unknown' },
      expect.objectContaining({ type: 'cancel_settled' }),
      { type: 'session_recovered', turns: [] },
    ]);
  });

  test('a call that was abandoned after the end of its turn has ended as well', () => {
    const late: Fact = { type: 'late_result', node: 'his', outcome: 'abandoned', effect: 'unknown' };
    const log = at([
      ...open,
      ...['hers', 'waiting', 'his'].map(
        (node): Fact => ({ type: 'tool_result', turn: 'turn_1', node, outcome: 'continues', effect: 'unknown' }),
      ),
      {
        type: 'turn_ended',
        turn: 'turn_1',
        outcome: 'cancelled',
        effect: 'unknown',
        usage: { kind: 'exact', input: 7, output: 3 },
      },
      late,
    ]);
    expect(recover(log).map((fact) => [fact.type, 'node' in fact && fact.node])).toEqual([
      ['late_result', 'hers'],
      ['abandoned_ended', 'his'],
      ['late_result', 'waiting'],
      ['session_recovered', false],
    ]);
  });

  test('of each node the first end counts, and `continues` is none', () => {
    const log = at([
      ...open,
      accepted({ stopping: ['hers', 'his'], refused: [] }),
      { type: 'tool_result', turn: 'turn_1', node: 'his', outcome: 'continues', effect: 'unknown' },
      { type: 'tool_result', turn: 'turn_1', node: 'hers', outcome: 'timed_out', effect: 'unknown', forced: true },
      { type: 'late_result', node: 'hers', outcome: 'completed', effect: 'done' },
      { type: 'late_result', node: 'his', outcome: 'completed', effect: 'done' },
    ]);
    expect(of(recover(log), 'cancel_settled')[0]?.nodes).toEqual([
      { node: 'hers', kind: 'tool-call', outcome: 'timed_out', effect: 'unknown', forced: true, ms: 2 },
      { node: 'his', kind: 'tool-call', outcome: 'completed', effect: 'done', ms: 4 },
    ]);
  });
});
