// The runtime of a host that shares its store with others and has a bus to them: a session is used from any host, wherever it is held.
import type { OpeningOptions } from '../../../machines/facts.ts';
import type { LeaveReason } from '../../../machines/vocabulary.ts';
import { loadOnce } from '../collections/load-once.ts';
import type { Bus } from '../contracts/bus.ts';
import type { RuntimeConfig } from '../runtime/config.ts';
import { noProcesses } from '../runtime/no-processes.ts';
import { createLocalRuntime } from '../runtime/runtime.ts';
import type {
  Caller,
  ReplayFrom,
  Runtime,
  SessionDirectory,
  SessionInfo,
  SessionListener,
  VoiceRuntime,
} from '../session/api.ts';
import type { CallRuntime } from '../session/call-api.ts';
import { keepingAlive, systemSources } from '../sources/system.ts';
import { printWarning } from '../text/print-line.ts';
import { answerHosts, ClusterDirectory } from './cluster-directory.ts';
import { ClusterJoin, type JoinServices } from './cluster-join.ts';
import { CommandRouter } from './command-router.ts';
import { EventLinks } from './event-links.ts';
import {
  type CommandName,
  carriedArguments,
  type ForwardedCommands,
  forwardedCommandsOf,
  givenArguments,
  type HolderQuestion,
  withRef,
} from './forwarded-commands.ts';
import { GoneHosts } from './gone-hosts.ts';
import { HeldSessions } from './held-sessions.ts';
import { HostDrain } from './host-drain.ts';
import { IncomingLinks } from './incoming-links.ts';
import { Peers } from './peers.ts';
import { assertNoRival } from './rival-hosts.ts';

/** What a rejoin may take beside the lease of a dead holder, in milliseconds. */
const rejoinGraceMs = 10_000;

/** The lease of a host in a cluster, in milliseconds: others wait for it when a machine is gone. */
const defaultLeaseMs = 2_000;

/** How a host takes part in its cluster. */
export interface ClusterOptions {
  /** Stands for what its sessions are configured with. Left out: hosts are not compared. */
  readonly configuration?: string | undefined;
  /** Starts beside hosts whose sessions are configured otherwise. */
  readonly allowOtherConfiguration?: boolean | undefined;
  /** What people call this host. Left out: its name. */
  readonly label?: string | undefined;
  /**
   * Resolves when every other host that shuts down, too, has closed its sessions: until then a runtime that closes keeps what has joined them, so that it receives their ends. Left out: it closes
   * alone, and leaves them at once.
   */
  readonly untilOthersClosed?: (() => Promise<void>) | undefined;
  /** Called when somebody asks over the cluster that this host drains: it is to call `drain`, and `close` then. Left out: such a wish is refused. */
  readonly onDrainAsked?: (() => void) | undefined;
}

/** Starts a runtime that shares its store and the bus with other hosts. Rejects as `createLocalRuntime`, and with a `RangeError` if a living host has its name or is configured otherwise. */
export async function createClusterRuntime(
  config: RuntimeConfig,
  bus: Bus,
  { configuration, allowOtherConfiguration = false, ...options }: ClusterOptions = {},
): Promise<Runtime> {
  const { log, processes = noProcesses, host: name, sources = systemSources } = config;
  const compared = allowOtherConfiguration ? undefined : configuration;
  await assertNoRival({ log, processes, name, configuration: compared });
  const held = new HeldSessions(bus, sources.clock, { configuration, label: options.label });
  const leaseMs = config.limits?.leaseMs ?? defaultLeaseMs;
  const limited = { ...config, limits: { ...config.limits, leaseMs } };
  const drain = new HostDrain({
    bus,
    clock: sources.clock,
    awake: async () => (await own.directory()).awakeHere,
    onAsked: options.onDrainAsked,
  });
  const observers = [...(config.observers ?? []), drain.observer];
  const own = await createLocalRuntime({ ...limited, observers, log: held.watch(log) });
  return new ClusterRuntime(limited, bus, { own, held, drain, leaseMs, ...options });
}

interface ClusterParts extends Pick<ClusterOptions, 'label' | 'untilOthersClosed'> {
  readonly own: Runtime;
  readonly held: HeldSessions;
  readonly drain: HostDrain;
  readonly leaseMs: number;
}

class ClusterRuntime implements Runtime {
  readonly #own: Runtime;
  readonly #commands: ForwardedCommands;
  readonly #bus: Bus;
  readonly #held: HeldSessions;
  readonly #untilOthersClosed: ClusterOptions['untilOthersClosed'];
  readonly #outgoing: EventLinks;
  readonly #peers: Peers;
  readonly #joinServices: JoinServices;
  readonly #gone: GoneHosts;
  readonly #drain: HostDrain;
  readonly #stopAnswers: () => void;
  /** What connections of this host have joined elsewhere or here, by session and connection. */
  readonly #joins = new Map<string, ClusterJoin>();
  readonly voice: VoiceRuntime;
  readonly external: CallRuntime;
  #closed: Promise<void> | null = null;
  #drained: Promise<void> | null = null;

  constructor(
    { log, host: name, processes, sources = systemSources, warn = printWarning }: RuntimeConfig,
    bus: Bus,
    { own, held, drain, leaseMs, label, untilOthersClosed }: ClusterParts,
  ) {
    const { clock } = sources;
    const { ids } = systemSources; // unique among all hosts, also where those of a test repeat
    const host = ids('peer');
    this.#own = own;
    this.#bus = bus;
    this.#held = held;
    this.#untilOthersClosed = untilOthersClosed;
    this.#commands = forwardedCommandsOf(own);
    this.#drain = drain;
    const router = new CommandRouter({ bus, held, drain, clock, ids });
    const links = new IncomingLinks(bus, host);
    this.#outgoing = new EventLinks({ bus, host, runtime: own, ids });
    const rejoinMs = leaseMs + rejoinGraceMs;
    this.#joinServices = { router, links, log, clock, ids, host, runtime: own, rejoinMs };
    this.#peers = new Peers({
      bus,
      clock,
      host,
      name: label ?? name ?? held.host ?? host,
      process: processes?.readThisProcess() ?? null,
      places: () => this.#outgoing.places,
      onPlace: (peer, place) => links.onPlace(peer, place),
      onGone: (peer) => {
        links.drop(peer);
        void this.#outgoing.drop(peer);
      },
    });
    processes?.onHostDeath?.(({ pid }) => this.#peers.dropProcess(pid));
    const stopAnswers = answerHosts(bus, host, { directory: () => own.directory(), held, drain });
    const stopOffers = held.acceptOffers(host, () => !drain.isWanted && this.#closed === null);
    this.#stopAnswers = () => {
      stopAnswers();
      stopOffers();
    };
    this.voice = {
      transcript: (...given) => this.#run('transcript', given),
      bargeIn: (...given) => this.#run('bargeIn', given),
      played: (...given) => this.#run('played', given),
      sound: loadOnce(async () => {
        const [relay, { ClusterSound }] = await Promise.all([own.voice.sound(), import('./cluster-sound.ts')]);
        return new ClusterSound(relay, bus, host);
      }),
    };
    this.external = {
      open: (...given) => this.#run('openCall', given),
      report: (...given) => this.#run('reportCall', given),
      settle: (...given) => this.#run('settleCall', given),
    };
    this.#gone = new GoneHosts({
      log,
      clock: systemSources.clock,
      leaseMs,
      host: () => held.host,
      open: (session) => own.open(session),
      warn,
    });
    held.serve(
      (question) => this.#perform(question),
      (session) => drain.mayClaim(session),
    );
    this.#peers.start();
    this.#gone.start();
  }

  open(session: string, caller?: Caller, options?: OpeningOptions): Promise<SessionInfo> {
    return this.#run('open', [session, caller, options]);
  }

  async join(session: string, caller: Caller, listener: SessionListener, from: ReplayFrom): Promise<void> {
    const key = JSON.stringify([session, caller.connection]);
    const join = new ClusterJoin(this.#joinServices, { session, caller, listener, from }, () => {
      if (this.#joins.get(key) === join) this.#joins.delete(key);
    });
    this.#joins.set(key, join);
    try {
      await join.start(from);
    } catch (error) {
      if (this.#joins.get(key) === join) this.#joins.delete(key);
      throw error;
    }
  }

  async leave(session: string, connection: string, how: LeaveReason): Promise<void> {
    const join = this.#joins.get(JSON.stringify([session, connection]));
    await (join ? join.leaveSession(how) : this.#own.leave(session, connection, how));
  }

  say(...given: Parameters<Runtime['say']>): ReturnType<Runtime['say']> {
    return this.#run('say', given);
  }

  resume(...given: Parameters<Runtime['resume']>): ReturnType<Runtime['resume']> {
    return this.#run('resume', given);
  }

  cancel(...given: Parameters<Runtime['cancel']>): ReturnType<Runtime['cancel']> {
    return this.#run('cancel', given);
  }

  settled(...given: Parameters<Runtime['settled']>): ReturnType<Runtime['settled']> {
    return this.#run('settled', given);
  }

  answer(...given: Parameters<Runtime['answer']>): ReturnType<Runtime['answer']> {
    return this.#run('answer', given);
  }

  storeBlobs(...given: Parameters<Runtime['storeBlobs']>): ReturnType<Runtime['storeBlobs']> {
    return this.#run('storeBlobs', given);
  }

  importMessages(...given: Parameters<Runtime['importMessages']>): ReturnType<Runtime['importMessages']> {
    return this.#run('importMessages', given);
  }

  delegate(...given: Parameters<Runtime['delegate']>): ReturnType<Runtime['delegate']> {
    return this.#run('delegate', given);
  }

  setSpeaker(...given: Parameters<Runtime['setSpeaker']>): ReturnType<Runtime['setSpeaker']> {
    return this.#run('setSpeaker', given);
  }

  invite(...given: Parameters<Runtime['invite']>): ReturnType<Runtime['invite']> {
    return this.#run('invite', given);
  }

  remove(...given: Parameters<Runtime['remove']>): ReturnType<Runtime['remove']> {
    return this.#run('remove', given);
  }

  createInvite(...given: Parameters<Runtime['createInvite']>): ReturnType<Runtime['createInvite']> {
    return this.#run('createInvite', given);
  }

  revokeInvite(...given: Parameters<Runtime['revokeInvite']>): ReturnType<Runtime['revokeInvite']> {
    return this.#run('revokeInvite', given);
  }

  redeemInvite(...given: Parameters<Runtime['redeemInvite']>): ReturnType<Runtime['redeemInvite']> {
    return this.#run('redeemInvite', given);
  }

  setToolTimeout(...given: Parameters<Runtime['setToolTimeout']>): ReturnType<Runtime['setToolTimeout']> {
    return this.#run('setToolTimeout', given);
  }

  renameSession(...given: Parameters<Runtime['renameSession']>): ReturnType<Runtime['renameSession']> {
    return this.#run('renameSession', given);
  }

  readOffer(...given: Parameters<Runtime['readOffer']>): ReturnType<Runtime['readOffer']> {
    return this.#run('readOffer', given);
  }

  deleteSession(...given: Parameters<Runtime['deleteSession']>): ReturnType<Runtime['deleteSession']> {
    return this.#run('deleteSession', given);
  }

  nodes(...given: Parameters<Runtime['nodes']>): ReturnType<Runtime['nodes']> {
    return this.#run('nodes', given);
  }

  // -- what the store has, whoever holds the session

  readBlob(...given: Parameters<Runtime['readBlob']>): ReturnType<Runtime['readBlob']> {
    return this.#own.readBlob(...given);
  }

  exportSession(...given: Parameters<Runtime['exportSession']>): ReturnType<Runtime['exportSession']> {
    return this.#own.exportSession(...given);
  }

  forkSession(...given: Parameters<Runtime['forkSession']>): ReturnType<Runtime['forkSession']> {
    return this.#own.forkSession(...given);
  }

  deletions(): ReturnType<Runtime['deletions']> {
    return this.#own.deletions();
  }

  async directory(): Promise<SessionDirectory> {
    const [peers, held, drain] = [this.#peers, this.#held, this.#drain];
    return new ClusterDirectory(await this.#own.directory(), this.#bus, { peers, held, drain });
  }

  drain(ms: number): Promise<void> {
    this.#drained ??= keepingAlive(this.#joinServices.clock, () => this.#giveAway(ms));
    return this.#drained;
  }

  async #giveAway(ms: number): Promise<void> {
    if (this.#closed !== null) return;
    this.#gone.stop();
    this.#drain.start(() => this.#peers.all);
    this.#peers.drain();
    await this.#drain.run(ms);
  }

  close(how?: { readonly force?: boolean }): Promise<void> {
    this.#drain.abort();
    if (this.#closed && how?.force) void this.#own.close(how);
    this.#closed ??= this.#shutDown(how);
    return this.#closed;
  }

  /** The sessions of this host end first: their listeners elsewhere join them where they are claimed next, unless all close. */
  async #shutDown(how?: { readonly force?: boolean }): Promise<void> {
    this.#gone.stop();
    const ownClosed = this.#own.close(how);
    if (this.#untilOthersClosed) await ownClosed.then(this.#untilOthersClosed);
    const left = [...this.#joins.values()].map((join) => join.closeWithHost());
    await ownClosed;
    await Promise.all(left);
    this.#peers.stop();
    this.#stopAnswers();
    this.#joinServices.links.close();
    this.#held.close();
  }

  /** Runs a command where its session is held. */
  #run<Name extends CommandName>(
    name: Name,
    given: Parameters<ForwardedCommands[Name]>,
  ): ReturnType<ForwardedCommands[Name]> {
    const { router, ids } = this.#joinServices;
    const command: (...given: never[]) => Promise<unknown> = this.#commands[name];
    let sent: readonly unknown[] = given;
    const run = router.run({
      session: given[0],
      local: () => this.#drain.settle(given[0], command(...(sent as never[]))), // they are those of this command
      question: () => {
        sent = withRef(name, given, ids); // also here: a holder that is gone may have done it
        return { name, given: carriedArguments(name, sent) };
      },
      result: (value) => value,
    });
    return run as ReturnType<ForwardedCommands[Name]>; // both roads have the result of this command
  }

  /** Does what another host asks, in the tick in which it is asked. */
  #perform({ name, given }: HolderQuestion): Promise<unknown> {
    if (name === 'join') {
      const [session, caller, from, at] = given as Parameters<EventLinks['join']>; // a host of the cluster has given them
      return this.#outgoing.join(session, caller, from, at);
    }
    if (name === 'leave') return this.#outgoing.leave(...(given as Parameters<EventLinks['leave']>)); // as above
    const command: (...given: never[]) => Promise<unknown> = this.#commands[name];
    const result = command(...(givenArguments(name, given) as never[])); // as above
    return this.#drain.settle(String(given[0]), result);
  }
}
