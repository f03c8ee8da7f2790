// Generates logs as the runtime could have written them: turns with nested agents, several speakers, cancels that spare some nodes.
//
// A small simulation: every turn, call and canceller is a coroutine, and at each step one of them goes on. Which one, and what
// it does, is read from a list of numbers, so that fast-check can make a failing log smaller. It imports nothing of src/.
import type { Fact, RecordedFact, SettledNode, ToolResult } from '../../../machines/facts.ts';
import type { Cause, SpeakerId } from '../../../machines/vocabulary.ts';
import { fc } from '../../support/property.ts';
import { cancelInputs, consumeInputs, enterInput } from './plausible-inputs.ts';
import { type Node, outcomeFor, PlausibleNodes, speakers } from './plausible-nodes.ts';

type Steps = Generator<readonly Fact[], void, void>;

/** A call of a round, as it is dispatched. */
interface Dispatched {
  readonly call: Node;
  readonly isAgent: boolean;
  readonly started: boolean;
}

type Result = Omit<ToolResult, 'type' | 'turn' | 'node'>;
/** Settles a call and returns its fact: a result, or after the end of its turn a late one. */
type SettleCall = (result: Result) => readonly Fact[];

const pieces = ['hello ', 'world', '\n', '  ', '\u{1f6d1}', '\ud83d', '', 'and so on, '] as const;
const argumentTexts = ['{}', '{"path":"a"}', '', 'no JSON', '["a"]', '{"cut":'] as const;
const names = ['shell', 'read_file', 'functions.read file', ''] as const;
const sources = ['client', 'deadline', 'superseded', 'disconnect', 'shutdown', 'http'] as const;
const exact = { kind: 'exact', input: 10, output: 5 } as const;

const maxSteps = 400;
const maxDepth = 2;

const kindOf = ({ id, isInput }: Node): SettledNode['kind'] =>
  isInput ? 'input' : id.startsWith('turn') ? 'turn' : id.startsWith('agent') ? 'sub-agent' : 'tool-call';

const isAwaited = (turn: Node, call: Node): boolean => !call.settled && (!turn.cut || call.cut !== null);

class Simulation {
  readonly #world: PlausibleNodes;
  readonly #log: RecordedFact[] = [];
  readonly #tasks: Steps[] = [];

  constructor(numbers: readonly number[], life: string) {
    this.#world = new PlausibleNodes(numbers, life);
  }

  /** Runs until every coroutine has ended, for `maxSteps` at most. */
  run(): RecordedFact[] {
    this.#tasks.push(...speakers.slice(0, 1 + this.#world.choose(3)).map((owner) => this.#speak(owner)));
    for (let i = this.#world.choose(8); i > 0; i--) this.#tasks.push(this.#cancel());
    for (let step = 0; this.#tasks.length > 0 && step < maxSteps; step++) {
      const [task] = this.#tasks.splice(this.#world.choose(this.#tasks.length), 1);
      const next = task?.next();
      if (!task || !next || next.done) continue;
      for (const fact of next.value) this.#log.push({ ...fact, at: 1_000 + step });
      this.#tasks.push(task);
    }
    return this.#log;
  }

  // -- turns

  *#speak(owner: SpeakerId): Steps {
    const turns = 1 + this.#world.choose(3);
    for (let i = 0; i < turns; i++) {
      const node = this.#world.enter(this.#world.createId('turn'), owner, null);
      const text = this.#world.pick(['do this', 'and that', 'stop \ud83d it']);
      yield [{ type: 'turn_opened', turn: node.id, kind: 'say', owner, lane: owner, text, ref: null }];
      if (this.#world.choose(4) === 3) this.#tasks.push(this.#rootTurn(node, 0));
      else yield* this.#rootTurn(node, 0);
    }
  }

  *#rootTurn(node: Node, depth: number): Steps {
    while (!node.cut && this.#world.choose(3) === 2) yield [];
    if (!node.cut) yield [{ type: 'turn_started', turn: node.id, owner: node.owner, parent: null }];
    yield* this.#turn(node, depth);
  }

  *#turn(node: Node, depth: number): Steps {
    const calls: Node[] = [];
    let failed = false;
    const inputs: Node[] = [];
    for (let index = 0; !node.cut && !failed; index++) {
      yield consumeInputs(this.#world, node, index, inputs);
      if (depth === 0 && this.#world.choose(5) === 4) yield [enterInput(this.#world, node, inputs)];
      const text = yield* this.#streamText(node, index);
      failed = !node.cut && this.#world.choose(12) === 11;
      const outcome = failed ? 'failed' : node.cut ? 'cancelled' : 'completed';
      yield [
        { type: 'model_ended', turn: node.id, index, outcome, text, cutOff: outcome !== 'completed', usage: exact },
      ];
      const count = failed ? 0 : this.#world.choose(index > 2 ? 1 : 4);
      if (count === 0) break;
      const round = Array.from({ length: count }, () => this.#createCall(node, depth));
      yield round.flatMap((one) => this.#dispatchFacts(node, one, index));
      if (node.cut) {
        yield this.#rejectRound(node, node.cut, round);
        break;
      }
      for (const one of round) {
        this.#world.add(one.call);
        calls.push(one.call);
        this.#tasks.push(this.#work(node, one, depth));
      }
      while (calls.some((call) => isAwaited(node, call))) yield [];
    }
    while (calls.some((call) => isAwaited(node, call))) yield [];
    yield this.#closeTurn(node, calls, failed);
    for (const input of inputs.filter(({ settled }) => !settled)) {
      yield [];
      if (!input.settled) yield this.#openInput(node, input);
    }
  }

  // -- inputs

  #openInput(turn: Node, { id, owner }: Node): readonly Fact[] {
    this.#tasks.push(this.#rootTurn(this.#world.enter(id, owner, null), 0));
    return [
      { type: 'input_settled', input: id, turn: turn.id, owner, fate: 'queued' },
      { type: 'turn_opened', turn: id, kind: 'say', owner, lane: owner, text: 'and c', ref: null },
    ];
  }

  *#streamText(node: Node, index: number): Generator<readonly Fact[], string, void> {
    yield [{ type: 'model_started', turn: node.id, index }];
    let text = '';
    while (!node.cut && this.#world.choose(4) > 0) {
      const piece = this.#world.pick(pieces);
      const offset = text.length;
      text += piece;
      yield this.#world.choose(2) ? [{ type: 'text_checkpoint', turn: node.id, index, offset, text: piece }] : [];
    }
    return text;
  }

  /** A call is spared until its turn has settled: from then on its result is late. */
  #closeTurn(node: Node, calls: readonly Node[], failed: boolean): readonly Fact[] {
    const spared = calls.filter((call) => !call.settled);
    const outcome = node.cut ? outcomeFor(node.cut) : failed ? 'failed' : 'completed';
    this.#world.settle(node, outcome, 'unknown');
    const results = spared.map(
      ({ id }): Fact => ({
        type: 'tool_result',
        turn: node.id,
        node: id,
        outcome: 'continues',
        effect: 'unknown',
      }),
    );
    return [...results, { type: 'turn_ended', turn: node.id, outcome, effect: 'unknown', usage: exact }];
  }

  // -- rounds

  #createCall(turn: Node, depth: number): Dispatched {
    const isAgent = depth < maxDepth && this.#world.choose(3) === 2;
    const owner = this.#world.choose(3) === 2 ? this.#world.pick(speakers) : turn.owner;
    const id = this.#world.createId(isAgent ? 'agent' : 'call');
    const call: Node = { id, owner, parent: turn.id, cut: null, settled: false };
    return { call, isAgent, started: !turn.cut && (isAgent || this.#world.choose(2) === 1) };
  }

  #dispatchFacts(turn: Node, { call, isAgent, started }: Dispatched, index: number): readonly Fact[] {
    const kind = isAgent ? 'sub-agent' : 'tool-call';
    const content = { name: this.#world.pick(names), arguments: this.#world.pick(argumentTexts), callId: 'call_0' };
    const made: Fact = { type: 'tool_call', turn: turn.id, node: call.id, kind, ...content, owner: call.owner, index };
    return started ? [made, { type: 'tool_started', turn: turn.id, node: call.id }] : [made];
  }

  /** The calls of a model that was stopped are written, and do not run. */
  #rejectRound(turn: Node, cause: Cause, round: readonly Dispatched[]): readonly Fact[] {
    return round.map(({ call }): Fact => {
      this.#world.settle(this.#world.enter(call.id, call.owner, turn.id), outcomeFor(cause), 'not_started');
      const end = { outcome: outcomeFor(cause), effect: 'not_started' } as const;
      return { type: 'tool_result', turn: turn.id, node: call.id, ...end };
    });
  }

  #work(turn: Node, { call, isAgent, started }: Dispatched, depth: number): Steps {
    const settle: SettleCall = (result) => {
      const isLate = turn.settled;
      const { outcome, effect } = result;
      this.#world.settle(call, outcome, effect);
      return isLate
        ? [{ type: 'late_result', node: call.id, outcome, effect }]
        : [{ type: 'tool_result', turn: turn.id, node: call.id, ...result }];
    };
    return isAgent ? this.#agent(call, turn, depth, settle) : this.#tool(call, turn, started, settle);
  }

  // -- calls

  *#tool(call: Node, turn: Node, startedAtOnce: boolean, settle: SettleCall): Steps {
    let started = startedAtOnce;
    while (!started && !call.cut && this.#world.choose(2) === 1) yield [];
    if (!started && !call.cut) {
      started = true;
      yield [{ type: 'tool_started', turn: turn.id, node: call.id }];
    }
    while (!call.cut && this.#world.choose(8) > 0) yield [];
    const output = this.#world.pick(['', 'some output', '\udc00 half']);
    if (!started) yield settle({ outcome: call.cut ? outcomeFor(call.cut) : 'failed', effect: 'not_started' });
    else if (call.cut) yield* this.#stopTool(call, call.cut, output, settle);
    else yield settle({ outcome: this.#world.pick(['completed', 'failed', 'denied']), effect: 'none', output });
  }

  *#stopTool(call: Node, cut: Cause, output: string, settle: SettleCall): Steps {
    switch (this.#world.pick(['stopped', 'completed', 'abandoned'] as const)) {
      case 'completed':
        yield settle({ outcome: 'completed', effect: 'done', output });
        break;
      case 'stopped':
        yield settle({ outcome: outcomeFor(cut), effect: 'unknown', output, forced: true });
        break;
      case 'abandoned':
        yield settle({ outcome: 'abandoned', effect: 'unknown' });
        while (this.#world.choose(3) > 0) yield [];
        yield [{ type: 'abandoned_ended', node: call.id }];
    }
  }

  *#agent(call: Node, parent: Node, depth: number, settle: SettleCall): Steps {
    if (this.#world.choose(6) === 5) return yield this.#detach(call, parent, depth, settle);
    const child = this.#world.enter(this.#world.createId('turn'), call.owner, call.id);
    child.cut = call.cut;
    if (!child.cut) {
      const task = { text: 'a task', agent: 'scout' };
      yield [{ type: 'turn_started', turn: child.id, owner: call.owner, parent: call.id, ...task }];
      yield* this.#turn(child, depth + 1);
    }
    const settled = this.#world.settlementOf(child.id);
    const outcome = settled?.outcome ?? (child.cut ? outcomeFor(child.cut) : 'completed');
    this.#world.settle(child, outcome, 'unknown');
    yield settle({ outcome, effect: 'unknown', output: 'a report' });
  }

  #detach(call: Node, parent: Node, depth: number, settle: SettleCall): readonly Fact[] {
    const background = this.#world.enter(this.#world.createId('turn'), call.owner, null);
    const { id: turn, owner } = background;
    this.#tasks.push(this.#rootTurn(background, depth + 1));
    const origin = { ref: null, from: parent.id, agent: 'scout' };
    return [
      { type: 'turn_opened', turn, kind: 'agent', owner, lane: turn, text: 'look', ...origin },
      ...settle({ outcome: 'completed', effect: 'done', output: 'started in the background' }),
    ];
  }

  // -- cancels

  *#cancel(): Steps {
    for (let i = this.#world.choose(24); i > 0; i--) yield [];
    const open = this.#world.unsettled();
    if (open.length === 0) return;
    const cause = this.#createCause(open);
    const { by, target } = cause;
    const planned = open.filter((node) => target === 'session' || this.#world.isBelow(node, target));
    const may = (node: Node) => by === 'moderator' || node.owner === by || node.cut !== null;
    const stopping = planned.filter(may);
    if (stopping.length === 0) return;
    for (const node of stopping) node.cut ??= cause;
    const cancel = this.#world.createId('cancel');
    const refused = planned.filter((node) => !may(node)).map(({ id }) => ({ node: id, reason: 'not_owner' }));
    const plan = { stopping: stopping.map(({ id }) => id), pending: [], refused, detached: [] };
    yield [
      { type: 'cancel_accepted', cancel, ref: null, ...cause, force: false, ...plan },
      ...cancelInputs(this.#world, stopping),
    ];
    while (stopping.some((node) => !node.settled)) yield [];
    const nodes = stopping.map((node): SettledNode => {
      const { outcome, effect } = this.#world.settlementOf(node.id) ?? { outcome: 'failed', effect: 'unknown' };
      return { node: node.id, kind: kindOf(node), outcome, effect, ms: 1 };
    });
    yield [{ type: 'cancel_settled', cancel, ref: null, cause, nodes }];
  }

  #createCause(open: readonly Node[]): Cause {
    const busy = open.filter((node) => open.some(({ parent }) => parent === node.id));
    const node = this.#world.pick(busy.length > 0 && this.#world.choose(3) > 0 ? busy : open);
    const target = this.#world.choose(6) === 5 ? 'session' : node.id;
    const by = this.#world.choose(3) === 2 ? this.#world.pick([...speakers, 'moderator']) : node.owner;
    return { source: this.#world.pick(sources), by, reason: this.#world.choose(2) ? 'changed my mind' : null, target };
  }
}

/** Returns the log of one life of a process: it ends in good order, or is broken off after `maxSteps`. No id of it comes in another `life`. */
export function plausibleLog(numbers: readonly number[], life = 'a'): RecordedFact[] {
  return new Simulation(numbers, life).run();
}

export const numbers = fc.array(fc.nat(60_000), { maxLength: 500, size: 'max' });
/** Logs that may break off anywhere: nothing says that the process ended well. */
export const plausibleLogs: fc.Arbitrary<RecordedFact[]> = numbers.map((list) => plausibleLog(list));
