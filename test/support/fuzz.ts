// Random conversations for the whole runtime: trees of calls, speakers, cancels at random moments, machines that throw, a process that dies.
import type { Recorded } from '../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { LiveTree } from '../../src/live/tree.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import type { Script } from '../../src/model/scripted.ts';
import { seededRandom } from '../../src/sources/virtual.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { createWorld, memberOf, type World } from './world.ts';

interface CallPlan {
  readonly name: string;
  readonly input: { readonly [field: string]: unknown };
}

/** What the model does in a turn: the calls of each round. */
interface TurnPlan {
  readonly rounds: readonly (readonly CallPlan[])[];
  readonly hasty: boolean;
}

export interface Life {
  readonly facts: readonly Recorded[];
  /** Nodes that were cut, in order, and how many facts the log had by then. */
  readonly cuts: ReadonlyMap<NodeId, { readonly at: number; readonly ran: boolean }>;
  readonly ran: ReadonlyMap<NodeId, number>;
  readonly requests: readonly { readonly at: number; readonly messages: ModelRequest['messages'] }[];
  readonly left: readonly string[];
}

export interface Trial {
  readonly seed: number;
  readonly lives: readonly Life[];
  /** Of the last life: all that was ever committed. */
  readonly log: readonly Recorded[];
  readonly answers: readonly string[];
  readonly poisoned: boolean;
  readonly killed: boolean;
}

export interface Seams {
  /** Every live tree that is made. */
  readonly trees: LiveTree[];
}

export async function play(seed: number, { trees }: Seams): Promise<Trial> {
  const chance = seededRandom(seed);
  const int = (n: number) => Math.floor(chance() * n);
  const maybe = (p: number) => chance() < p;
  const pick = <T>(list: readonly T[]): T => list[int(list.length)] as T;
  const members = [memberOf('alice'), memberOf('bob'), memberOf('carol', ['moderator'])] as const;
  const speakers = ['alice', 'bob'] as const;
  const plans = new Map<string, TurnPlan>();

  const planTurn = (depth: number): string => {
    const id = `plan-${plans.size}.`;
    plans.set(id, { rounds: [], hasty: false });
    const calls = () => Array.from({ length: int(4) }, () => planCall(depth));
    plans.set(id, { rounds: maybe(0.25) ? [calls(), calls()] : [calls()], hasty: maybe(0.3) });
    return id;
  };
  const planCall = (depth: number): CallPlan => {
    const of = maybe(0.25) ? { of: pick(speakers) } : {};
    if (depth < 3 && maybe(0.3)) {
      return { name: 'spawn_agent', input: { task: planTurn(depth + 1), detached: maybe(0.3), ...of } };
    }
    const name = pick(['wait', 'wait', 'wait', 'deaf', 'keyed', 'deafkeyed', 'note', 'nonsense']);
    return { name, input: { ms: int(3_000), unwind: int(900), ...of } };
  };
  const respond = ({ messages }: ModelRequest): Script => {
    requests.push({ at: world.clock.now(), messages });
    const asked = messages.findLastIndex(({ role, content }) => role === 'user' && /plan-\d+\./.test(content));
    const id = /plan-\d+\./.exec(messages[asked]?.content ?? '')?.[0] ?? '';
    const round = messages.slice(asked).filter((message) => message.role === 'assistant').length;
    const { rounds = [], hasty = false } = plans.get(id) ?? {};
    const calls = (rounds[round] ?? []).map((call, i) => ({
      call: { callId: `p${i}`, name: call.name, arguments: JSON.stringify(call.input) },
    }));
    return {
      steps: [{ waitMs: 1 + int(60) }, { text: `${id}${round} ` }, ...calls, { waitMs: int(60) }],
      ignoresSignal: hasty && maybe(0.3),
    };
  };

  const answers: string[] = [];
  const lives: Life[] = [];
  let requests: Life['requests'][number][] = [];
  let world = undefined as unknown as World; // the first life begins below
  let cuts = new Map<NodeId, { at: number; ran: boolean }>();
  const ranAt = new Map<NodeId, number>();
  const begin = async (log = createMemoryLog()) => {
    requests = [];
    cuts = new Map();
    ranAt.clear();
    const from = trees.length;
    world = await createWorld({
      log,
      life: lives.length + 1,
      respond,
      agents: { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } },
      session: () => ({ policy: 'owner' as const }),
      ownerOfCall: (call) => (/"of":"(\w+)"/.exec(call.arguments)?.[1] ?? call.turnOwner) as SpeakerId,
    });
    const push = world.ran.push.bind(world.ran);
    world.ran.push = (...ids) => {
      for (const id of ids) ranAt.set(id, world.clock.now());
      return push(...ids);
    };
    const tree = trees[from] as LiveTree;
    const cut = tree.cut.bind(tree);
    tree.cut = (stop) => {
      for (const id of stop.keys())
        if (!tree.get(id)?.cut) cuts.set(id, { at: world.clock.now(), ran: world.ran.includes(id) });
      cut(stop);
    };
    for (const member of members.slice(1)) {
      const deafEar = { joined() {}, fact() {}, text() {}, output() {}, progress() {}, accepted() {}, ended() {} };
      await world.session.join(member, deafEar, null);
    }
    return tree;
  };
  const lifeOf = (tree: LiveTree): Life => ({
    facts: [...world.heard.facts],
    cuts,
    ran: new Map(ranAt),
    requests,
    left: tree.entries().map(({ id }) => id),
  });

  let tree = await begin();
  const steps: { readonly at: number; readonly act: () => void }[] = [];
  const say = (at: number) => {
    const member = pick(members.slice(0, 2));
    const text = planTurn(0);
    steps.push({ at, act: () => void world.session.say(member, { text }) });
  };
  const target = () => {
    const live = tree.entries().map(({ id }) => id);
    if (maybe(0.12)) return 'session';
    if (maybe(0.15)) return 'mine';
    if (maybe(0.05) || live.length === 0) return 'turn_nowhere';
    return pick(live);
  };
  const cancel = (at: number) => {
    const member = pick([members[0], members[1], members[0], members[1], members[2]]);
    const force = maybe(0.1);
    steps.push({
      at,
      act: () => {
        const asked = world.session.cancel(member, { target: target(), force });
        void asked.then(({ type }) => answers.push(type));
      },
    });
  };
  for (let i = 0; i < 1 + int(4); i++) say(int(maybe(0.5) ? 100 : 3_000));
  for (let i = 0; i < 1 + int(5); i++) cancel(int(3_500));
  const poisoned = maybe(0.2);
  if (poisoned) {
    steps.push({
      at: int(2_500),
      act: () => {
        const victims = tree.entries().filter(({ actor }) => actor !== null);
        if (victims.length > 0) pick(victims).actor?.send({ type: 'CANCEL' }); // a guard reads the plan that this has not
      },
    });
  }
  steps.sort((a, b) => a.at - b.at);
  const killAt = maybe(0.25) ? int(3_500) : null;

  let passed = 0;
  for (const { at, act } of steps) {
    if (killAt !== null && lives.length === 0 && at >= killAt) {
      await world.clock.advance(killAt - passed);
      passed = killAt;
      const events = await world.log.read('s', 0);
      lives.push(lifeOf(tree));
      const log = createMemoryLog();
      const epoch = await log.claim('s', 0, 'the dead');
      if (events.length > 0)
        await log.append(
          's',
          epoch,
          0,
          events.map(({ body }) => body),
        );
      tree = await begin(log);
    }
    await world.clock.advance(at - passed);
    passed = at;
    act();
  }
  await world.clock.advance(30_000);
  lives.push(lifeOf(tree));
  const log = (await world.log.read('s', 0)).map(({ body }) => body as Recorded);
  return { seed, lives, log, answers, poisoned, killed: lives.length > 1 };
}
