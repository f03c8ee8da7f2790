// Logs as the runtime could have written them: turns with nested agents, several speakers, cancels that spare some nodes.
//
// A small simulation: every turn, call and canceller is a coroutine, and at each step one of them goes on. Which, and what
// it does, is read from a list of numbers, so that fast-check can make a failing log smaller. It knows none of src/.
import fc from 'fast-check';
import type { Fact, Recorded, ToolResult } from '../../machines/facts.ts';
import type { Cause, NodeId, OutcomeKind, SpeakerId } from '../../machines/vocabulary.ts';

type Steps = Generator<readonly Fact[], void, void>;

interface Node {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  cut: Cause | null;
  settled: boolean;
}

const speakers = ['ann', 'ben', 'cas'] as const;
const pieces = ['hello ', 'world', '\n', '  ', '\u{1f6d1}', '\ud83d', '', 'and so on, '] as const;
const argumentTexts = ['{}', '{"path":"a"}', '', 'no JSON', '["a"]', '{"cut":'] as const;
const names = ['shell', 'read_file', 'functions.read file', ''] as const;
const sources = ['client', 'deadline', 'superseded', 'disconnect', 'shutdown', 'http'] as const;
const exact = { kind: 'exact', input: 10, output: 5 } as const;
const named = ({ source }: Cause): OutcomeKind =>
  source === 'deadline' ? 'timed_out' : source === 'superseded' ? 'superseded' : 'cancelled';

const maxSteps = 400;
const maxDepth = 2;

/** One life of a process: it ends in good order, or, after `maxSteps`, does not. `life` makes its ids its own. */
export function plausibleLog(numbers: readonly number[], life = 'a'): Recorded[] {
  let read = 0;
  let made = 0;
  const log: Recorded[] = [];
  const live = new Map<NodeId, Node>();
  const settlements = new Map<NodeId, Pick<ToolResult, 'outcome' | 'effect'>>();
  const tasks: Steps[] = [];

  const choose = (count: number): number => (numbers[read++] ?? 0) % count;
  const one = <T>(of: readonly T[]): T => of[choose(of.length)] as T;
  const id = (prefix: string) => `${prefix}_${life}${++made}`;
  const enter = (node: NodeId, owner: SpeakerId, parent: NodeId | null): Node => {
    const entry: Node = { id: node, owner, parent, cut: null, settled: false };
    live.set(node, entry);
    return entry;
  };
  const settle = (node: Node, outcome: OutcomeKind, effect: ToolResult['effect']) => {
    node.settled = true;
    settlements.set(node.id, { outcome, effect });
  };
  const isBelow = (node: Node, top: NodeId): boolean =>
    node.id === top || (node.parent !== null && isBelow(live.get(node.parent) as Node, top));

  function* turn(node: Node, depth: number): Steps {
    const calls: Node[] = [];
    const awaited = () => calls.filter((call) => !call.settled && (!node.cut || call.cut));
    let failed = false;
    const texts: string[] = [];
    for (let index = 0; !node.cut && !failed; index++) {
      yield [{ type: 'model_started', turn: node.id, index }];
      let text = '';
      while (!node.cut && choose(4) > 0) {
        const piece = one(pieces);
        const offset = text.length;
        text += piece;
        yield choose(2) ? [{ type: 'text_checkpoint', turn: node.id, index, offset, text: piece }] : [];
      }
      failed = !node.cut && choose(12) === 11;
      const outcome = failed ? 'failed' : node.cut ? 'cancelled' : 'completed';
      yield [
        { type: 'model_ended', turn: node.id, index, outcome, text, cutOff: outcome !== 'completed', usage: exact },
      ];
      texts.push(text);
      const asked = failed ? 0 : choose(index > 2 ? 1 : 4);
      if (asked === 0) break;
      const dispatched: Fact[] = [];
      const round: { readonly call: Node; readonly sub: boolean; started: boolean }[] = [];
      for (let i = 0; i < asked; i++) {
        const sub = depth < maxDepth && choose(3) === 2;
        const owner = choose(3) === 2 ? one(speakers) : node.owner;
        const call: Node = { id: id(sub ? 'agent' : 'call'), owner, parent: node.id, cut: null, settled: false };
        const started = !node.cut && (sub || choose(2) === 1);
        const kind = sub ? 'sub-agent' : 'tool-call';
        const words = { name: one(names), arguments: one(argumentTexts), callId: 'call_0' };
        dispatched.push({ type: 'tool_call', turn: node.id, node: call.id, kind, ...words, owner, index });
        if (started) dispatched.push({ type: 'tool_started', turn: node.id, node: call.id });
        round.push({ call, sub, started });
      }
      yield dispatched;
      if (node.cut) {
        const cause = node.cut;
        yield round.map(({ call }): Fact => {
          enter(call.id, call.owner, node.id);
          settle(call, named(cause), 'not_started');
          const { outcome, effect } = { outcome: named(cause), effect: 'not_started' } as const;
          return { type: 'tool_result', turn: node.id, node: call.id, outcome, effect };
        });
        break;
      }
      for (const { call, sub, started } of round) {
        live.set(call.id, call);
        calls.push(call);
        const tell = (result: Omit<ToolResult, 'type' | 'turn' | 'node'>): readonly Fact[] => {
          const late = node.settled;
          settle(call, result.outcome, result.effect);
          return late
            ? [{ type: 'late_result', node: call.id, outcome: result.outcome, effect: result.effect }]
            : [{ type: 'tool_result', turn: node.id, node: call.id, ...result }];
        };
        tasks.push(sub ? agent(call, node, depth, tell) : tool(call, started, node.id, tell));
      }
      while (awaited().length > 0) yield [];
    }
    while (awaited().length > 0) yield [];
    // a call is spared until its turn has settled: from then on what it tells is late
    const spared = calls.filter((call) => !call.settled);
    const outcome = node.cut ? named(node.cut) : failed ? 'failed' : 'completed';
    settle(node, outcome, 'unknown');
    yield [
      ...spared.map(
        (call): Fact => ({
          type: 'tool_result',
          turn: node.id,
          node: call.id,
          outcome: 'continues',
          effect: 'unknown',
        }),
      ),
      { type: 'turn_ended', turn: node.id, outcome, effect: 'unknown', usage: exact },
    ];
  }

  type Tell = (result: Omit<ToolResult, 'type' | 'turn' | 'node'>) => readonly Fact[];

  function* tool(call: Node, startedAtOnce: boolean, turnId: NodeId, tell: Tell): Steps {
    let started = startedAtOnce;
    while (!started && !call.cut && choose(2) === 1) yield [];
    if (!started && !call.cut) {
      started = true;
      yield [{ type: 'tool_started', turn: turnId, node: call.id }];
    }
    while (!call.cut && choose(8) > 0) yield [];
    const output = one(['', 'some output', '\udc00 half']);
    if (!started) yield tell({ outcome: call.cut ? named(call.cut) : 'failed', effect: 'not_started' });
    else if (!call.cut) yield tell({ outcome: one(['completed', 'failed', 'denied']), effect: 'none', output });
    else {
      const how = one(['stopped', 'completed', 'abandoned'] as const);
      if (how === 'completed') yield tell({ outcome: 'completed', effect: 'done', output });
      if (how === 'stopped') yield tell({ outcome: named(call.cut), effect: 'unknown', output, forced: true });
      if (how === 'abandoned') {
        yield tell({ outcome: 'abandoned', effect: 'unknown' });
        while (choose(3) > 0) yield [];
        yield [{ type: 'abandoned_ended', node: call.id }];
      }
    }
  }

  function* agent(call: Node, parent: Node, depth: number, tell: Tell): Steps {
    if (choose(6) === 5) {
      const background = enter(id('turn'), call.owner, null);
      const { id: turnId, owner } = background;
      const lane = turnId;
      tasks.push(root(background, depth + 1));
      yield [
        {
          type: 'turn_opened',
          turn: turnId,
          kind: 'agent',
          owner,
          lane,
          text: 'look',
          ref: null,
          from: parent.id,
          agent: 'scout',
        },
        ...tell({ outcome: 'completed', effect: 'done', output: 'started in the background' }),
      ];
      return;
    }
    const child = enter(id('turn'), call.owner, call.id);
    child.cut = call.cut;
    if (!child.cut) {
      yield [
        { type: 'turn_started', turn: child.id, owner: call.owner, parent: call.id, text: 'a task', agent: 'scout' },
      ];
      yield* turn(child, depth + 1);
    }
    const { outcome } = settlements.get(child.id) ?? { outcome: child.cut ? named(child.cut) : 'completed' };
    settle(child, outcome, 'unknown');
    yield tell({ outcome, effect: settlements.has(child.id) ? 'unknown' : 'not_started', output: 'a report' });
  }

  function* root(node: Node, depth: number): Steps {
    while (!node.cut && choose(3) === 2) yield [];
    if (!node.cut) yield [{ type: 'turn_started', turn: node.id, owner: node.owner, parent: null }];
    yield* turn(node, depth);
  }

  function* speaker(owner: SpeakerId): Steps {
    const turns = 1 + choose(3);
    for (let i = 0; i < turns; i++) {
      const node = enter(id('turn'), owner, null);
      const text = one(['do this', 'and that', 'stop \ud83d it']);
      yield [{ type: 'turn_opened', turn: node.id, kind: 'say', owner, lane: owner, text, ref: null }];
      if (choose(4) === 3) tasks.push(root(node, 0));
      else yield* root(node, 0);
    }
  }

  function* canceller(): Steps {
    for (let i = choose(24); i > 0; i--) yield [];
    const open = [...live.values()].filter((node) => !node.settled);
    if (open.length === 0) return;
    const busy = open.filter((node) => open.some(({ parent }) => parent === node.id));
    const at = one(busy.length > 0 && choose(3) > 0 ? busy : open);
    const target = choose(6) === 5 ? 'session' : at.id;
    const by = choose(3) === 2 ? one([...speakers, 'moderator']) : at.owner;
    const source = one(sources);
    const cause: Cause = { source, by, reason: choose(2) ? 'changed my mind' : null, target };
    const planned = open.filter((node) => target === 'session' || isBelow(node, target));
    const may = (node: Node) => by === 'moderator' || node.owner === by || node.cut !== null;
    const stopping = planned.filter(may);
    if (stopping.length === 0) return;
    for (const node of stopping) node.cut ??= cause;
    const cancel = id('cancel');
    const refused = planned.filter((node) => !may(node)).map((node) => ({ node: node.id, reason: 'not_owner' }));
    const plan = { stopping: stopping.map((node) => node.id), pending: [], refused, detached: [] };
    yield [{ type: 'cancel_accepted', cancel, ref: null, ...cause, force: false, ...plan }];
    while (stopping.some((node) => !node.settled)) yield [];
    const nodes = stopping.map((node) => {
      const { outcome, effect } = settlements.get(node.id) ?? { outcome: 'failed', effect: 'unknown' };
      const kind = node.id.startsWith('turn') ? 'turn' : node.id.startsWith('agent') ? 'sub-agent' : 'tool-call';
      return { node: node.id, kind, outcome, effect, ms: 1 } as const;
    });
    yield [{ type: 'cancel_settled', cancel, ref: null, cause, nodes }];
  }

  tasks.push(...speakers.slice(0, 1 + choose(3)).map(speaker));
  for (let i = choose(8); i > 0; i--) tasks.push(canceller());
  for (let step = 0; tasks.length > 0 && step < maxSteps; step++) {
    const [task] = tasks.splice(choose(tasks.length), 1);
    const next = task?.next();
    if (!task || !next || next.done) continue;
    for (const fact of next.value) log.push({ ...fact, at: 1_000 + step });
    tasks.push(task);
  }
  return log;
}

export const numbers = fc.array(fc.nat(60_000), { maxLength: 500, size: 'max' });
/** A log that may break off anywhere: nothing says that its process ended well. */
export const logs: fc.Arbitrary<Recorded[]> = numbers.map((list) => plausibleLog(list));
