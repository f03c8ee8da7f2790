// A view that starts with the last turns shows them as a view of the whole log does: at every moment of the logs that we have, live facts after it, and earlier turns loaded.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import { SessionView } from '../../../src/client/view/session-view.ts';
import type { NodeView, SessionSnapshot, TurnView } from '../../../src/client/view/snapshot.ts';
import type { NodeEntry } from '../../../src/core/live/node-entry.ts';
import { findTailStart, tailFrom } from '../../../src/core/session/session-tail.ts';
import { History } from '../../../src/core/transcript/history.ts';
import { factFrame } from '../../../src/gateway/event-frames.ts';
import type { FactFrame } from '../../../src/wire/fact-frames.ts';
import type { JoinedFrame, ServerFrame } from '../../../src/wire/server-frames.ts';
import { ended, modelEnded, opened, result, started, toolCall } from './frames.ts';

const stores = new URL('../../fixtures/stores/', import.meta.url);

/** The sessions of a store, one after the other, as the log of one. Those that were killed stay open in it. */
function corpusOf(commit: string): readonly SequencedFact[] {
  const folder = new URL(`${commit}/facts/`, stores);
  const files = readdirSync(folder).toSorted();
  const lines = files.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').trim().split('\n'));
  const facts = lines.map((line): RecordedFact => JSON.parse(line));
  const isKept = ({ type }: RecordedFact, i: number) => type !== 'session_opened' || i === 0;
  return facts.filter(isKept).map((fact, i) => ({ seq: i + 1, fact }));
}

const framesOf = (events: readonly SequencedFact[]): readonly FactFrame[] =>
  events.flatMap((event) => factFrame('s', event) ?? []);

/** A session that frames are sent to. */
function setUp() {
  const listeners = new Set<(frame: ServerFrame) => void>();
  const on = (type: string, listener: (frame: never) => void) => {
    if (type === '*') listeners.add(listener as (frame: ServerFrame) => void);
    return () => {};
  };
  const view = new SessionView({ state: 'joined', on }, { turns: 10_000, receipts: 10_000 });
  const send = (frames: readonly ServerFrame[]) => {
    for (const frame of frames) for (const listener of listeners) listener(frame);
  };
  return { view, send, snapshot: () => view.getSnapshot() };
}

function joinedAt(seq: number, { nodes, questions }: SessionSnapshot, tail?: JoinedFrame['tail']): JoinedFrame {
  const live = nodes.map(({ id: node, kind, name, owner, parent, since }) => ({
    node,
    kind,
    name,
    owner,
    parent,
    since,
    state: 'running' as const,
  }));
  const asked = questions.map(
    ({ node, to, text }) =>
      ({ type: 'question_asked', turn: '', node, to, text, choices: [], expiresAt: null }) as const,
  );
  const state = { kind: 'text', policy: 'anyone', seq, nodes: live, blocks: [], questions: asked } as const;
  return { type: 'joined', ref: 'j', session: 's', ...state, ...(tail && { tail }) };
}

/** Resolves with the frames that the gateway sends to a JOIN with `last` when the log has these facts. `live`: the live tree. */
async function openWith(last: number, facts: readonly SequencedFact[], live: readonly NodeView[]) {
  const history = new History({ contextTurns: 2 });
  history.add(facts);
  const reads: number[] = [];
  const log = {
    async read(_: string, after: number, limit = facts.length) {
      const page = facts.slice(after, after + limit);
      reads.push(page.length);
      return page.map(({ seq, fact }) => ({ seq, epoch: 1, body: fact }));
    },
  };
  const byId = new Map(live.map((node) => [node.id, node as unknown as NodeEntry]));
  const pathToRoot = (entry: NodeEntry): readonly NodeEntry[] => {
    const parent = byId.get(entry.parent ?? '');
    return parent ? [entry, ...pathToRoot(parent)] : [entry];
  };
  const tree = { entries: () => [...byId.values()], pathToRoot };
  const source = { session: 's', log, history, tree, committed: () => facts.length };
  const start = await findTailStart(last, source);
  return tailFrom(start, start > 1 ? (facts[0] ?? null) : null, source);
}

const withoutPlace = (turns: readonly TurnView[]) => turns.map(({ lastSeq: _, ...turn }) => turn);

/** Expects that the tail shows what it has as the whole does. */
function expectSame(tail: SessionSnapshot, whole: SessionSnapshot, about: string): void {
  const shown = new Set(tail.turns.map(({ node }) => node.id));
  const expected = whole.turns.filter(({ node }) => shown.has(node.id));
  expect(withoutPlace(tail.turns), `${about}: turns`).toEqual(withoutPlace(expected));
  expect(tail.nodes, `${about}: the live tree`).toEqual(whole.nodes);
  expect(tail.questions, `${about}: questions`).toEqual(whole.questions);
  const nodes = new Set(tail.turns.flatMap(({ node, calls }) => [node.id, ...calls.map((call) => call.node.id)]));
  const isOfShown = ({ stopping, pending, refused }: SessionSnapshot['receipts'][number]) =>
    [...stopping, ...pending, ...refused.map(({ node }) => node)].some((node) => nodes.has(node));
  const held = new Set(tail.receipts.map(({ cancel }) => cancel));
  expect(
    whole.receipts.filter((receipt) => isOfShown(receipt) && !held.has(receipt.cancel)),
    `${about}: receipts that are missing`,
  ).toEqual([]);
  expect(tail.receipts, `${about}: receipts`).toEqual(whole.receipts.filter(({ cancel }) => held.has(cancel)));
}

/** Opens both views at a moment of the log, lets the rest of it happen, and loads what was before. */
async function compare(facts: readonly SequencedFact[], moment: number, last: number): Promise<void> {
  const about = `the last ${last} turns after fact ${moment}`;
  const [before, after] = [facts.slice(0, moment), facts.slice(moment)];
  const past = setUp();
  past.send(framesOf(before));
  const whole = setUp();
  whole.send([joinedAt(moment, past.snapshot()), ...framesOf(before)]);
  const { start, earlier } = await openWith(last, before, past.snapshot().nodes);
  const tail = setUp();
  const joinedTail = { start, owner: null, members: [], delegations: [] };
  const sent = [...framesOf(earlier), ...framesOf(before.slice(start - 1))];
  tail.send([joinedAt(moment, past.snapshot(), joinedTail), ...sent]);
  const opened = before
    .slice(start - 1)
    .filter(({ fact }) => fact.type === 'turn_opened' && fact.kind !== 'acknowledgement');
  expect(opened.length, `${about}: turns`).toBe(
    Math.min(last, before.filter(({ fact }) => fact.type === 'turn_opened' && fact.kind !== 'acknowledgement').length),
  );
  expectSame(tail.snapshot(), whole.snapshot(), about);
  for (const event of after) {
    tail.send(framesOf([event]));
    whole.send(framesOf([event]));
  }
  expectSame(tail.snapshot(), whole.snapshot(), `${about}, and all that follows`);
  const read = async ({ before: end }: { readonly before: number }) => {
    const page = facts.slice(Math.max(0, end - 1 - 7), end - 1);
    const first = page[0]?.seq ?? 0;
    return { events: framesOf(page), next: first > 1 ? first : null };
  };
  while (tail.snapshot().earlierBefore !== null) {
    await tail.view.loadEarlier(read, 1);
    expectSame(tail.snapshot(), whole.snapshot(), `${about}, with turns before`);
  }
  expect(withoutPlace(tail.snapshot().turns)).toEqual(withoutPlace(whole.snapshot().turns));
  expect(tail.snapshot().receipts).toEqual(whole.snapshot().receipts);
  expect(tail.snapshot().speakers.toSorted()).toEqual(whole.snapshot().speakers.toSorted());
}

/** A turn whose call runs on after it, and more turns than a session keeps in memory. */
function withCallThatRunsOn(): readonly SequencedFact[] {
  const turn = (id: string) => [opened(id), started(id), modelEnded(id, `answer of ${id}`), ended(id)];
  const [open, start, text, end] = turn('turn_0');
  const running = [
    open,
    start,
    text,
    toolCall('call_0', 'turn_0', 'build'),
    result('call_0', 'continues', 'turn_0'),
    end,
  ];
  const others = Array.from({ length: 30 }, (_, i) => turn(`turn_${i + 1}`)).flat();
  const late = { type: 'late_result', node: 'call_0', outcome: 'completed', effect: 'done' };
  const facts = [{ type: 'session_opened', kind: 'text', policy: 'anyone', by: 'ann' }, ...running, ...others, late];
  return facts.map((fact, i) => ({ seq: i + 1, fact: { ...fact, at: 1_000 } as RecordedFact }));
}

test('a call that runs on since long ago is there with its turn, and ends in it [ws.last]', async () => {
  const facts = withCallThatRunsOn();
  for (let moment = 60; moment < facts.length; moment += 7) await compare(facts, moment, 3);
  const past = setUp();
  past.send(framesOf(facts.slice(0, -1)));
  const { earlier } = await openWith(3, facts.slice(0, -1), past.snapshot().nodes);
  const types = earlier.map(({ fact }) => fact.type);
  expect(types).toEqual([
    'session_opened',
    'turn_opened',
    'turn_started',
    'model_ended',
    'tool_call',
    'tool_result',
    'turn_ended',
  ]);
});

describe.each(readdirSync(stores))('the sessions that %s wrote', (commit) => {
  const facts = corpusOf(commit);

  test('are shown from their last turns as from their beginning, at any moment [ws.last]', async () => {
    expect(facts.length).toBeGreaterThan(300);
    const step = 13; // with 1 it takes a minute
    for (let moment = 1; moment <= facts.length; moment += step) await compare(facts, moment, 1 + (moment % 7));
  });
});
