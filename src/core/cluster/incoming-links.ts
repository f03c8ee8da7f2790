// The links of other hosts to this one: passes their events to the streams that they are for, and notices what was lost.
import type { Bus } from '../contracts/bus.ts';
import type { LinkMessage, LinkPlace, ListenerEvent } from './event-links.ts';
import type { RemoteStream } from './remote-stream.ts';
import { hostSubject } from './subjects.ts';

interface IncomingLink {
  readonly link: string;
  /** The messages that have come. */
  count: number;
  readonly streams: Map<string, RemoteStream>;
}

export class IncomingLinks {
  /** By the host at the other end. */
  readonly #links = new Map<string, IncomingLink>();
  /** Streams that have no place yet, by id. */
  readonly #joining = new Map<string, RemoteStream>();
  readonly #unsubscribe: () => void;

  constructor(bus: Bus, host: string) {
    this.#unsubscribe = bus.subscribe(hostSubject(host), (text) => this.#onMessage(JSON.parse(text) as LinkMessage)); // sealed by a host of the cluster
  }

  /** Passes the events of a stream on, from now until it is removed. */
  add(stream: RemoteStream): void {
    this.#joining.set(stream.id, stream);
  }

  /** The holder has replied: the stream belongs to its link. */
  place(stream: RemoteStream, { host, link }: { readonly host: string; readonly link: string }): void {
    this.#joining.delete(stream.id);
    const known = this.#links.get(host);
    if (known?.link !== link) return stream.onLost();
    known.streams.set(stream.id, stream);
  }

  remove(stream: RemoteStream): void {
    stream.close();
    this.#joining.delete(stream.id);
    for (const { streams } of this.#links.values()) streams.delete(stream.id);
  }

  /** A host says how far its link to this one has come; null: it has none. */
  onPlace(host: string, place: LinkPlace | null): void {
    const known = this.#links.get(host);
    if (known && (known.link !== place?.link || known.count < place.count)) this.#break(host, known);
  }

  /** A host is gone. */
  drop(host: string): void {
    const known = this.#links.get(host);
    if (known) this.#break(host, known);
  }

  close(): void {
    this.#unsubscribe();
  }

  #onMessage({ from, link, count, events }: LinkMessage): void {
    let known = this.#links.get(from);
    if (known?.link !== link) {
      if (known) this.#break(from, known);
      known = { link, count: 0, streams: new Map() };
      this.#links.set(from, known);
    }
    if (count <= known.count) return;
    const isLost = count > known.count + 1;
    if (isLost) for (const stream of [...known.streams.values(), ...this.#joining.values()]) stream.onLost();
    known.count = count;
    for (const { streams, kind, value } of events) {
      const event = { kind, value } as ListenerEvent; // the holder has made the value of what a listener gets by this method
      for (const id of streams) (known.streams.get(id) ?? this.#joining.get(id))?.onEvent(event);
    }
  }

  /** Forgets a link, and what comes over it: its streams are joined again. */
  #break(host: string, link: IncomingLink): void {
    this.#links.delete(host);
    for (const stream of link.streams.values()) stream.onLost();
  }
}
