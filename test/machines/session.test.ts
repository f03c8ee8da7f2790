// Every reachable state of a session with turns of two lanes and a detached agent, without starting anything.
import { expect, test } from 'vitest';
import { type AnyMachineSnapshot, fromCallback, initialTransition, transition } from 'xstate';
import { type CancelCommand, judgeCancel, type PlannedView } from '../../machines/cancel.ts';
import { type SessionContext, sessionMachine } from '../../machines/session.ts';
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import { causeOf, stateOf, workerDone } from '../support/statechart.ts';

const idle = fromCallback(() => {});
const session = sessionMachine.provide({ actors: { link: idle, recover: idle } as never });

type Event = { readonly type: string; readonly [field: string]: unknown };
const turnsOf = (at: AnyMachineSnapshot): SessionContext['turns'] => at.context.turns;

const stopsOf = (at: AnyMachineSnapshot): SessionContext['stops'] => at.context.stops;
const isHeld = (at: AnyMachineSnapshot, lane: string | null): boolean =>
  stopsOf(at).some(({ lanes }) => lane !== null && lanes.has(lane));

const owners: Record<NodeId, SpeakerId> = { a1: 'A', a2: 'A', b1: 'B', agent: 'A' };
const sayOf = (id: NodeId): Event => {
  const owner = owners[id] ?? '';
  return { type: 'SAY', lane: owner, ref: null, turn: { id, owner, depth: 0, text: 'words', agent: null } };
};
const spawnOf = (isCut: boolean): Event => ({
  type: 'SPAWN',
  cut: isCut ? causeOf() : null,
  turn: { id: 'agent', owner: 'A', depth: 1, text: 'words', agent: 'helper' },
});
const nodesIn = (at: AnyMachineSnapshot): readonly PlannedView[] =>
  turnsOf(at)
    .filter(({ settled }) => !settled)
    .map(({ id, owner }) => ({ id, kind: 'turn', owner, addressee: null, cut: null, shield: null }));
function cancelBy(at: AnyMachineSnapshot, id: SpeakerId): Event {
  const command: CancelCommand = {
    cancel: `cancel_by_${id}`,
    ref: null,
    source: 'client',
    by: { id, roles: ['member'] },
    reason: null,
    target: 'session',
    force: false,
  };
  const evidence = { source: 'client', participants: 3 } as const;
  const judgment = judgeCancel(command, { nodes: nodesIn(at), detached: [], running: [] }, evidence, 'owner');
  const isRepeat = stopsOf(at).some(({ cancel }) => cancel === command.cancel);
  return { type: 'CANCEL', command, evidence, judgment, repeats: isRepeat ? command.cancel : null };
}

/** Returns the events that the session may get in its state. */
function eventsAt(at: AnyMachineSnapshot, opened: ReadonlySet<NodeId>): readonly Event[] {
  const said = opened.has('a1') ? ['a2', 'b1'] : ['a1', 'b1'];
  const fresh = said.filter((id) => !opened.has(id)).map(sayOf);
  const spawns = opened.has('a1') && !opened.has('agent') ? [spawnOf(true), spawnOf(false)] : [];
  const ends = turnsOf(at).map(({ id, settled }) =>
    settled
      ? { type: 'TURN_GONE', node: id }
      : { type: 'OUTCOME', node: id, outcome: { kind: 'completed', effect: 'none' } },
  );
  const running = new Set(turnsOf(at).flatMap(({ lane, admitted, settled }) => (admitted && !settled ? lane : [])));
  const settled = stopsOf(at)
    .filter(({ lanes }) => ![...lanes].some((lane) => running.has(lane)))
    .map(({ cancel }) => ({ type: 'STOP_SETTLED', cancel }));
  return [
    ...fresh,
    ...spawns,
    ...ends,
    ...settled,
    ...['A', 'B', 'C'].map((id) => cancelBy(at, id)),
    { type: 'CLOSE' },
  ];
}

/** The events that the actions of a step send, each with its receiver. */
const sentBy = (actions: readonly { readonly type: string; readonly params?: unknown }[]) =>
  actions.flatMap(({ type, params }) => {
    if (type !== 'xstate.sendTo') return [];
    const { targetId, target, event } = params as { targetId?: string; target?: { id: string }; event: Event };
    return [`${event.type} ${targetId ?? target?.id}`];
  });

interface Place {
  readonly at: AnyMachineSnapshot;
  readonly opened: ReadonlySet<NodeId>;
}

/** Returns what is wrong with one step. */
function problemsOf(
  before: AnyMachineSnapshot,
  event: Event,
  after: AnyMachineSnapshot,
  actions: readonly { type: string }[],
): string[] {
  const wrong: string[] = [];
  const sent = sentBy(actions);
  const live = turnsOf(after).filter(({ settled }) => !settled);
  for (const lane of ['A', 'B'])
    if (live.filter((turn) => turn.lane === lane && turn.admitted).length > 1) wrong.push(`two turns of lane ${lane}`);
  for (const { id, lane, admitted } of live)
    if (!admitted && lane !== null && live.find((turn) => turn.lane === lane)?.id === id && !isHeld(after, lane))
      wrong.push(`${id} waits for nobody`);
  for (const { id, lane } of live)
    if (sent.includes(`ADMIT ${id}`) && isHeld(after, lane)) wrong.push(`${id} starts in a lane of a stop`);
  if (stateOf(after) === 'closed' && live.length > 0) wrong.push('closed with live turns');
  if (event.type === 'SPAWN' && stateOf(before) !== 'closed') {
    const expected = event['cut'] === null ? 'ADMIT agent' : 'CANCEL agent';
    if (sent.join() !== expected) wrong.push(`a SPAWN sends ${sent}`);
  }
  if (event.type === 'CANCEL') {
    const by = (event['command'] as { by: { id: string } }).by.id;
    const may = nodesIn(before).some(({ owner }) => owner === by);
    const types = actions.map(({ type }) => type);
    if (types.includes('accept') !== may || types.includes('refuse') === may)
      wrong.push(`a CANCEL by ${by} does ${types}`);
    if (may && sent.length !== turnsOf(before).length) wrong.push(`a CANCEL by ${by} reaches ${sent}`);
  }
  return wrong;
}

test('in each state a CANCEL is judged, a lane has one turn at a time and starts none while a stop is under way there, a cut agent is not admitted, and nothing is lost at the end [cancel.phases] [cancel.latch]', () => {
  const input = { policy: 'owner', laneLimit: 2 } as const;
  const [recovering] = initialTransition(session, input);
  const [open] = transition(session, recovering, workerDone('recover') as never);
  const seen = new Set<string>();
  const wrong = new Set<string>();
  const todo: Place[] = [{ at: open, opened: new Set() }];
  for (let place = todo.pop(); place; place = todo.pop()) {
    const { at, opened } = place;
    const stops = stopsOf(at)
      .map(({ cancel, lanes }) => [cancel, ...lanes])
      .sort();
    const key = JSON.stringify([stateOf(at), turnsOf(at), stops, [...opened].sort()]);
    if (seen.has(key) || stateOf(at) === 'closed') continue;
    seen.add(key);
    for (const event of eventsAt(at, opened)) {
      const [after, actions] = transition(session, at as never, event as never);
      for (const what of problemsOf(at, event, after, actions)) wrong.add(`${key} ${event.type}: ${what}`);
      const id = (event['turn'] as { id: NodeId } | undefined)?.id;
      todo.push({ at: after, opened: id === undefined ? opened : new Set([...opened, id]) });
    }
  }
  expect([...wrong].slice(0, 5)).toEqual([]);
  expect(seen.size).toBeGreaterThan(100);
});
