// The simulated world of one run: the shipped runtime, gateway and client library in this process, over a log in memory.
import { createScriptedProvider, type Script } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { type ConnectingClient, createClient } from '../../src/client/client.ts';
import type { ClientSession } from '../../src/client/client-session.ts';
import type { LogBody } from '../../src/core/contracts/log.ts';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import type { NodeEntry } from '../../src/core/live/node-entry.ts';
import { createLocalRuntime, type LocalRuntime } from '../../src/core/runtime/runtime.ts';
import { createVirtualSources } from '../../src/core/sources/virtual.ts';
import type { Authenticator } from '../../src/gateway/auth/authenticator.ts';
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts';
import type { ReceivedFrame, RequestEvidence } from './evidence.ts';
import { reportLate } from './late-provider.ts';
import { type Person, type Scenario, scenarioPeople } from './scenario.ts';
import type { Scheduler } from './scheduler.ts';
import { simulateLog } from './simulated-log.ts';
import { SimulatedSocket } from './simulated-socket.ts';
import { type WorldCall, worldTools } from './world-tools.ts';

export const session = 's';
export const moderators: readonly Person[] = ['carol'];
/** The longest delays that the scheduler adds, in virtual milliseconds. */
export const delays = { frame: 20, work: 8 } as const;
/** A lost connection counts as gone before its client has made another one. */
const disconnectGraceMs = 50;

/** A token is the name of its person. */
const authenticator: Authenticator = {
  kind: 'tokens',
  verify: async (token) => ({
    speaker: { id: token ?? '', roles: moderators.includes(token as Person) ? ['moderator'] : ['member'] },
    sessions: ['*'],
    expiresAt: null,
  }),
};

/** A client of the world, with everything that it receives. */
export class WorldClient {
  readonly client: ConnectingClient;
  readonly session: ClientSession;
  readonly emitted: ReceivedFrame[] = [];
  readonly connections: ReceivedFrame[][] = [];
  #pair: SimulatedSocket | null = null;
  #refs = 0;
  /** The ref of the last SAY that was sent. */
  lastSayRef: string | null = null;

  constructor(person: Person, scheduler: Scheduler, gateway: Gateway) {
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
          const frame = JSON.parse(text) as ReceivedFrame;
          frames.push(frame.type === 'joined' ? { ...frame, receivedAt: scheduler.clock.now() } : frame);
        };
        this.#pair = new SimulatedSocket({ scheduler, gateway, name, withinMs: delays.frame, onSent, onDelivered });
        return this.#pair;
      },
    });
    this.session = this.client.session(session, { after: 0 });
    this.session.on('*' as 'turn_opened', (frame) => void this.emitted.push({ ...frame } as ReceivedFrame)); // each type of frame
  }

  lose(): void {
    this.#pair?.lose();
  }
}

export interface SimulatedWorld {
  readonly runtime: LocalRuntime;
  readonly gateway: Gateway;
  readonly clients: Readonly<Record<Person, WorldClient>>;
  readonly calls: readonly WorldCall[];
  readonly requests: readonly RequestEvidence[];
  readonly acceptedAt: ReadonlyMap<string, number>;
  readonly reports: readonly string[];
  /** The live nodes. */
  entries(): readonly NodeEntry[];
  readLog(): Promise<readonly LogBody[]>;
}

/** Opens the world of a scenario. Its clients connect as soon as the scheduler lets them. */
export async function openWorld(scenario: Scenario, scheduler: Scheduler, commitMs: number): Promise<SimulatedWorld> {
  const { random, ids } = createVirtualSources();
  const { clock } = scheduler;
  const sources = { clock, random, ids };
  let moments = 0;
  const moment = () => moments++;
  const calls: WorldCall[] = [];
  const requests: RequestEvidence[] = [];
  const acceptedAt = new Map<string, number>();
  const reports: string[] = [];
  const report = (what: string) => void reports.push(what);
  let tree: { entries(): readonly NodeEntry[] } | null = null;
  const stored = createMemoryLog();
  const onAppend = (bodies: readonly LogBody[]) => {
    for (const body of bodies)
      if (body.type === 'cancel_accepted' && 'cancel' in body) acceptedAt.set(String(body.cancel), moment());
  };
  let runtime: LocalRuntime | null = null;
  const opening = createLocalRuntime({
    sources,
    log: simulateLog({ log: stored, scheduler, withinMs: commitMs, onAppend }),
    provider: reportLate(
      createScriptedProvider({
        clock: scheduler.workClock('model', delays.work),
        respond: (request) => {
          requests.push({ at: moment(), messages: request.messages });
          return respondTo(request, scenario);
        },
      }),
    ),
    acknowledge: 'off',
    tools: worldTools({ clock: scheduler.workClock('tool', delays.work), moment, calls, report }),
    agents: scenario.agents ?? {},
    session: () => ({ policy: 'owner', access: 'open', ...scenario.session }),
    limits: { disconnectGraceMs, ...scenario.limits },
    inspector: {
      attach(_, from) {
        if (from.tree) tree = from.tree as unknown as { entries(): readonly NodeEntry[] }; // it is the live tree
      },
    },
    warn: (message, error) => reports.push(`${message} ${String(error ?? '')}`),
  }).then((opened) => {
    runtime = opened;
    return opened;
  });
  while (runtime === null && (await scheduler.takeStep()));
  const opened = await opening;
  const gateway = createGateway({
    runtime: opened,
    sources: { clock, ids },
    authenticator,
    report: (error) => reports.push(String(error instanceof Error ? error.stack : error)),
  });
  const clients = Object.fromEntries(
    scenarioPeople.map((person) => [person, new WorldClient(person, scheduler, gateway)]),
  ) as Record<Person, WorldClient>; // one of each
  return {
    runtime: opened,
    gateway,
    clients,
    calls,
    requests,
    acceptedAt,
    reports,
    entries: () => tree?.entries() ?? [],
    readLog: async () => (await stored.read(session, 0)).map(({ body }) => body),
  };
}

/** The next response of the scenario's model: by the last words that it knows, and the number of rounds since. */
function respondTo({ messages }: ModelRequest, { model }: Scenario): Script {
  const words = Object.keys(model);
  const isKnown = (content: string) => words.some((word) => content.includes(word));
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && isKnown(content));
  const content = messages[at]?.content ?? '';
  const word = words.toSorted((a, b) => content.lastIndexOf(b) - content.lastIndexOf(a))[0] ?? '';
  const round = messages.slice(at).filter(({ role }) => role === 'assistant').length;
  return (at < 0 ? undefined : model[word]?.[round]) ?? { steps: [{ waitMs: 5 }, { text: 'ok' }] };
}
