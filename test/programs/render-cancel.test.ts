// Frames of cancels as lines of text: what is not stopped and why, and the receipt with names and plain words.
import { describe, expect, test } from 'vitest';
import { renderLines } from '../../src/programs/render-line.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { at, before, lines, snapshotAfter, viewer } from './rendered.ts';

describe('a cancel', () => {
  const settled = {
    ...at,
    type: 'cancel_settled',
    cancel: 'x',
    ref: 'mine',
    cause: { source: 'client', by: 'ann', reason: null, target: 'turn_1' },
  } as const;
  const stopped = { kind: 'tool-call', outcome: 'cancelled', effect: 'none' } as const;
  const accepted = {
    cancel: 'x',
    source: 'client',
    reason: null,
    target: 'turn_1',
    force: false,
    stopping: ['turn_1'],
    pending: [],
    refused: [],
    detached: [],
  } as const;

  test('has a line for the whole, and one for each node with its name and how it ended [cli.chat]', () => {
    const frame: ServerFrame = {
      ...settled,
      at: 4_500,
      nodes: [
        { node: 'turn_1', kind: 'turn', outcome: 'cancelled', effect: 'unknown', ms: 48 },
        { node: 'call_1', kind: 'tool-call', outcome: 'abandoned', effect: 'unknown', ms: 1_500 },
        { node: 'agent_1', kind: 'sub-agent', outcome: 'completed', effect: 'done', ms: 12 },
        { node: 'turn_2', kind: 'turn', outcome: 'cancelled', effect: 'none', ms: 12 },
      ],
    };
    expect(lines(frame)).toEqual([
      '2 of 4 stopped in 48 ms (ran 3.0 s); 1 did not stop in time:',
      '  your turn: stopped in 48 ms; it may have had effects',
      '  shell: has not stopped within 1.5 s; its end will be reported',
      '  researcher: had completed',
      "  researcher's turn: stopped in 12 ms (ran 3.0 s)",
    ]);
  });

  test('says how long each node had run, where its start is known [cli.chat]', () => {
    const started = [
      { ...at, type: 'turn_started', turn: 'turn_1', owner: 'ann', parent: null, at: 1_000 },
      { ...at, type: 'tool_started', turn: 'turn_1', node: 'call_1', at: 3_000 },
    ] as const;
    const nodes = [
      { ...stopped, node: 'turn_1', kind: 'turn', ms: 100 },
      { ...stopped, node: 'call_1', ms: 40, forced: true },
      { ...stopped, node: 'call_2', effect: 'not_started', ms: 1 },
    ] as const;
    const snapshot = snapshotAfter([...before, ...started]);
    expect(renderLines({ ...settled, at: 4_100, nodes }, snapshot, viewer)).toEqual([
      'All 3 stopped in 100 ms (ran 3.1 s):',
      '  your turn: stopped in 100 ms (ran 3.1 s)',
      '  shell: stopped by force in 40 ms (ran 1.0 s)',
      '  read_file: stopped before it started',
    ]);
    const seenByBob = renderLines({ ...settled, at: 4_100, nodes: nodes.slice(0, 1) }, snapshot, {
      ...viewer,
      speaker: 'bob',
    });
    expect(seenByBob).toEqual(["  ann's turn: stopped in 100 ms (ran 3.1 s)"]);
  });

  test('tells two calls of one tool apart by their arguments [cli.chat]', () => {
    const other = {
      ...before[1],
      node: 'call_3',
      arguments: `{"command":"sleep 60 && echo ${'x'.repeat(99)}"}`,
    } as ServerFrame;
    const nodes = ['call_1', 'call_3', 'agent_1'].map((node) => ({ ...stopped, node, ms: 5 }));
    expect(renderLines({ ...settled, nodes }, snapshotAfter([...before, other]), viewer)).toEqual([
      'All 3 stopped in 5 ms:',
      '  shell {}: stopped in 5 ms',
      '  shell {"command":"sleep 60 && echo xxxxxxxxxxx…: stopped in 5 ms',
      '  researcher: stopped in 5 ms',
    ]);
  });

  test.each([
    [{ outcome: 'timed_out', effect: 'unknown' }, 'timed out, stopped in 7 ms; it may have had effects'],
    [{ outcome: 'superseded', effect: 'none' }, 'superseded by a newer one, stopped in 7 ms'],
    [{ outcome: 'failed', effect: 'unknown', code: 'crash' }, 'failed (crash)'],
    [{ outcome: 'denied', effect: 'not_started' }, 'denied'],
  ] as const)('of a node that ended as %o says so in plain words [cli.chat]', (fields, words) => {
    expect(lines({ ...settled, nodes: [{ ...stopped, node: 'call_1', ms: 7, ...fields }] })).toEqual([
      `  shell: ${words}`,
    ]);
  });

  test('names the nodes that it did not stop, and the speaker who sent it if it is another', () => {
    const refused = [{ node: 'call_1', reason: 'not_owner' }];
    expect(
      lines({ ...at, type: 'cancel_accepted', ...accepted, ref: 'mine', by: 'ann', refused, detached: ['agent_1'] }),
    ).toEqual(['  shell: runs on: it belongs to you', '  researcher: runs on: it is detached']);
    expect(lines({ ...at, type: 'cancel_accepted', ...accepted, ref: 'r', by: 'bob', reason: 'enough' })).toEqual([
      'Stopping (bob: enough)',
    ]);
    expect(lines({ ...at, type: 'cancel_accepted', ...accepted, ref: 'r', by: 'ann' })).toEqual([
      'Stopping (you, elsewhere)',
    ]);
    expect(lines({ ...at, type: 'cancel_accepted', ...accepted, ref: null, by: null, source: 'deadline' })).toEqual([
      'Stopping (a time limit)',
    ]);
    const refusal = { ...at, type: 'cancel_refused', source: 'client', target: 'turn_1', refused } as const;
    expect(lines({ ...refusal, ref: 'mine', by: 'ann' })).toEqual([
      'Nothing is stopped.',
      '  shell: runs on: it belongs to you',
    ]);
    const other = lines({ ...refusal, ref: 'r', by: 'bob', refused: [{ node: 'call_1', reason: 'not_allowed' }] });
    expect(other).toEqual([
      'Nothing is stopped (bob asked).',
      '  shell: runs on: the rule of this session does not allow it',
    ]);
  });

  test('of a shielded node says how long the stop may wait [cancel.shield]', () => {
    const pending = ['turn_1'];
    expect(
      lines({
        ...at,
        type: 'cancel_accepted',
        ...accepted,
        ref: 'mine',
        by: 'ann',
        stopping: [],
        pending,
        pendingMs: 4_000,
      }),
    ).toEqual(['  your turn: stops as soon as its shield ends, within 4.0 s']);
  });
});
