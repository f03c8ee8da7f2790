// A host of the simulated world: one process with the shipped runtime and gateway. A crash ends it; another one starts over the same log.
import { createScriptedProvider, type Script } from '../../../src/adapters/models/scripted.ts';
import type { Log, LogBody } from '../../../src/core/contracts/log.ts';
import type { ModelRequest, Provider } from '../../../src/core/contracts/provider.ts';
import type { NodeEntry } from '../../../src/core/live/node-entry.ts';
import type { RuntimeConfig } from '../../../src/core/runtime/config.ts';
import { createLocalRuntime, type LocalRuntime } from '../../../src/core/runtime/runtime.ts';
import type { Sources } from '../../../src/core/sources/sources.ts';
import { SpokenRooms } from '../../../src/embed/spoken-rooms.ts';
import type { Authenticator } from '../../../src/gateway/auth/authenticator.ts';
import { createGateway, type Gateway } from '../../../src/gateway/gateway.ts';
import type { Coverage } from '../coverage/coverage.ts';
import type { CallEvidence, CommandEvidence, Growing, RequestEvidence, SpeechEvidence } from '../laws/evidence.ts';
import { extensionsOf, simulateOutsideAgents } from './embedder.ts';
import { reportLate } from './late-provider.ts';
import type { Scenario } from './scenario.ts';
import type { Scheduler } from './scheduler.ts';
import { type FateOfRequests, SimulatedLog } from './simulated-log.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { SimulatedSpeechModel } from './simulated-speech-model.ts';
import '../../../src/core/runtime/sound-relay.ts'; // the runtime loads it with its first use: then a file is read
import { simulatedAgentTool, worldTools } from './world-tools.ts';

/** What is recorded of what the hosts of a run do. */
export interface HostRecords {
  readonly calls: Growing<CallEvidence>[];
  readonly requests: RequestEvidence[];
  readonly speech: SpeechEvidence;
  /** When each acceptance was given to the store. */
  readonly acceptedAt: Map<string, number>;
  readonly reports: string[];
  /** The commands by doors of their own. */
  readonly commands: CommandEvidence[];
  /** The log of the session before it was deleted. */
  readonly deleted: LogBody[];
}

/** What all hosts of a run are made of: everything that outlives them. */
export interface HostParts {
  readonly scenario: Scenario;
  readonly scheduler: Scheduler;
  readonly stored: Log;
  /** Ids and random numbers that never repeat. */
  readonly sources: Pick<Sources, 'ids' | 'random'>;
  readonly authenticator: Authenticator;
  readonly commitMs: number;
  /** The longest that the work of tools and the model is late, in virtual milliseconds. */
  readonly workMs: number;
  readonly records: HostRecords;
  readonly coverage: Coverage;
  /** The number of the next moment. */
  moment(): number;
  respond(request: ModelRequest): Script;
}

/** A lost connection counts as gone before its client has made another one. */
export const disconnectGraceMs = 50;
/** A lease follows the time of the machine: no run takes so long that it is renewed. */
const longLeaseMs = 86_400_000;
/** The name of the host over its restarts: the next one ends the lease of the one that has died. */
const hostName = 'prove';

const asking = ['approval_requested', 'question_asked'];
const answered = ['approval_closed', 'question_closed'];

export class SimulatedHost {
  readonly #parts: HostParts;
  readonly #process: SimulatedProcess;
  readonly #log: SimulatedLog;
  /** Questions that are open, as far as this host has written of them. */
  #questions = 0;
  #opened: { readonly runtime: LocalRuntime; readonly gateway: Gateway } | null = null;
  #closeSpeech: () => void = () => {};

  constructor(parts: HostParts) {
    const { scheduler, stored: log, commitMs: withinMs, records, moment } = parts;
    this.#parts = parts;
    this.#process = new SimulatedProcess(scheduler);
    const onAppend = (bodies: readonly LogBody[]) => {
      for (const body of bodies) {
        if (body.type === 'cancel_accepted' && 'cancel' in body) records.acceptedAt.set(String(body.cancel), moment());
        if (asking.includes(body.type)) this.#questions++;
        if (answered.includes(body.type)) this.#questions--;
      }
    };
    const onDelete = async (session: string) => {
      for (const { body } of await log.read(session, 0)) records.deleted.push(body);
    };
    this.#log = new SimulatedLog({ log, scheduler, process: this.#process, withinMs, onAppend, onDelete });
  }

  /** The runtime; null before it has recovered the sessions of the host before it. */
  get runtime(): LocalRuntime | null {
    return this.#opened?.runtime ?? null;
  }

  /** The gateway; null as long as nobody listens. */
  get gateway(): Gateway | null {
    return this.#opened?.gateway ?? null;
  }

  get hasOpenQuestion(): boolean {
    return this.#questions > 0;
  }

  /** Requests to the store that are not applied. */
  get waitingRequests(): number {
    return this.#log.waiting;
  }

  /** The live nodes. */
  entries(): readonly NodeEntry[] {
    return this.#parts.coverage.entries();
  }

  /** Resolves when it listens; never, if it dies before. */
  async open(): Promise<void> {
    const process = this.#process;
    const { sources, authenticator, scenario, workMs, records, coverage, moment } = this.#parts;
    const { calls, reports } = records;
    const { clock } = process;
    const report = (text: string) => {
      if (!process.isDead) reports.push(text);
    };
    const toolsOptions = { process, jitterMs: workMs, moment, calls, report };
    const warn = (message: string, error?: unknown) => report(`${message} ${String(error ?? '')}`);
    const speech = this.#openSpeech(report, warn);
    const config: RuntimeConfig = {
      host: hostName,
      sources: { ...sources, clock },
      log: this.#log.log,
      provider: this.#makeProvider(),
      acknowledge: 'off',
      tools: worldTools(toolsOptions),
      agents: scenario.agents ?? {},
      outsideAgents: simulateOutsideAgents(simulatedAgentTool(toolsOptions)),
      ...extensionsOf(scenario, process.workClock('embedder', workMs)),
      session: () => ({ policy: 'owner', access: 'open', ...scenario.session }),
      limits: { disconnectGraceMs, leaseMs: longLeaseMs, ...scenario.limits },
      inspector: coverage,
      warn,
    };
    const runtime = await createLocalRuntime(speech?.configure(config) ?? config);
    speech?.serve(runtime);
    const gateway = createGateway({
      runtime,
      sources: { clock, ids: sources.ids },
      inspector: coverage.connections,
      authenticator,
      report: (error) => report(String(error instanceof Error ? error.stack : error)),
    });
    if (!process.isDead) this.#opened = { runtime, gateway };
  }

  #makeProvider(): Provider {
    const clock = this.#process.workClock('model', this.#parts.workMs);
    return reportLate(createScriptedProvider({ clock, respond: this.#respond }));
  }

  readonly #respond = (request: ModelRequest): Script => {
    const { records, moment, respond } = this.#parts;
    if (this.#process.isDead) return { steps: [{ hang: true }] };
    records.requests.push({ at: moment(), messages: request.messages });
    return respond(request);
  };

  /** Returns the rooms of a scenario whose model speaks; null: it writes. */
  #openSpeech(report: (text: string) => void, warn: (message: string, error?: unknown) => void): SpokenRooms | null {
    const { scenario, scheduler, sources, workMs, records, coverage, moment } = this.#parts;
    const process = this.#process;
    if (!scenario.speechModel) return null;
    const model = new SimulatedSpeechModel({
      process,
      jitterMs: workMs,
      plan: scenario.speechModel,
      evidence: records.speech,
      random: sources.random,
      stamp: () => ({ at: moment(), ms: scheduler.now }),
      report,
      respond: this.#respond,
      inspect: (...seen) => {
        if (!process.isDead) coverage.followResponse(...seen);
      },
    });
    const rooms = new SpokenRooms(model, { clock: process.clock, warn });
    this.#closeSpeech = () => {
      rooms.close();
      model.close();
    };
    return rooms;
  }

  /** Closes what is open for speech, when the runtime is closed. */
  closeSpeech(): void {
    this.#closeSpeech();
  }

  /** The process dies at once. */
  crash(fate: FateOfRequests): void {
    this.#process.die();
    this.#log.onDeath(fate);
    this.#opened = null;
    const diedAt = this.#parts.moment();
    const { calls, speech } = this.#parts.records;
    for (const connection of speech.connections) connection.overAt ??= { at: diedAt, ms: this.#parts.scheduler.now };
    for (const call of calls) if (call.endedAt === null) call.diedAt ??= diedAt;
  }
}
