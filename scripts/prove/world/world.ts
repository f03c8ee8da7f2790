// The simulated world of one run: hosts with the shipped runtime and gateway, one after the other, over one log in memory, and the shipped client library.
import type { Speaker } from '../../../machines/vocabulary.ts';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { CancelReplyFrame } from '../../../src/client/cancel-in-flight.ts';
import { type ConnectingClient, createClient } from '../../../src/client/client.ts';
import type { ClientSession } from '../../../src/client/client-session.ts';
import type { Turn } from '../../../src/client/turn-in-flight.ts';
import type { LogBody } from '../../../src/core/contracts/log.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import type { NodeEntry } from '../../../src/core/live/node-entry.ts';
import type { LocalRuntime } from '../../../src/core/runtime/runtime.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import type { Authenticator } from '../../../src/gateway/auth/authenticator.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { Coverage } from '../coverage/coverage.ts';
import type { AwaitedCommand, CrashEvidence, Growing, ReceivedFrame } from '../laws/evidence.ts';
import { type CommandDoor, openDoor } from './door.ts';
import { type Person, type Scenario, sayText, scenarioPeople } from './scenario.ts';
import type { Scheduler } from './scheduler.ts';
import { type HostParts, type HostRecords, SimulatedHost } from './simulated-host.ts';
import { SimulatedSocket } from './simulated-socket.ts';

export const session = 's';
export const moderators: readonly Person[] = ['carol'];
/** The longest delays that the scheduler adds, in virtual milliseconds. */
export const delays = { frame: 20, work: 8 } as const;
/** The longest time between the death of a host and the start of the next one, in virtual milliseconds. */
const restartMs = 30;
/** Words that the model answers at once, whatever the scenario: those after a crash, when the work is over, and those of a resumption. */
export const plainWords = 'are you there';

/** The identity of a person in the world of a scenario. */
const speakerOf = (person: Person, { hasBridge }: Scenario): Speaker => {
  const isBridge = hasBridge === true && person === 'bob';
  return { id: person, roles: [isBridge ? 'bridge' : moderators.includes(person) ? 'moderator' : 'member'] };
};

/** A token is the name of its person. */
const authenticatorOf = (scenario: Scenario, scheduler: Scheduler): Authenticator => ({
  kind: 'tokens',
  verify: async (token) => {
    await new Promise<void>((resolve) => void scheduler.put(`the token of ${token}`, delays.frame, resolve));
    return {
      speaker: speakerOf(token as Person, scenario), // only people of the world connect
      sessions: ['*'],
      expiresAt: null,
    };
  },
});

/** The frames of the last texts: most go to each client in turn. */
const parsedFrames = new Map<string, ReceivedFrame>();
const keptFrames = 64;

/** Returns the frame that a text says. The same object for each copy of it: nobody changes it. */
function parseFrame(text: string): ReceivedFrame {
  const known = parsedFrames.get(text);
  if (known) return known;
  const frame = JSON.parse(text) as ReceivedFrame; // as the gateway writes it
  if (parsedFrames.size >= keptFrames) parsedFrames.clear();
  parsedFrames.set(text, frame);
  return frame;
}

/** A client of the world, with everything that it receives. */
export class WorldClient {
  readonly client: ConnectingClient;
  readonly session: ClientSession;
  readonly emitted: ReceivedFrame[] = [];
  readonly connections: ReceivedFrame[][] = [];
  readonly sent: Growing<AwaitedCommand>[] = [];
  #pair: SimulatedSocket | null = null;
  #refs = 0;
  readonly #coverage: Coverage;
  /** The ref of the last SAY that was sent. */
  lastSayRef: string | null = null;
  hasSentBadFrames = false;

  constructor(person: Person, scheduler: Scheduler, gateway: () => Gateway | null, coverage: Coverage) {
    this.#coverage = coverage;
    const onSent = (text: string) => {
      const { type, ref } = JSON.parse(text) as { readonly type: string; readonly ref?: string }; // a frame of the client
      if (type === 'SAY') this.lastSayRef = ref ?? null;
    };
    this.client = createClient({
      url: 'ws://belay.invalid',
      token: person,
      whileDisconnected: 'wait',
      sources: { clock: scheduler.clock, random: () => 0 },
      createRef: () => `${person}-${this.#refs++}`,
      createSocket: () => {
        const frames: ReceivedFrame[] = [];
        const name = `${person} ${this.connections.push(frames)}`;
        const onDelivered = (text: string) => {
          const frame = parseFrame(text);
          frames.push(frame.type === 'joined' ? { ...frame, receivedAt: scheduler.clock.now() } : frame);
        };
        this.#pair = new SimulatedSocket({ scheduler, gateway, name, withinMs: delays.frame, onSent, onDelivered });
        return this.#pair;
      },
    });
    this.session = this.#recording(this.client.session(session, { after: 0 }));
    this.session.on('*' as 'turn_opened', (frame) => void this.emitted.push({ ...frame } as ReceivedFrame)); // each type of frame
  }

  lose(): void {
    this.#coverage.visit('lost client');
    this.#pair?.lose();
  }

  /** Sends so much that is no frame that the gateway closes the connection. */
  sendBadFrames(): void {
    this.hasSentBadFrames = true;
    this.#pair?.sendBadFrames();
  }

  /** Returns the session, with a record of each command whose end a caller can wait for. */
  #recording(own: ClientSession): ClientSession {
    const watchTurn = (turn: Turn): Turn => {
      this.#watch(turn.ref, turn.ended);
      return turn;
    };
    const watched: Partial<ClientSession> = {
      say: (...args) => watchTurn(own.say(...args)),
      steer: (...args) => watchTurn(own.steer(...args)),
      resume: (...args) => watchTurn(own.resume(...args)),
      cancel: (...args) => {
        const handle = own.cancel(...args);
        const sent = this.#watch(handle.ref, handle.settled);
        const noteReceipt = (reply: CancelReplyFrame) => {
          if (reply.type === 'cancel_accepted' && reply.seq !== undefined) sent.receipt = reply.cancel;
        };
        handle.accepted.then(noteReceipt, () => {});
        return handle;
      },
    };
    return new Proxy(own, {
      get(target, key) {
        const value: unknown = Reflect.get(watched, key) ?? Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  #watch(ref: string, ended: Promise<unknown>): Growing<AwaitedCommand> {
    const sent: Growing<AwaitedCommand> = { ref, receipt: null, isOver: false };
    this.sent.push(sent);
    const end = () => {
      sent.isOver = true;
    };
    ended.then(end, end);
    return sent;
  }

  /** `isSentKept`: what the host has sent before its death arrives. */
  onCrash(isSentKept: boolean): void {
    this.#pair?.crash(isSentKept);
  }
}

/** How a host dies. `power`: nothing that is in flight survives. The others: frames that were sent arrive, and the requests to the store have this fate. */
export const crashKinds = ['power', 'lost', 'applied', 'torn', 'late'] as const;
export type CrashKind = (typeof crashKinds)[number];

/** The hosts of a run, one after the other, with their clients and everything that is recorded. */
export class SimulatedWorld {
  readonly #parts: HostParts;
  #host: SimulatedHost;
  readonly crashes: Growing<CrashEvidence>[] = [];
  readonly clients: Readonly<Record<Person, WorldClient>>;

  /** `host`: the first one, which is open. */
  constructor(parts: HostParts, host: SimulatedHost) {
    this.#parts = parts;
    this.#host = host;
    const gateway = () => this.#host.gateway;
    const client = (person: Person) => new WorldClient(person, parts.scheduler, gateway, this.coverage);
    this.clients = { alice: client('alice'), bob: client('bob'), carol: client('carol') };
  }

  speakerOf(person: Person): Speaker {
    return speakerOf(person, this.#parts.scenario);
  }

  /** Returns commands of a speaker that go to the runtime at once. */
  openDoor(speaker: Speaker, connection: string): CommandDoor {
    return openDoor({
      runtime: () => this.runtime,
      session,
      speaker,
      connection,
      now: () => this.#parts.scheduler.clock.now(),
      readLog: () => this.readLog(),
      commands: this.records.commands,
    });
  }

  get coverage(): Coverage {
    return this.#parts.coverage;
  }

  get records(): HostRecords {
    return this.#parts.records;
  }

  /** The runtime; null while no host is open. */
  get runtime(): LocalRuntime | null {
    return this.#host.runtime;
  }

  get gateway(): Gateway | null {
    return this.#host.gateway;
  }

  get hasOpenQuestion(): boolean {
    return this.#host.hasOpenQuestion;
  }

  /** The kinds of a crash that differ at this moment. */
  get possibleCrashes(): readonly CrashKind[] {
    const { waitingRequests } = this.#host;
    const needed = { power: 0, lost: 0, applied: 1, late: 1, torn: 2 };
    return crashKinds.filter((kind) => needed[kind] <= waitingRequests);
  }

  /** The live nodes. */
  entries(): readonly NodeEntry[] {
    return this.#host.entries();
  }

  /** Closes what is open for speech, when the runtime is closed. */
  closeSpeech(): void {
    this.#host.closeSpeech();
  }

  /** The host dies, and another one starts. */
  crash(kind: CrashKind): void {
    const { scheduler, coverage } = this.#parts;
    coverage.onCrash();
    this.#host.crash(kind === 'power' ? 'lost' : kind);
    for (const person of scenarioPeople) this.clients[person].onCrash(kind !== 'power');
    this.crashes.push({ kind, at: scheduler.now, backAt: null });
    const next = new SimulatedHost(this.#parts);
    this.#host = next;
    scheduler.put('the restart', restartMs, () => {
      if (next === this.#host) void this.#open(next);
    });
  }

  async readLog(): Promise<readonly LogBody[]> {
    const { deleted } = this.records;
    return deleted.length > 0 ? deleted : this.#readStored();
  }

  /** Whether the session was opened again after it was deleted. */
  async hasSecondLife(): Promise<boolean> {
    return this.records.deleted.length > 0 && (await this.#readStored()).length > 0;
  }

  async #readStored(): Promise<readonly LogBody[]> {
    return (await this.#parts.stored.read(session, 0)).map(({ body }) => body);
  }

  async #open(host: SimulatedHost): Promise<void> {
    try {
      await host.open();
      if (host !== this.#host) return; // it has died meanwhile
      for (const crash of this.crashes) crash.backAt ??= this.#parts.scheduler.now;
    } catch (error) {
      this.records.reports.push(`The host does not start again: ${String(error)}`);
    }
  }
}

/** Opens the world of a scenario. Its clients connect as soon as the scheduler lets them. */
export async function openWorld(scenario: Scenario, scheduler: Scheduler, commitMs: number): Promise<SimulatedWorld> {
  const { random, ids } = createVirtualSources();
  let moments = 0;
  const parts: HostParts = {
    scenario,
    scheduler,
    authenticator: authenticatorOf(scenario, scheduler),
    commitMs,
    stored: createMemoryLog(),
    sources: { random, ids },
    workMs: delays.work,
    coverage: new Coverage(),
    records: {
      calls: [],
      requests: [],
      speech: { calls: [], responses: [], connections: [] },
      acceptedAt: new Map(),
      reports: [],
      commands: [],
      deleted: [],
    },
    moment: () => moments++,
    respond: (request) => respondTo(request, scenario),
  };
  const host = new SimulatedHost(parts);
  const opening = host.open();
  while (host.runtime === null && (await scheduler.takeStep()));
  await opening;
  return new SimulatedWorld(parts, host);
}

/** The next response of the scenario's model: by the last words that it knows, and the number of rounds since. */
function respondTo({ messages }: ModelRequest, { model }: Scenario): Script {
  if (messages.findLast(({ role }) => role === 'user')?.content.includes(plainWords)) return sayText('yes');
  const words = Object.keys(model);
  const isKnown = (content: string) => words.some((word) => content.includes(word));
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && isKnown(content));
  const content = messages[at]?.content ?? '';
  const word = words.toSorted((a, b) => content.lastIndexOf(b) - content.lastIndexOf(a))[0] ?? '';
  const round = messages.slice(at).filter(({ role }) => role === 'assistant').length;
  return (at < 0 ? undefined : model[word]?.[round]) ?? { steps: [{ waitMs: 5 }, { text: 'ok' }] };
}
