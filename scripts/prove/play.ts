// Plays one run: a scenario under a seed or under given choices, with its injections, to its end. The result is the evidence.
import type { RecordedFact } from '../../machines/facts.ts';
import type { CancelRequest } from '../../src/core/session/api.ts';
import { seededRandom } from '../../src/core/sources/virtual.ts';
import type { FactFrame } from '../../src/wire/fact-frames.ts';
import { openDoor } from './door.ts';
import type { CommandEvidence, RunEvidence } from './evidence.ts';
import {
  drawInjection,
  type Injection,
  injectionsAt,
  phaseOf,
  type Targets,
  targetsAt,
  type VisitedPairs,
} from './injections.ts';
import { watchPlatform } from './platform-guard.ts';
import { type Person, type Scenario, type ScenarioStage, scenarioPeople } from './scenario.ts';
import { type Choices, Scheduler } from './scheduler.ts';
import { delays, moderators, openWorld, type SimulatedWorld, session, type WorldClient } from './world.ts';
import { longestCallShieldMs } from './world-tools.ts';

/** All that decides a run. */
export interface RunPlan {
  readonly scenario: Scenario;
  /** Decides how long commits take, and the choices where none are given. */
  readonly seed: number;
  /** The choices that are not 0. Left out: those of the seed. */
  readonly choices?: Choices | undefined;
  readonly injections: readonly Injection[];
  /** Draws an injection at this step. */
  readonly draw?: DrawPlan | undefined;
  /** Lists the injections that are possible at each step. */
  readonly survey?: boolean | undefined;
  /** Where a run is ended that goes on. Left out: those of a scenario. */
  readonly bounds?: RunBounds | undefined;
}

export interface RunBounds {
  readonly maxSteps: number;
  readonly maxVirtualMs: number;
  /** How long a scenario that is not finished may still act after nothing lives any more. */
  readonly quietMs: number;
}

export interface DrawPlan {
  readonly step: number;
  readonly microtask?: number | undefined;
  readonly visited: VisitedPairs;
}

export interface Run {
  readonly evidence: RunEvidence;
  readonly injections: readonly Injection[];
  readonly choices: Choices;
  readonly steps: number;
  readonly digest: number;
  /** The injections that are possible, if they were asked for. */
  readonly possible: readonly Injection[];
  /** The slowest receipt, in virtual milliseconds. */
  readonly slowestMs: number;
}

const defaultBounds: RunBounds = { maxSteps: 6_000, maxVirtualMs: 60_000, quietMs: 2_500 };
/** The longest times of a commit, of which the seed picks one: below and above the wait of an acceptance (250 ms). */
const commitTimes = [4, 30, 400];
/** Appends between the plan of a CANCEL and its receipt, one after the other, with those in front of them. */
const appendsOfStop = 8;
const stopBudgetMs = 1_500 + 250;

const spread = 0x9e37;
/** How often a CANCEL by HTTP is sent, at one moment. */
const copies = 2;

/** The longest time of a commit in the runs of this seed. */
export const commitMsOf = (seed: number): number => commitTimes[seed % commitTimes.length] ?? 0;

export async function playRun(plan: RunPlan): Promise<Run> {
  const { result, resources } = await watchPlatform(() => new Player(plan).play());
  return { ...result, evidence: { ...result.evidence, resources } };
}

class Player {
  readonly #plan: RunPlan;
  readonly #scheduler: Scheduler;
  readonly #commitMs: number;
  readonly #injections: Injection[];
  readonly #random: () => number;
  readonly #copiedRefs: string[] = [];
  readonly #commands: CommandEvidence[] = [];
  readonly #possible: Injection[] = [];
  #closing: Promise<void> | null = null;

  constructor(plan: RunPlan) {
    const { seed, choices } = plan;
    this.#plan = plan;
    this.#commitMs = commitMsOf(seed);
    this.#scheduler = new Scheduler(choices ? { seed: null, choices } : { seed });
    this.#injections = [...plan.injections];
    this.#random = seededRandom((plan.draw?.step ?? 0) * spread + seed);
  }

  async play(): Promise<Run> {
    const { scenario } = this.#plan;
    const world = await openWorld(scenario, this.#scheduler, this.#commitMs);
    const isOver = await this.#runToQuiet(world);
    const isShutDown = this.#closing !== null;
    const before = this.#scheduler.step;
    const logged = (await world.readLog()).length;
    const isComplete = ({ session: joined }: WorldClient) => joined.state === 'joined' && !isShutDown;
    const complete = new Set(scenarioPeople.filter((person) => isComplete(world.clients[person])));
    const left = isOver ? [...leftAfterWork(world), ...(await this.#close(world))] : [];
    const log = (await world.readLog()) as readonly RecordedFact[]; // of this session
    const evidence: RunEvidence = {
      log,
      clients: scenarioPeople.map((person) => {
        const { emitted, connections } = world.clients[person];
        return { person, after: 0, isComplete: complete.has(person) && logged === log.length, emitted, connections };
      }),
      calls: world.calls,
      requests: world.requests,
      acceptedAt: world.acceptedAt,
      policy: scenario.session?.policy ?? 'owner',
      commands: this.#commands,
      turnTokens: scenario.limits?.turnTokens ?? 0,
      copiedRefs: this.#copiedRefs,
      moderators,
      budgetMs: stopBudgetMs + appendsOfStop * (this.#commitMs + 2) + 4 * delays.work,
      shieldMs: shieldMsOf(scenario),
      isOver,
      isShutDown,
      left,
      reports: world.reports,
      resources: [],
    };
    const { made: choices, digest } = this.#scheduler;
    return {
      evidence,
      injections: this.#injections,
      choices,
      steps: before,
      digest,
      possible: this.#possible,
      slowestMs: slowestOf(log),
    };
  }

  /** Takes steps until nothing lives, nothing is in flight and the scenario has ended or waits in vain. */
  async #runToQuiet(world: SimulatedWorld): Promise<boolean> {
    let isFinished = false;
    const finish = () => {
      isFinished = true;
    };
    void this.#plan.scenario.play(this.#stageOf(world)).then(finish, finish);
    let quietSince: number | null = null;
    const bounds = this.#plan.bounds ?? defaultBounds;
    while (this.#scheduler.step < bounds.maxSteps && this.#scheduler.now < bounds.maxVirtualMs) {
      const onActed = this.#inject(world);
      const isQuiet =
        world.entries().length === 0 &&
        this.#scheduler.inFlight === 0 &&
        world.calls.every(({ endedAt }) => endedAt !== null);
      quietSince = isQuiet ? (quietSince ?? this.#scheduler.now) : null;
      if (quietSince !== null && isFinished && this.#isConnected(world)) return true;
      const until = quietSince === null ? Number.POSITIVE_INFINITY : quietSince + bounds.quietMs;
      if (!(await this.#scheduler.takeStep(until, onActed))) return quietSince !== null;
    }
    return false;
  }

  /** Whether every client has joined, or the runtime is closing, and none can. */
  #isConnected({ clients }: SimulatedWorld): boolean {
    return this.#closing !== null || scenarioPeople.every((person) => clients[person].session.state === 'joined');
  }

  /** Performs what comes before this step. Returns what comes after it, between the microtasks. */
  #inject(world: SimulatedWorld): () => void {
    const { draw, injections, survey } = this.#plan;
    const { step } = this.#scheduler;
    const isDrawn = draw?.step === step && this.#injections.length === injections.length;
    if (draw && isDrawn) this.#injections.push({ ...this.#draw(world, draw), microtask: draw.microtask });
    if (survey) this.#possible.push(...injectionsAt(step, this.#targetsIn(world)));
    const due = this.#injections.filter((injection) => injection.step === step);
    const perform = (injection: Injection) => this.#perform(injection, world);
    const between = due.map((injection) => ({ injection, microtask: injection.microtask ?? -1 }));
    for (const { injection, microtask } of between) {
      if (microtask < 0) perform(injection);
      // of two in a row, the first comes before what the step puts into the same round of the queue, the second after it
      else if (microtask % 2 === 0) afterMicrotasks(microtask / 2, () => perform(injection));
    }
    return () => {
      for (const { injection, microtask } of between)
        if (microtask > 0 && microtask % 2 === 1) afterMicrotasks((microtask - 1) / 2, () => perform(injection));
    };
  }

  #targetsIn(world: SimulatedWorld): Targets {
    return targetsAt(world.entries(), world.clients.alice.lastSayRef);
  }

  #draw(world: SimulatedWorld, { step, visited }: DrawPlan): Injection {
    const phases = new Set(world.entries().map(phaseOf));
    return drawInjection({ step, phases, targets: this.#targetsIn(world), visited, random: this.#random });
  }

  #perform(injection: Injection, world: SimulatedWorld): void {
    const { alice, bob, carol } = world.clients;
    const { source, target } = injection;
    const acts = {
      owner: () => void alice.session.cancel(target),
      moderator: () => void carol.session.cancel(target),
      stranger: () => void bob.session.cancel(target),
      force: () => void alice.session.cancel(target, { force: true }),
      phrase: () => void alice.session.say('stop'),
    };
    // a frame is a step of its own: what comes between two microtasks goes to the runtime at once
    if (source in acts && injection.microtask === undefined) acts[source as keyof typeof acts]();
    else this.#performAtRuntime(injection, world);
  }

  #performAtRuntime({ source, target, step }: Injection, world: SimulatedWorld): void {
    const { runtime, clients } = world;
    const ignore = () => {}; // the runtime may be closing
    const callerOf = (person: Person) => ({
      speaker: { id: person, roles: [moderators.includes(person) ? ('moderator' as const) : ('member' as const)] },
      connection: clients[person].client.connection ?? person,
    });
    const cancel = (person: Person, request: Partial<CancelRequest> = {}) =>
      runtime.cancel(session, callerOf(person), { target, ...request }).catch(ignore);
    const acts = {
      owner: () => cancel('alice'),
      moderator: () => cancel('carol'),
      stranger: () => cancel('bob'),
      force: () => cancel('alice', { force: true }),
      phrase: () => runtime.say(session, callerOf('alice'), { text: 'stop' }).catch(ignore),
      http: () => {
        const ref = `http-${step}`;
        this.#copiedRefs.push(ref);
        for (let i = 0; i < copies; i++) void cancel('alice', { source: 'http', ref });
      },
      disconnect: () => clients.alice.lose(),
      shutdown: () => this.#shutDown(world),
    };
    void acts[source]();
  }

  #shutDown(world: SimulatedWorld): Promise<void> {
    this.#closing ??= world.runtime.close();
    return this.#closing;
  }

  /** Closes clients, runtime and gateway. Returns what is left after that. */
  async #close(world: SimulatedWorld): Promise<readonly string[]> {
    let isClosed = false;
    const all = async () => {
      await Promise.all(scenarioPeople.map((person) => world.clients[person].client.close()));
      await this.#shutDown(world);
      await world.gateway.close();
      isClosed = true;
    };
    void all();
    const until = this.#scheduler.now + defaultBounds.maxVirtualMs;
    while (!isClosed && this.#scheduler.now < until && (await this.#scheduler.takeStep()));
    if (!isClosed) return ['runtime, gateway and clients do not close'];
    return this.#scheduler.pending.map((lane) => `${lane}, after everything was closed`);
  }

  #stageOf(world: SimulatedWorld): ScenarioStage {
    const taken = new Map<string, number>();
    const { alice } = world.clients;
    const { clock } = this.#scheduler;
    return {
      ...(Object.fromEntries(scenarioPeople.map((person) => [person, world.clients[person].session])) as Record<
        Person,
        SimulatedWorld['clients']['alice']['session']
      >),
      next: (type) => {
        const at = taken.get(type) ?? 0;
        taken.set(type, at + 1);
        const found = () => alice.emitted.filter((frame) => frame.type === type)[at] as FactFrame | undefined;
        const { promise, resolve } = Promise.withResolvers<FactFrame>();
        const look = () => {
          const frame = found();
          if (frame) resolve(frame);
        };
        look();
        alice.session.on(type, () => queueMicrotask(look)); // the record of `emitted` comes after this listener
        return promise;
      },
      pause: (ms) => new Promise((resolve) => void clock.after(ms, resolve)),
      lose: (person) => world.clients[person].lose(),
      stepTimeOfDay: (ms) => this.#scheduler.stepTimeOfDay(ms),
      door: (id, roles = [moderators.includes(id) ? 'moderator' : 'member']) =>
        openDoor({
          runtime: world.runtime,
          session,
          speaker: { id, roles },
          now: () => clock.now(),
          readLog: () => world.readLog(),
          commands: this.#commands,
        }),
    };
  }
}

/** Calls `act` after this many rounds of the microtask queue. */
function afterMicrotasks(rounds: number, act: () => void): void {
  if (rounds === 0) act();
  else queueMicrotask(() => afterMicrotasks(rounds - 1, act));
}

/** What is left of the work while runtime, gateway and clients are still open. */
function leftAfterWork(world: SimulatedWorld): readonly string[] {
  const { tree = 0, exclusiveKeys = 0 } = world.runtime.sizes(session);
  return [
    ...(tree > 0 ? [`${tree} live nodes`] : []),
    ...(exclusiveKeys > 0 ? [`${exclusiveKeys} exclusive keys`] : []),
    ...world.calls.flatMap(({ node, endedAt }) => (endedAt === null ? [`${node} still works`] : [])),
  ];
}

/** The longest region that may defer a stop in the session. */
function shieldMsOf({ session: spec }: Scenario): number {
  const turnShieldMs = spec?.interruptible === false ? (spec.shieldMs ?? 0) : 0;
  return Math.max(turnShieldMs, longestCallShieldMs);
}

/** The slowest receipt of the log, in virtual milliseconds. */
function slowestOf(log: readonly RecordedFact[]): number {
  const accepted = new Map<string, number>();
  let slowest = 0;
  for (const fact of log) {
    if (fact.type === 'cancel_accepted') accepted.set(fact.cancel, fact.at);
    if (fact.type === 'cancel_settled') slowest = Math.max(slowest, fact.at - (accepted.get(fact.cancel) ?? fact.at));
  }
  return slowest;
}
