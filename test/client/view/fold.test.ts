// The fold of a session's frames into a snapshot: pure, frames in, snapshot out.
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import { defaultViewLimits, foldFrame } from '../../../src/client/view/fold.ts';
import { findNodes } from '../../../src/client/view/live-tree.ts';
import { depthOf, isRootTurn, nameOf, ownerOf, ranMs, runningMs } from '../../../src/client/view/node-names.ts';
import { findQuestions } from '../../../src/client/view/questions.ts';
import { emptySnapshot, type SessionSnapshot } from '../../../src/client/view/snapshot.ts';
import { foldReceipts } from '../../../src/core/receipt/receipt-fold.ts';
import type { ServerFrame } from '../../../src/wire/server-frames.ts';
import {
  accepted,
  delta,
  ended,
  joined,
  modelEnded,
  numbered,
  opened,
  result,
  started,
  toolCall,
  working,
} from './frames.ts';

const fold = (frames: readonly ServerFrame[], before = emptySnapshot, limits = defaultViewLimits): SessionSnapshot =>
  frames.reduce((snapshot, frame) => foldFrame(snapshot, frame, limits), before);
/** The snapshot after the frames of `working` and these facts. */
const continued = (...facts: readonly object[]) => fold([...working, ...numbered(facts, working.length + 1)]);
const states = ({ nodes }: SessionSnapshot) => nodes.map(({ id, state }) => `${id} ${state}`);

describe('the live tree', () => {
  test('is depth first, each node with its state', () => {
    const tree = ['turn_1 running', 'call_1 waiting', 'agent_1 running', 'turn_2 running', 'call_2 running'];
    expect(states(continued())).toEqual(tree);
    expect(states(continued(opened('turn_3', 'bob'), toolCall('call_3', 'turn_1', 'note')))).toEqual([
      ...tree,
      'call_3 waiting',
      'turn_3 waiting',
    ]);
  });

  test('keeps a call that was abandoned after its turn until its end', () => {
    const left = [result('call_1', 'continues'), result('agent_1', 'completed'), ended('turn_2'), ended('turn_1')];
    const late = { type: 'late_result', node: 'call_1', outcome: 'abandoned', effect: 'unknown' };
    const stopped = continued(...left, result('call_2', 'completed', 'turn_2'), late);
    expect(states(stopped)).toEqual(['turn_1 settled', 'call_1 abandoned']);
    const all = [...left, result('call_2', 'completed', 'turn_2'), late, { type: 'abandoned_ended', node: 'call_1' }];
    expect(continued(...all).nodes).toEqual([]);
  });

  test('loses a node with its outcome; a settled parent stays as long as a node below it lives', () => {
    const done = [result('call_2', 'completed', 'turn_2'), ended('turn_2'), result('agent_1', 'completed')];
    expect(states(continued(...done))).toEqual(['turn_1 running', 'call_1 waiting']);
    const left = [result('call_1', 'continues'), result('agent_1', 'completed'), ended('turn_2'), ended('turn_1')];
    const lateFrames = [
      { type: 'late_result', node: 'call_1', outcome: 'failed', effect: 'unknown', code: 'command_failed' },
      result('call_2', 'abandoned', 'turn_2'),
    ];
    expect(states(continued(...left))).toContain('turn_1 settled');
    expect(states(continued(...left, ...lateFrames))).toEqual([
      'turn_1 settled',
      'agent_1 settled',
      'turn_2 settled',
      'call_2 abandoned',
    ]);
    const gone = continued(...left, ...lateFrames, { type: 'abandoned_ended', node: 'call_2' });
    expect(gone.nodes).toEqual([]);
    expect(gone.turns[1]?.calls[0]).toMatchObject({ node: { state: 'settled', outcome: 'abandoned' } });
    expect(gone.turns[0]?.calls[0]).toMatchObject({
      node: { state: 'settled', outcome: 'failed', effect: 'unknown' },
      result: { outcome: 'continues' },
      lateResult: { outcome: 'failed', code: 'command_failed' },
    });
  });

  test('shows what is being stopped, and what is shielded for now', () => {
    const stopped = continued(result('call_1', 'completed'), accepted(['turn_1', 'call_1'], ['call_2']));
    expect(states(stopped)).toEqual(['turn_1 stopping', 'agent_1 running', 'turn_2 running', 'call_2 pending']);
  });

  test('shows what a CANCEL may not stop as running, also when all that was stopped has settled', () => {
    const refused = [{ node: 'call_2', reason: 'not_owner' }];
    const cancelled = { ...accepted(['agent_1', 'turn_2']), refused };
    const running = ['turn_1 running', 'call_1 waiting'];
    expect(states(continued(cancelled))).toEqual([...running, 'agent_1 stopping', 'turn_2 stopping', 'call_2 running']);
    const ends = [
      result('call_2', 'continues', 'turn_2'),
      ended('turn_2', 'cancelled'),
      result('agent_1', 'cancelled'),
    ];
    const nodes = ['agent_1', 'turn_2'].map((node) => ({
      node,
      kind: 'turn',
      outcome: 'cancelled',
      effect: 'none',
      ms: 1,
    }));
    const settled = { type: 'cancel_settled', cancel: 'cancel_1', ref: null, cause: { source: 'client' }, nodes };
    const left = [...running, 'agent_1 settled', 'turn_2 settled', 'call_2 running'];
    expect(states(continued(cancelled, ...ends, settled))).toEqual(left);
  });

  test('shows what has settled before its acceptance as settled', () => {
    const { turns } = continued(result('call_1', 'completed'), accepted(['turn_1', 'call_1']));
    expect(turns[0]?.calls.map(({ node: { id, state } }) => `${id} ${state}`)).toEqual([
      'call_1 settled',
      'agent_1 running',
    ]);
  });

  test.each([
    ['call_1', ['call_1']],
    ['all_2', ['call_2']],
    ['agent', ['agent_1']],
    ['shell', ['call_1', 'call_2']],
    ['researcher', ['agent_1']],
    ['nobody', []],
  ])('is searched by %s', (word, nodes) => {
    expect(findNodes(continued().nodes, word)).toEqual(nodes);
  });
});

describe('turns', () => {
  test('are in the order in which they were opened, with words, owner and outcome', () => {
    const { turns } = continued(opened('turn_3', 'bob'), { ...ended('turn_1', 'cancelled'), code: 'crash', at: 3_000 });
    expect(turns.map(({ node: { id, owner, parent }, text }) => [id, owner, parent, text])).toEqual([
      ['turn_1', 'ann', null, 'words of turn_1'],
      ['turn_2', 'ann', 'agent_1', 'a task'],
      ['turn_3', 'bob', null, 'words of turn_3'],
    ]);
    expect(turns[0]).toMatchObject({ node: { state: 'settled', outcome: 'cancelled' }, code: 'crash', endedAt: 3_000 });
  });

  test('hold their text: streamed, repeated, lost, whole at its end', () => {
    const streamed = fold(
      [delta('turn_2', 0, 'The '), delta('turn_2', 2, 'e no'), delta('turn_2', 99, 'lost')],
      continued(),
    );
    expect(streamed.turns[1]?.blocks).toMatchObject([{ index: 0, text: 'The no', state: 'streaming', cutOff: false }]);
    const whole = fold(numbered([modelEnded('turn_2', 'The notes say')], 11), streamed);
    expect(whole.turns[1]?.blocks).toMatchObject([{ index: 0, text: 'The notes say', state: 'closed', cutOff: false }]);
    expect(fold([delta('turn_2', 13, ' more')], whole)).toBe(whole);
  });

  test('that are stopped get no more text; their block is cut off', () => {
    const stopping = fold([delta('turn_2', 0, 'The ')], continued(accepted(['turn_2'])));
    expect(stopping.turns[1]?.blocks).toEqual([]);
    const before = fold([delta('turn_2', 0, 'The ')], continued());
    const cut = fold(numbered([accepted(['turn_2']), ended('turn_2', 'cancelled')], 11), before);
    expect(cut.turns[1]?.blocks).toMatchObject([{ index: 0, text: 'The ', state: 'closed', cutOff: true }]);
  });

  test('hold their calls, with arguments, output and result', () => {
    const output = { type: 'tool_output', session: 's', node: 'call_1', text: 'x'.repeat(20_000) } as const;
    const changed = { type: 'tool_changed', turn: 'turn_1', node: 'call_1', arguments: '{"safe":true}' };
    const [call] = fold([output], continued(changed, result('call_1', 'completed'))).turns[0]?.calls ?? [];
    expect(call).toMatchObject({
      arguments: '{"safe":true}',
      result: { outcome: 'completed', output: 'output of call_1', code: null },
    });
    expect(call?.output).toHaveLength(defaultViewLimits.outputChars);
  });

  test('are dropped past the limit, the oldest settled ones first, with those of their sub-agents', () => {
    const rest = [result('call_1', 'completed'), result('agent_1', 'completed'), ended('turn_2')];
    const more = [opened('turn_3'), opened('turn_4'), ended('turn_3')];
    const all = [...working, ...numbered([...rest, ...more], 11)];
    const ids = ({ turns }: SessionSnapshot) => turns.map(({ node }) => node.id);
    const limits = { ...defaultViewLimits, turns: 2 };
    expect(ids(fold(all, emptySnapshot, limits))).toEqual(['turn_1', 'turn_2', 'turn_4']);
    const settled = numbered([result('call_2', 'completed', 'turn_2'), ended('turn_1')], 17);
    expect(ids(fold([...all, ...settled], emptySnapshot, limits))).toEqual(['turn_4']);
  });
});

test('what was said and what a call shows keep their parts [model.parts]', () => {
  const image = { type: 'image', blob: 'a'.repeat(64), mediaType: 'image/png', bytes: 3 } as const;
  const { turns } = continued(
    { ...opened('turn_3'), parts: [image] },
    { ...result('call_1', 'completed'), parts: [{ type: 'text', text: 'see' }, image] },
  );
  expect(turns.map(({ parts }) => parts)).toEqual([[], [], [image]]);
  expect(turns[0]?.calls[0]?.result?.parts).toEqual([{ type: 'text', text: 'see' }, image]);
});

describe('names', () => {
  test('are the tool’s, the agent’s, and the id of a node that is not known', () => {
    const names = (id: string) => nameOf(continued(), id);
    expect(['turn_1', 'call_1', 'agent_1', 'turn_2', 'turn_9'].map(names)).toEqual([
      'turn',
      'shell',
      'researcher',
      "researcher's turn",
      'turn_9',
    ]);
  });

  test('have a depth, an owner and a duration', () => {
    const snapshot = continued();
    expect(['turn_1', 'call_1', 'turn_2', 'call_2', 'call_9'].map((id) => depthOf(snapshot, id))).toEqual([
      0, 1, 1, 2, 0,
    ]);
    expect([ownerOf(snapshot, 'call_2'), ownerOf(snapshot, 'call_9')]).toEqual(['ann', null]);
    expect(['turn_1', 'turn_2', 'turn_9'].map((id) => isRootTurn(snapshot, id))).toEqual([true, false, false]);
    expect([runningMs(snapshot, 'call_2', 5_000), runningMs(snapshot, 'call_1', 5_000)]).toEqual([3_000, null]);
  });
});

describe('durations', () => {
  const start = { ...started('turn_3'), at: 10_000_000 };
  const ranOf = (...facts: object[]) => {
    const snapshot = continued(opened('turn_3'), start, ...facts);
    return { snapshot, ran: ranMs(snapshot, 'turn_3') };
  };

  test('are those that the end says, whatever was done to the time of day meanwhile [clock.steps]', () => {
    for (const at of [1_000, 10_000_000, 96_400_000]) {
      const { snapshot, ran } = ranOf({ ...ended('turn_3'), at, ms: 700 });
      expect([ran, runningMs(snapshot, 'turn_3', at)]).toEqual([700, 700]);
    }
  });

  test('follow from the times of an older log, none below zero [clock.steps]', () => {
    expect([10_002_000, 1_000].map((at) => ranOf({ ...ended('turn_3'), at }).ran)).toEqual([2_000, 0]);
    expect(runningMs(ranOf().snapshot, 'turn_3', 1_000)).toBe(0);
  });

  test('of a sub-agent are those of its turn, and of a call those of its result [clock.steps]', () => {
    const agent = toolCall('agent_3', 'turn_3', 'spawn_agent', 'sub-agent');
    const call = toolCall('call_3', 'turn_3', 'shell');
    const ends = [
      { ...ended('turn_4'), at: 1_000, ms: 600 },
      { ...result('call_3', 'completed', 'turn_3'), ms: 50 },
    ];
    const { snapshot } = ranOf(agent, call, { ...started('turn_4', 'agent_3'), at: 9_000 }, ...ends);
    expect(['agent_3', 'turn_4', 'call_3'].map((id) => ranMs(snapshot, id))).toEqual([600, 600, 50]);
  });
});

describe('questions, receipts, speakers', () => {
  const approval = {
    type: 'approval_requested',
    turn: 'turn_1',
    node: 'call_1',
    to: 'ann',
    text: '?',
    expiresAt: null,
  };
  const question = { ...approval, type: 'question_asked', node: 'call_2', choices: ['a', 'b'] };

  test('a question is open until it is closed, and found by speaker or call', () => {
    const { questions } = continued(approval, question);
    expect(findQuestions(questions, 'approval', 'ann', null).map(({ node }) => node)).toEqual(['call_1']);
    expect(findQuestions(questions, 'question', 'bob', null)).toEqual([]);
    expect(findQuestions(questions, 'question', 'bob', '_2'), 'by its id, whoever is its addressee').toHaveLength(1);
    expect(questions[1]).toMatchObject({ kind: 'question', choices: ['a', 'b'] });
    const closed = { type: 'approval_closed', node: 'call_1', answer: 'approved', by: 'eve', ref: null };
    expect(continued(approval, question, closed).questions.map(({ node }) => node)).toEqual(['call_2']);
    expect(continued(approval, closed).speakers).toEqual(['ann', 'eve']);
  });

  test('a receipt is there from its acceptance, and has its outcomes when all have settled', () => {
    const early = { ...accepted(['turn_1']), session: 's', durable: false } as ServerFrame;
    const snapshot = fold([early, ...numbered([accepted(['turn_1'])], 11)], continued());
    expect(snapshot.receipts).toHaveLength(1);
    expect(snapshot.receipts[0]).toMatchObject({ by: 'bob', reason: 'enough', stopping: ['turn_1'], settled: null });
    expect(snapshot.speakers).toEqual(['ann', 'bob']);
    const nodes = [{ node: 'turn_1', kind: 'turn', outcome: 'cancelled', effect: 'none', ms: 7 }];
    const cause = { source: 'client', by: 'bob', reason: 'enough', target: 'turn_1' };
    const settled = numbered([{ type: 'cancel_settled', cancel: 'cancel_1', ref: null, cause, nodes }], 12);
    expect(fold(settled, snapshot).receipts[0]).toMatchObject({ settled: nodes });
  });

  test('the first acceptance and the first end of a receipt count, as in the log', () => {
    const settled = (outcome: string) => ({
      type: 'cancel_settled',
      cancel: 'cancel_1',
      ref: null,
      cause: { source: 'client', by: 'bob', reason: 'enough', target: 'turn_1' },
      nodes: [{ node: 'turn_1', kind: 'turn', outcome, effect: 'none', ms: 7 }],
    });
    const facts = [
      accepted(['turn_1']),
      { ...accepted(['turn_2']), by: 'eve' },
      settled('cancelled'),
      settled('completed'),
    ];
    const folded = foldReceipts(facts as readonly Fact[]).get('cancel_1');
    const { by, stopping, settled: nodes } = continued(...facts).receipts[0] ?? {};
    expect({ by, stopping, nodes }).toEqual({ by: 'bob', stopping: ['turn_1'], nodes: settled('cancelled').nodes });
    expect({ by, stopping, nodes }).toEqual({
      by: folded?.accepted.by,
      stopping: folded?.accepted.stopping,
      nodes: folded?.settled?.nodes,
    });
  });
});

describe('a JOIN', () => {
  const node = {
    node: 'turn_9',
    kind: 'turn',
    owner: 'bob',
    parent: null,
    name: null,
    state: 'stopping',
    since: 1,
  } as const;
  const call = {
    ...node,
    node: 'call_9',
    kind: 'tool-call',
    parent: 'turn_9',
    name: 'shell',
    state: 'running',
  } as const;
  const block = { turn: 'turn_9', index: 1, offset: 0, text: 'so far' };

  test('without a replay gives the live tree, the open text and the open questions', () => {
    const snapshot = fold([joined(9, { nodes: [node, call], blocks: [block] })]);
    expect(states(snapshot)).toEqual(['turn_9 stopping', 'call_9 running']);
    expect(snapshot).toMatchObject({ kind: 'text', policy: 'anyone', seq: 0, logEnd: 9, speakers: ['bob'] });
    expect(snapshot.turns[0]).toMatchObject({ text: null, blocks: [{ text: 'so far' }], calls: [{ arguments: null }] });
  });

  test('after a lost connection continues from the held state', () => {
    const back = fold(
      [joined(12, { blocks: [{ turn: 'turn_2', index: 0, offset: 0, text: 'The notes' }] })],
      continued(),
    );
    expect(states(back)).toEqual(states(continued()));
    const rest = [{ type: 'model_started', turn: 'turn_2', index: 0 }, result('call_2', 'completed', 'turn_2')];
    const caughtUp = fold([...numbered(rest, 11), delta('turn_2', 0, 'The '), delta('turn_2', 9, ' say')], back);
    expect(caughtUp.turns[1]?.blocks[0]?.text).toBe('The notes say');
    expect(states(caughtUp)).not.toContain('call_2 running');
  });

  test('to another log under the same name drops everything', () => {
    const other = fold([joined(3, { nodes: [node] })], continued());
    expect(other.turns.map(({ node: { id } }) => id)).toEqual(['turn_9']);
    expect(other).toMatchObject({ seq: 0, logEnd: 3, receipts: [], speakers: ['bob'] });
  });

  test('with a replay orders turns by their facts, whatever the live tree has named before', () => {
    const replay = numbered([opened('turn_1'), ended('turn_1'), opened('turn_9', 'bob'), started('turn_9')]);
    const snapshot = fold([joined(4, { nodes: [{ ...node, state: 'running' }] }), ...replay]);
    expect(snapshot.turns.map(({ node: { id }, text }) => [id, text])).toEqual([
      ['turn_1', 'words of turn_1'],
      ['turn_9', 'words of turn_9'],
    ]);
  });
});

test('an acknowledgement is a turn of its kind, and its receipt names the kind of the acknowledgement [recover.model]', () => {
  const acknowledgement = { ...opened('turn_2'), kind: 'acknowledgement', cancel: 'cancel_1', text: '' };
  const signs = [
    { type: 'acknowledged', cancel: 'cancel_1', turn: 'turn_2', to: 'ann', ms: 12 },
    { type: 'reaction', cancel: 'cancel_1', to: 'ann', ms: 12, emoji: '👍' },
    { type: 'earcon', cancel: 'cancel_1', to: 'ann', ms: 12, sound: 'stopped' },
  ];
  const views = signs.map((sign) => {
    const { turns, receipts } = fold(numbered([opened('turn_1'), accepted(['turn_1']), acknowledgement, sign]));
    expect(turns.map(({ kind, acknowledges }) => acknowledges ?? kind)).toEqual(['say', 'cancel_1']);
    expect(turns[1]?.kind).toBe('acknowledgement');
    return receipts[0]?.acknowledged;
  });
  expect(views.map((view) => view && Object.values(view))).toEqual([
    ['text', null, 12],
    ['reaction', '👍', 12],
    ['earcon', null, 12],
  ]);
});

test('facts that come twice count once, and two replays give equal snapshots', () => {
  const facts = [...working, ...numbered([accepted(['call_2']), result('call_2', 'cancelled', 'turn_2')], 11)];
  const once = fold(facts);
  expect(fold(facts)).toEqual(once);
  expect(fold(facts, once)).toBe(once);
});

test('parts that a frame does not change keep their identity', () => {
  const before = continued(opened('turn_3', 'bob'));
  const text = fold([delta('turn_3', 0, 'Hi')], before);
  expect(text).not.toBe(before);
  expect(text.nodes).toBe(before.nodes);
  expect(text.turns[0]).toBe(before.turns[0]);
  expect(text.turns[2]?.node).toBe(before.turns[2]?.node);
  const call = fold(numbered([result('call_1', 'completed')], 12), text);
  expect(call.turns[2]).toBe(text.turns[2]);
  expect(call.turns[1]).toBe(text.turns[1]);
  expect(call.turns[0]?.blocks).toBe(text.turns[0]?.blocks);
  expect(call.turns[0]?.calls[1]).toBe(text.turns[0]?.calls[1]);
  expect(call.nodes[1]).toBe(text.nodes.find(({ id }) => id === 'agent_1'));
  expect(fold([{ type: 'replayed', ref: 'r', session: 's' }], call)).toBe(call);
});
