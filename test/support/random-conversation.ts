// Plays random conversations with a whole runtime: trees of calls, speakers, cancels at random times, machines that throw, a process that dies.
import type { RecordedFact } from '../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { LiveTree } from '../../src/live/tree.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import type { Script } from '../../src/model/scripted.ts';
import { seededRandom } from '../../src/sources/virtual.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { callerOf, type Harness, startHarness } from './harness.ts';

interface CallPlan {
  readonly name: string;
  readonly input: { readonly [field: string]: unknown };
}

/** The calls of the model in each round of a turn. */
interface TurnPlan {
  readonly rounds: readonly (readonly CallPlan[])[];
  readonly ignoresSignals: boolean;
}

export interface Life {
  readonly facts: readonly RecordedFact[];
  /** The nodes that were cut, each with the time and whether its tool had been called. */
  readonly cuts: ReadonlyMap<NodeId, { readonly at: number; readonly ran: boolean }>;
  readonly ran: ReadonlyMap<NodeId, number>;
  readonly requests: readonly { readonly at: number; readonly messages: ModelRequest['messages'] }[];
  readonly left: readonly string[];
}

export interface ConversationRecord {
  readonly seed: number;
  readonly lives: readonly Life[];
  /** The whole log after the last process. */
  readonly log: readonly RecordedFact[];
  readonly answers: readonly string[];
  readonly poisoned: boolean;
  readonly killed: boolean;
}

export interface Seams {
  /** Every live tree that was made. */
  readonly trees: LiveTree[];
}

const members = [callerOf('alice'), callerOf('bob'), callerOf('carol', ['moderator'])] as const;
const speakers = ['alice', 'bob'] as const;
const silent = { joined() {}, fact() {}, text() {}, output() {}, progress() {}, accepted() {}, ended() {} };

/** An action and its time, in milliseconds from the start. */
interface Moment {
  readonly at: number;
  readonly act: () => void;
}

/** Random choices, the same for the same seed. */
class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  int(n: number): number {
    return Math.floor(this.#random() * n);
  }

  maybe(p: number): boolean {
    return this.#random() < p;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }
}

/** The plans of the turns, and the model that follows them. */
class Model {
  readonly #dice: Dice;
  readonly #plans = new Map<string, TurnPlan>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Plans a turn with everything below it. Returns the text that starts it. */
  planTurn(depth: number): string {
    const dice = this.#dice;
    const id = `plan-${this.#plans.size}.`;
    this.#plans.set(id, { rounds: [], ignoresSignals: false });
    const calls = () => Array.from({ length: dice.int(4) }, () => this.#planCall(depth));
    this.#plans.set(id, { rounds: dice.maybe(0.25) ? [calls(), calls()] : [calls()], ignoresSignals: dice.maybe(0.3) });
    return id;
  }

  #planCall(depth: number): CallPlan {
    const dice = this.#dice;
    const of = dice.maybe(0.25) ? { of: dice.pick(speakers) } : {};
    if (depth < 3 && dice.maybe(0.3)) {
      return { name: 'spawn_agent', input: { task: this.planTurn(depth + 1), detached: dice.maybe(0.3), ...of } };
    }
    const name = dice.pick([
      'wait',
      'wait',
      'wait',
      'ignores_signal',
      'keyed',
      'ignores_signal_keyed',
      'note',
      'nonsense',
    ]);
    return { name, input: { ms: dice.int(3_000), unwind: dice.int(900), ...of } };
  }

  respond({ messages }: ModelRequest): Script {
    const dice = this.#dice;
    const words = messages.findLastIndex(({ role, content }) => role === 'user' && /plan-\d+\./.test(content));
    const id = /plan-\d+\./.exec(messages[words]?.content ?? '')?.[0] ?? '';
    const round = messages.slice(words).filter((message) => message.role === 'assistant').length;
    const { rounds = [], ignoresSignals = false } = this.#plans.get(id) ?? {};
    const calls = (rounds[round] ?? []).map((call, i) => ({
      call: { callId: `p${i}`, name: call.name, arguments: JSON.stringify(call.input) },
    }));
    return {
      steps: [{ waitMs: 1 + dice.int(60) }, { text: `${id}${round} ` }, ...calls, { waitMs: dice.int(60) }],
      ignoresSignal: ignoresSignals && dice.maybe(0.3),
    };
  }
}

/** A simulated process: a runtime that records cuts, calls of tools and requests. */
class SimulatedProcess {
  readonly harness: Harness;
  readonly tree: LiveTree;
  readonly #requests: Life['requests'][number][];
  readonly #cuts = new Map<NodeId, { at: number; ran: boolean }>();
  readonly #ran = new Map<NodeId, number>();

  constructor(harness: Harness, tree: LiveTree, requests: Life['requests'][number][]) {
    this.harness = harness;
    this.tree = tree;
    this.#requests = requests;
    const push = harness.entered.push.bind(harness.entered);
    harness.entered.push = (...ids) => {
      for (const id of ids) this.#ran.set(id, harness.clock.now());
      return push(...ids);
    };
    const cut = tree.cut.bind(tree);
    tree.cut = (stop) => {
      for (const id of stop.keys())
        if (!tree.get(id)?.cut) this.#cuts.set(id, { at: harness.clock.now(), ran: harness.entered.includes(id) });
      cut(stop);
    };
  }

  /** Starts the harness over a log. `life` counts the processes from 1. */
  static async open(model: Model, { trees }: Seams, life: number, log = createMemoryLog()): Promise<SimulatedProcess> {
    const requests: Life['requests'][number][] = [];
    const from = trees.length;
    const harness: Harness = await startHarness({
      log,
      life,
      respond: (request) => {
        requests.push({ at: harness.clock.now(), messages: request.messages });
        return model.respond(request);
      },
      agents: { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } },
      session: () => ({ policy: 'owner' as const }),
      ownerOfCall: (call) => (/"of":"(\w+)"/.exec(call.arguments)?.[1] ?? call.turnOwner) as SpeakerId,
    });
    const living = new SimulatedProcess(harness, trees[from] as LiveTree, requests);
    for (const member of members.slice(1)) await harness.session.join(member, silent, null);
    return living;
  }

  /** Returns the record of this process so far. */
  record(): Life {
    return {
      facts: [...this.harness.recorder.facts],
      cuts: this.#cuts,
      ran: new Map(this.#ran),
      requests: this.#requests,
      left: this.tree.entries().map(({ id }) => id),
    };
  }
}

/** A conversation: its actions with their times. */
class Conversation {
  readonly answers: string[] = [];
  readonly moments: Moment[] = [];
  readonly #dice: Dice;
  readonly #model: Model;
  readonly #life: () => SimulatedProcess;

  constructor(dice: Dice, model: Model, life: () => SimulatedProcess) {
    this.#dice = dice;
    this.#model = model;
    this.#life = life;
  }

  say(at: number): void {
    const member = this.#dice.pick(members.slice(0, 2));
    const text = this.#model.planTurn(0);
    this.moments.push({ at, act: () => void this.#life().harness.session.say(member, { text }) });
  }

  cancel(at: number): void {
    const member = this.#dice.pick([members[0], members[1], members[0], members[1], members[2]]);
    const force = this.#dice.maybe(0.1);
    this.moments.push({
      at,
      act: () => {
        const reply = this.#life().harness.session.cancel(member, { target: this.#target(), force });
        void reply.then(({ type }) => this.answers.push(type));
      },
    });
  }

  /** Sends a machine an event that makes it throw. */
  poison(at: number): void {
    this.moments.push({
      at,
      act: () => {
        const victims = this.#life()
          .tree.entries()
          .filter(({ actor }) => actor !== null);
        if (victims.length > 0) this.#dice.pick(victims).actor?.send({ type: 'CANCEL' }); // a guard reads the plan, which this event does not have
      },
    });
  }

  #target(): string {
    const live = this.#life()
      .tree.entries()
      .map(({ id }) => id);
    if (this.#dice.maybe(0.12)) return 'session';
    if (this.#dice.maybe(0.15)) return 'mine';
    if (this.#dice.maybe(0.05) || live.length === 0) return 'turn_nowhere';
    return this.#dice.pick(live);
  }
}

/** Copies the log of a killed process for the next one. */
async function logAfter(life: SimulatedProcess) {
  const events = await life.harness.log.read('s', 0);
  const log = createMemoryLog();
  const epoch = await log.claim('s', 0, 'the dead');
  const bodies = events.map(({ body }) => body);
  if (bodies.length > 0) await log.append('s', epoch, 0, bodies);
  return log;
}

/** Plays one random conversation to its end, in virtual time. */
export async function playConversation(seed: number, seams: Seams): Promise<ConversationRecord> {
  const dice = new Dice(seed);
  const model = new Model(dice);
  const lives: Life[] = [];
  let life = await SimulatedProcess.open(model, seams, 1);
  const conversation = new Conversation(dice, model, () => life);
  for (let i = 0; i < 1 + dice.int(4); i++) conversation.say(dice.int(dice.maybe(0.5) ? 100 : 3_000));
  for (let i = 0; i < 1 + dice.int(5); i++) conversation.cancel(dice.int(3_500));
  const poisoned = dice.maybe(0.2);
  if (poisoned) conversation.poison(dice.int(2_500));
  const moments = conversation.moments.toSorted((a, b) => a.at - b.at);
  const killAt = dice.maybe(0.25) ? dice.int(3_500) : null;

  let passed = 0;
  for (const { at, act } of moments) {
    if (killAt !== null && lives.length === 0 && at >= killAt) {
      await life.harness.clock.advance(killAt - passed);
      passed = killAt;
      const log = await logAfter(life);
      lives.push(life.record());
      life = await SimulatedProcess.open(model, seams, 2, log);
    }
    await life.harness.clock.advance(at - passed);
    passed = at;
    act();
  }
  await life.harness.clock.advance(30_000);
  lives.push(life.record());
  const log = (await life.harness.log.read('s', 0)).map(({ body }) => body as RecordedFact);
  return { seed, lives, log, answers: conversation.answers, poisoned, killed: lives.length > 1 };
}
