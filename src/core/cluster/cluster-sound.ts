// Carries sound between the hosts of a cluster: whoever has subscribed on one host receives what is published on another.
import type { Bus } from '../contracts/bus.ts';
import type { SoundListener, SoundRelay, SpeakerSound, SpeechSound, SpokenPlace } from '../contracts/sound.ts';
import { soundSubject } from './subjects.ts';

/** A piece of sound on the bus. `pcm`: in base64. */
type CarriedSound = { readonly host: string; readonly pcm: string } & (
  | { readonly kind: 'speaker'; readonly sound: Omit<SpeakerSound, 'pcm'> }
  | { readonly kind: 'speech'; readonly sound: Omit<SpeechSound, 'pcm'> }
);

/** The subscription of this host to the sound of a session. */
interface Carried {
  listeners: number;
  readonly unsubscribe: () => void;
}

export class ClusterSound implements SoundRelay {
  readonly #own: SoundRelay;
  readonly #bus: Pick<Bus, 'publish' | 'subscribe'>;
  readonly #host: string;
  readonly #sessions = new Map<string, Carried>();

  /** `own`: passes sound on within this host. `host`: a name that no other host has. */
  constructor(own: SoundRelay, bus: Pick<Bus, 'publish' | 'subscribe'>, host: string) {
    this.#own = own;
    this.#bus = bus;
    this.#host = host;
  }

  publishSpeaker(session: string, { pcm, ...sound }: SpeakerSound): void {
    this.#own.publishSpeaker(session, { ...sound, pcm });
    this.#publish(session, { host: this.#host, kind: 'speaker', sound, pcm: base64Of(pcm) });
  }

  publishSpeech(session: string, { pcm, ...sound }: SpeechSound): void {
    this.#own.publishSpeech(session, { ...sound, pcm });
    this.#publish(session, { host: this.#host, kind: 'speech', sound, pcm: base64Of(pcm) });
  }

  subscribe(session: string, listener: SoundListener): () => void {
    const subscribe = () => this.#bus.subscribe(soundSubject(session), (text) => this.#onText(session, text));
    const carried = this.#sessions.get(session) ?? { listeners: 0, unsubscribe: subscribe() };
    this.#sessions.set(session, carried);
    carried.listeners += 1;
    const unsubscribe = this.#own.subscribe(session, listener);
    let state: 'subscribed' | 'over' = 'subscribed';
    return () => {
      if (state === 'over') return;
      state = 'over';
      unsubscribe();
      carried.listeners -= 1;
      if (carried.listeners > 0) return;
      carried.unsubscribe();
      this.#sessions.delete(session);
    };
  }

  placeAt(...given: Parameters<SoundRelay['placeAt']>): SpokenPlace | null {
    return this.#own.placeAt(...given);
  }

  #publish(session: string, carried: CarriedSound): void {
    this.#bus.publish(soundSubject(session), JSON.stringify(carried));
  }

  #onText(session: string, text: string): void {
    const carried = JSON.parse(text) as CarriedSound; // a host of the cluster has sent it
    if (carried.host === this.#host) return;
    const pcm = new Uint8Array(Buffer.from(carried.pcm, 'base64'));
    if (carried.kind === 'speaker') this.#own.publishSpeaker(session, { ...carried.sound, pcm });
    else this.#own.publishSpeech(session, { ...carried.sound, pcm });
  }
}

const base64Of = (pcm: Uint8Array): string => Buffer.from(pcm.buffer, pcm.byteOffset, pcm.length).toString('base64');
