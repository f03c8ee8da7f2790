// The events of sessions that this host holds, on their way to hosts whose clients have joined them: one link to each of those hosts.
//
// 1. An event goes over a link once, whoever has joined there, and the events of one tick are one message.
// 2. The messages of a link are counted. The receiver sees by the next count, or by the beacon of this host, that one was lost.
import type { CancelAccepted, SequencedFact } from '../../../machines/facts.ts';
import type {
  ModelPreview,
  OutputDelta,
  SpeechChange,
  TextDelta,
  ToolProgress,
  ToolWaiting,
} from '../../../machines/live-view.ts';
import type { LeaveReason } from '../../../machines/vocabulary.ts';
import type { Bus } from '../contracts/bus.ts';
import type {
  Caller,
  CallStop,
  Joined,
  JoinedSessionEnd,
  PresenceChange,
  ReplayFrom,
  Runtime,
  SessionListener,
} from '../session/api.ts';
import type { Ids } from '../sources/sources.ts';
import { hostSubject } from './subjects.ts';

/** An event of a session, for the streams of some listeners of one host. */
export interface LinkedEvent {
  readonly streams: string[];
  readonly kind: LinkedKind;
  readonly value: unknown;
}

type Passed = Required<Omit<SessionListener, 'replayed' | 'waitForRoom' | 'joined'>>;

/** What a listener of another host gets, by the method of the listener. */
export type ListenerEvent =
  | { readonly kind: 'joined'; readonly value: CarriedJoined }
  | {
      readonly [Kind in keyof Passed]: { readonly kind: Kind; readonly value: Parameters<Passed[Kind]>[0] };
    }[keyof Passed];

export type LinkedKind = ListenerEvent['kind'];

/** A message of a link. */
export interface LinkMessage {
  readonly from: string;
  readonly link: string;
  readonly count: number;
  readonly events: readonly LinkedEvent[];
}

/** How far a link has come. */
export interface LinkPlace {
  readonly link: string;
  readonly count: number;
}

/** The reply to a JOIN: the facts up to `seq` are in the log, or come over the link. */
export interface JoinPlace {
  readonly host: string;
  readonly link: string;
  readonly seq: number;
}

/** `joined` as a plain value: JSON has no maps. */
export type CarriedJoined = Omit<Joined, 'toolTimeouts'> & {
  readonly timeouts: readonly (readonly [string, number])[];
};

class EventLink {
  readonly #bus: Bus;
  readonly #from: string;
  readonly #to: string;
  readonly id: string;
  #count = 0;
  #events: LinkedEvent[] = [];

  constructor(bus: Bus, { from, to, id }: { readonly from: string; readonly to: string; readonly id: string }) {
    this.#bus = bus;
    this.#from = from;
    this.#to = to;
    this.id = id;
  }

  /** The messages that were sent. */
  get place(): LinkPlace {
    return { link: this.id, count: this.#count };
  }

  add(stream: string, kind: LinkedKind, value: unknown): void {
    const last = this.#events.at(-1);
    const isSame = last !== undefined && last.kind === kind && last.value === value && !last.streams.includes(stream);
    if (isSame) return void last.streams.push(stream);
    if (this.#events.length === 0) queueMicrotask(() => this.#flush());
    this.#events.push({ streams: [stream], kind, value });
  }

  #flush(): void {
    const events = this.#events;
    this.#events = [];
    this.#count += 1;
    const message: LinkMessage = { from: this.#from, link: this.id, count: this.#count, events };
    this.#bus.publish(hostSubject(this.#to), JSON.stringify(message));
  }
}

/** Stands for a listener of another host. */
class RemoteListener implements SessionListener {
  readonly #add: (kind: LinkedKind, value: unknown) => void;
  /** While the last turns are replayed: where they begin. The other host reads the facts from there on in the log. */
  #tailStart: number | null = null;
  /** The newest fact that the session has published. */
  seq = 0;

  constructor(add: (kind: LinkedKind, value: unknown) => void) {
    this.#add = add;
  }

  joined({ toolTimeouts = new Map(), ...joined }: Joined): void {
    this.seq = joined.seq;
    this.#tailStart = joined.tail?.start ?? null;
    const carried: CarriedJoined = { ...joined, timeouts: [...toolTimeouts] };
    this.#add('joined', carried);
  }

  replayed(): void {
    this.#tailStart = null;
  }

  fact(event: SequencedFact): void {
    this.seq = Math.max(this.seq, event.seq);
    if (this.#tailStart === null || event.seq < this.#tailStart) this.#add('fact', event);
  }

  text(delta: TextDelta): void {
    this.#add('text', delta);
  }

  preview(preview: ModelPreview): void {
    this.#add('preview', preview);
  }

  output(delta: OutputDelta): void {
    this.#add('output', delta);
  }

  progress(progress: ToolProgress): void {
    this.#add('progress', progress);
  }

  waiting(waiting: ToolWaiting): void {
    this.#add('waiting', waiting);
  }

  accepted(receipt: CancelAccepted): void {
    this.#add('accepted', receipt);
  }

  presence(change: PresenceChange): void {
    this.#add('presence', change);
  }

  speech(change: SpeechChange): void {
    this.#add('speech', change);
  }

  stopCall(stop: CallStop): void {
    this.#add('stopCall', stop);
  }

  ended(reason: JoinedSessionEnd): void {
    this.#add('ended', reason);
  }
}

/** A connection of another host that has joined a session of this one. */
interface RemoteConnection {
  readonly session: string;
  readonly connection: string;
}

export interface EventLinksParts {
  readonly bus: Bus;
  /** The id of this host. */
  readonly host: string;
  readonly runtime: Pick<Runtime, 'join' | 'leave'>;
  readonly ids: Ids;
}

export class EventLinks {
  readonly #parts: EventLinksParts;
  /** By the host at the other end. */
  readonly #links = new Map<string, { readonly link: EventLink; readonly joined: Map<string, RemoteConnection> }>();

  constructor(parts: EventLinksParts) {
    this.#parts = parts;
  }

  /** The places of the links, by host. */
  get places(): Readonly<Record<string, LinkPlace>> {
    return Object.fromEntries([...this.#links].map(([host, { link }]) => [host, link.place]));
  }

  /** Joins a session for a connection of another host. Resolves when what it asked to be replayed is on its way. `from`: not a sequence number, from which the other host reads the log itself. */
  async join(
    session: string,
    caller: Caller,
    from: Exclude<ReplayFrom, number>,
    { host: to, stream }: { readonly host: string; readonly stream: string },
  ): Promise<JoinPlace> {
    const { bus, host, runtime, ids } = this.#parts;
    const known = this.#links.get(to) ?? {
      link: new EventLink(bus, { from: host, to, id: ids('link') }),
      joined: new Map<string, RemoteConnection>(),
    };
    this.#links.set(to, known);
    const replaced = this.#remove(session, caller.connection);
    const listener = new RemoteListener((kind, value) => {
      known.link.add(stream, kind, value);
      if (kind === 'ended') known.joined.delete(stream);
    });
    known.joined.set(stream, { session, connection: caller.connection });
    try {
      await runtime.join(session, caller, listener, from);
    } catch (error) {
      known.joined.delete(stream);
      for (const restore of replaced) restore(); // it is joined as before
      throw error;
    }
    // it has left meanwhile, when there was nothing yet that could leave
    if (!known.joined.has(stream) && !this.#hasJoined(session, caller.connection))
      await runtime.leave(session, caller.connection, 'lost');
    return { host, link: known.link.id, seq: listener.seq };
  }

  /** A connection of another host leaves. `stream`: of the JOIN that it leaves; where it has joined again since then, nothing happens. */
  async leave(session: string, connection: string, how: LeaveReason, stream: string | null = null): Promise<void> {
    if (stream !== null && ![...this.#links.values()].some(({ joined }) => joined.has(stream))) return;
    this.#remove(session, connection);
    await this.#parts.runtime.leave(session, connection, how);
  }

  #hasJoined(session: string, connection: string): boolean {
    return [...this.#links.values()].some(({ joined }) =>
      [...joined.values()].some((one) => one.session === session && one.connection === connection),
    );
  }

  /** Forgets the streams of a connection. Returns what keeps each of them again. */
  #remove(session: string, connection: string): readonly (() => void)[] {
    const restores: (() => void)[] = [];
    for (const { joined } of this.#links.values())
      for (const [stream, one] of joined)
        if (one.session === session && one.connection === connection) {
          joined.delete(stream);
          restores.push(() => void joined.set(stream, one));
        }
    return restores;
  }

  /** A host is gone: its connections are lost. */
  async drop(host: string): Promise<void> {
    const known = this.#links.get(host);
    this.#links.delete(host);
    const joined = [...(known?.joined.values() ?? [])];
    // all at once: a connection that joins again meanwhile would be removed
    await Promise.all(joined.map(({ session, connection }) => this.#parts.runtime.leave(session, connection, 'lost')));
  }
}
