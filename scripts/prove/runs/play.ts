// Plays one run: a scenario under a seed or under given choices, with its injections, to its end. The result is the evidence.
import type { RecordedFact } from '../../../machines/facts.ts';
import { seededRandom } from '../../../src/core/sources/virtual.ts';
import type { FactFrame } from '../../../src/wire/fact-frames.ts';
import type { Coverage, Place } from '../coverage/coverage.ts';
import type { RunEvidence } from '../laws/evidence.ts';
import { watchPlatform } from '../world/platform-guard.ts';
import { type Person, type Scenario, type ScenarioStage, scenarioPeople } from '../world/scenario.ts';
import { type Choices, Scheduler } from '../world/scheduler.ts';
import { answerMs } from '../world/simulated-speech-model.ts';
import {
  delays,
  moderators,
  openWorld,
  plainWords,
  type SimulatedWorld,
  session,
  type WorldClient,
} from '../world/world.ts';
import { longestCallShieldMs } from '../world/world-tools.ts';
import {
  drawInjection,
  type InjectedSource,
  type Injection,
  injectionsAt,
  type Moment,
  pairsOf,
  phaseOf,
  targetsAt,
  type VisitedPairs,
} from './injections.ts';
import { hangMs, Performer } from './performer.ts';
import { describeMoment } from './states.ts';

/** All that decides a run. */
export interface RunPlan {
  readonly scenario: Scenario;
  /** Decides how long commits take, and the choices where none are given. */
  readonly seed: number;
  /** The choices that are not 0. Left out: those of the seed. */
  readonly choices?: Choices | undefined;
  readonly injections: readonly Injection[];
  /** Draws more injections. */
  readonly draws?: readonly DrawPlan[] | undefined;
  /** Lists the injections of these sources that are possible at each step. */
  readonly survey?: readonly InjectedSource[] | undefined;
  /** Collects the states that the run goes through. */
  readonly states?: Set<string> | undefined;
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
  readonly sources: readonly InjectedSource[];
  readonly visited: VisitedPairs;
}

/** An injection that is possible, with the pairs that it would visit. */
export interface PossibleInjection {
  readonly injection: Injection;
  readonly pairs: readonly string[];
}

export interface Run {
  readonly evidence: RunEvidence;
  /** The injections that came: one whose step never was did not. */
  readonly injections: readonly Injection[];
  readonly choices: Choices;
  /** The first step that may have an injection: the steps before it open the world. */
  readonly firstStep: number;
  readonly steps: number;
  readonly digest: number;
  readonly coverage: Coverage;
  /** The machines before each step, with their phases: of a scenario that fills cells. */
  readonly placesAt: readonly (readonly Place[])[];
  /** The injections that are possible, if they were asked for. */
  readonly possible: readonly PossibleInjection[];
  /** The slowest receipt, in virtual milliseconds. */
  readonly slowestMs: number;
}

const defaultBounds: RunBounds = { maxSteps: 6_000, maxVirtualMs: 60_000, quietMs: 2_500 };
/** The longest times of a commit, of which the seed picks one: below and above the wait of an acceptance (250 ms). */
const commitTimes = [4, 30, 400];
/** Appends between the plan of a CANCEL and its receipt, one after the other, with those before them. */
const appendsOfStop = 8;
const stopBudgetMs = 1_500 + 250;

/** An image in GIF. */
const onePixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64');
const spread = 0x9e37;

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
  readonly #possible: PossibleInjection[] = [];
  readonly #placesAt: (readonly Place[])[] = [];
  readonly #drawn = new Set<DrawPlan>();
  /** Ends the waits of a scenario that is not finished. */
  readonly #waits = new DisposableStack();
  readonly #performed = new Set<Injection>();
  readonly #holds: { readonly from: number; readonly to: number }[] = [];

  constructor(plan: RunPlan) {
    const { seed, choices, draws = [] } = plan;
    this.#plan = plan;
    this.#commitMs = commitMsOf(seed);
    this.#scheduler = new Scheduler(choices ? { seed: null, choices } : { seed });
    this.#injections = [...plan.injections];
    this.#random = seededRandom((draws[0]?.step ?? 0) * spread + seed);
  }

  async play(): Promise<Run> {
    const { scenario } = this.#plan;
    const world = await openWorld(scenario, this.#scheduler, this.#commitMs);
    const firstStep = this.#scheduler.step;
    const performer = new Performer(world, this.#scheduler);
    const isOver = await this.#runToQuiet(world, performer, scenario.play(this.#stageOf(world)));
    this.#waits.dispose();
    const before = this.#scheduler.step;
    const outcomeAfterCrash = isOver ? await this.#askAfterCrash(world, performer) : null;
    const { isShutDown, hasShutDown } = performer;
    const sent = scenarioPeople.flatMap((person) => world.clients[person].sent.map((one) => ({ ...one })));
    const logged = (await world.readLog()).length;
    const hasJoined = ({ session: own }: WorldClient) => own.state === 'joined' && !isShutDown;
    const joined = new Set(scenarioPeople.filter((person) => hasJoined(world.clients[person])));
    const left = isOver ? [...leftAfterWork(world), ...(await this.#close(world, performer))] : [];
    const log = (await world.readLog()) as readonly RecordedFact[]; // of this session
    const { deleted, ...records } = world.records;
    const hasSecondLife = await world.hasSecondLife();
    const evidence: RunEvidence = {
      ...records,
      log,
      wasDeleted: deleted.length > 0,
      clients: scenarioPeople.map((person) => {
        const { emitted, connections } = hasSecondLife ? { emitted: [], connections: [] } : world.clients[person];
        const isJoined = joined.has(person);
        return {
          person,
          after: 0,
          isJoined,
          hasSentBadFrames: world.clients[person].hasSentBadFrames,
          isComplete: isJoined && !hasSecondLife && logged === log.length,
          emitted,
          connections,
        };
      }),
      answerMs,
      policy: scenario.session?.policy ?? 'owner',
      turnTokens: scenario.limits?.turnTokens ?? 0,
      crashes: world.crashes,
      holds: this.#holds,
      sent: hasSecondLife ? [] : sent,
      outcomeAfterCrash,
      moderators,
      budgetMs: stopBudgetMs + appendsOfStop * (this.#commitMs + 2) + 4 * delays.work,
      shieldMs: shieldMsOf(scenario),
      isOver,
      isShutDown,
      hasShutDown,
      left,
      resources: [],
    };
    const { made: choices, digest } = this.#scheduler;
    return {
      evidence,
      injections: [...this.#performed],
      choices,
      firstStep,
      steps: before,
      digest,
      coverage: world.coverage,
      placesAt: this.#placesAt,
      possible: this.#possible,
      slowestMs: slowestOf(log),
    };
  }

  /** Takes steps until nothing lives but speech that nobody plays, nothing is in flight and `playing` has settled or waits in vain. */
  async #runToQuiet(world: SimulatedWorld, performer: Performer, playing: Promise<unknown>): Promise<boolean> {
    let isFinished = false;
    const finish = () => {
      isFinished = true;
    };
    void playing.then(finish, finish);
    let quietSince: number | null = null;
    const { bounds = defaultBounds, scenario } = this.#plan;
    while (this.#scheduler.step < bounds.maxSteps && this.#scheduler.now < bounds.maxVirtualMs) {
      if (scenario.fillsCells) this.#placesAt[this.#scheduler.step] = world.coverage.placesNow();
      else world.coverage.followNodes();
      const isQuiet =
        speechIn(world) === world.entries().length &&
        this.#scheduler.inFlight === 0 &&
        world.records.calls.every(({ endedAt, diedAt }) => endedAt !== null || diedAt !== null) &&
        !this.#scheduler.pending.some((lane) => lane.startsWith('model ')); // one that ignores its signal
      quietSince = isQuiet ? (quietSince ?? this.#scheduler.now) : null;
      if (quietSince !== null && isFinished && isConnected(world, performer)) return true;
      const around = this.#inject(world, performer);
      const until = quietSince === null ? Number.POSITIVE_INFINITY : quietSince + bounds.quietMs;
      if (!(await this.#scheduler.takeStep(until, around))) return quietSince !== null;
    }
    return false;
  }

  /** Says something after a crash. Resolves with the outcome of its turn; null: there was no crash, or the host has been shut down since. */
  async #askAfterCrash(world: SimulatedWorld, performer: Performer): Promise<string | null> {
    const asking = scenarioPeople.find((person) => world.clients[person].session.state === 'joined');
    if (world.crashes.length === 0 || performer.hasShutDown || !asking) return null;
    let outcome = 'none';
    const asked = world.clients[asking].session.say(plainWords).ended.then((ended) => {
      outcome = ended.outcome;
    });
    await this.#runToQuiet(world, performer, asked);
    return performer.hasShutDown ? null : outcome;
  }

  /** Performs the injections that come before this step. Returns a function that performs the step, with the other injections between its microtasks. */
  #inject(world: SimulatedWorld, performer: Performer): (act: () => void) => void {
    const { draws = [], survey, states } = this.#plan;
    const { step } = this.#scheduler;
    for (const draw of draws) if (draw.step === step && !this.#drawn.has(draw)) this.#draw(world, draw);
    if (survey) this.#survey(world, survey);
    states?.add(describeMoment(world, this.#scheduler));
    const due = this.#injections.filter((one) => one.step === step && !this.#performed.has(one));
    for (const injection of due) this.#performed.add(injection);
    const perform = (injection: Injection) => {
      const { now } = this.#scheduler;
      if (injection.source === 'hang') this.#holds.push({ from: now, to: now + hangMs });
      performer.perform(injection);
    };
    for (const injection of due) if (!injection.microtask) perform(injection);
    const later = due.filter(({ microtask }) => microtask);
    const bring = (half: number) => {
      for (const injection of later) {
        const { microtask = 0 } = injection;
        if (microtask % 2 === half) afterMicrotasks((microtask - half) / 2, () => perform(injection));
      }
    };
    return (act) => {
      bring(0);
      act();
      bring(1);
    };
  }

  #momentOf(world: SimulatedWorld): Moment {
    const entries = world.entries();
    const phases = new Set(entries.map(phaseOf));
    if (!world.runtime) phases.add('host starting');
    else if (phases.size === 0) phases.add('host idle');
    const targets = targetsAt(entries, world.clients.alice.lastSayRef);
    return { step: this.#scheduler.step, phases, targets, crashKinds: world.possibleCrashes };
  }

  #draw(world: SimulatedWorld, draw: DrawPlan): void {
    const { sources, microtask, visited } = draw;
    this.#drawn.add(draw);
    const drawn = drawInjection(this.#momentOf(world), { sources, visited, random: this.#random });
    this.#injections.push({ ...drawn, ...(microtask === undefined ? {} : { microtask }) });
  }

  #survey(world: SimulatedWorld, sources: readonly InjectedSource[]): void {
    const moment = this.#momentOf(world);
    for (const injection of injectionsAt(moment, sources))
      this.#possible.push({ injection, pairs: pairsOf(injection, moment) });
  }

  /** Closes clients, runtime and gateway. Returns what is left after that. */
  async #close(world: SimulatedWorld, performer: Performer): Promise<readonly string[]> {
    let isClosed = false;
    const all = async () => {
      await Promise.all(scenarioPeople.map((person) => world.clients[person].client.close()));
      await performer.shutDown();
      world.closeSpeech();
      await world.gateway?.close();
      isClosed = true;
    };
    void all();
    const until = this.#scheduler.now + defaultBounds.maxVirtualMs;
    while (!isClosed && this.#scheduler.now < until && (await this.#scheduler.takeStep()));
    if (!isClosed) return ['runtime, gateway and clients do not close'];
    return this.#scheduler.pending.map((lane) => `${lane}, after everything was closed`);
  }

  /** Starts a wait, and ends it when the scenario is over; starts none after that. `wait` returns the function that ends it. */
  #untilOver(wait: () => () => void): void {
    if (!this.#waits.disposed) this.#waits.defer(wait());
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
        this.#untilOver(() => alice.session.on(type, () => queueMicrotask(look))); // the record of `emitted` comes after this listener
        return promise;
      },
      pause: (ms) => new Promise((resolve) => this.#untilOver(() => clock.after(ms, resolve))),
      lose: (person) => world.clients[person].lose(),
      stepTimeOfDay: (ms) => this.#scheduler.stepTimeOfDay(ms),
      delayStore: (ms) => this.#scheduler.block('the store', ms),
      door: (id, roles) => world.openDoor(roles ? { id, roles } : world.speakerOf(id), `door of ${id}`),
      storeImage: async () => {
        const [blob = ''] = (await world.runtime?.storeBlobs(session, [onePixel])) ?? [];
        return { type: 'image', blob, mediaType: 'image/gif', bytes: onePixel.length };
      },
      deleteSession: async () => (await world.runtime?.deleteSession(session, null)) ?? false,
    };
  }
}

/** Whether every client has joined, or none can: a host was shut down. */
const isConnected = ({ clients }: SimulatedWorld, { hasShutDown }: Performer): boolean =>
  hasShutDown || scenarioPeople.every((person) => ['joined', 'ended'].includes(clients[person].session.state));

/** Calls `act` after this many rounds of the microtask queue. */
function afterMicrotasks(rounds: number, act: () => void): void {
  if (rounds === 0) act();
  else queueMicrotask(() => afterMicrotasks(rounds - 1, act));
}

/** The nodes of speech in the live tree: the bridge of a scenario need not play all of it. */
const speechIn = (world: SimulatedWorld): number => world.entries().filter(({ kind }) => kind === 'speech').length;

/** Returns the work that is left while runtime, gateway and clients are still open. */
function leftAfterWork(world: SimulatedWorld): readonly string[] {
  const { tree = 0, exclusiveKeys = 0 } = world.runtime?.sizes(session) ?? {};
  return [
    ...(tree > speechIn(world) ? [`${tree} live nodes`] : []),
    ...(exclusiveKeys > 0 ? [`${exclusiveKeys} exclusive keys`] : []),
    ...world.records.calls.flatMap(({ node, endedAt, diedAt }) =>
      endedAt === null && diedAt === null ? [`${node} still works`] : [],
    ),
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
