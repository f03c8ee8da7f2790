// A client of a gateway without a socket: it records what it is sent, with the time of a virtual clock, and may be a slow reader.
import { expect, onTestFinished } from 'vitest';
import type { Role } from '../../machines/vocabulary.ts';
import type { Runtime } from '../../src/core/session/api.ts';
import type { Sources } from '../../src/core/sources/sources.ts';
import type { VirtualClock } from '../../src/core/sources/virtual.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts';
import type { GatewayLimits } from '../../src/gateway/gateway-limits.ts';
import type { Peer, PeerListener } from '../../src/gateway/peer.ts';
import { decodeSound, encodeSound, type SoundFrame } from '../../src/wire/sound-codec.ts';
import type { RawFrame } from './raw-client.ts';
import { until } from './until.ts';

/** A message that was sent to the client. */
type SentMessage =
  | { readonly at: number; readonly frame: RawFrame; readonly sound: null }
  | { readonly at: number; readonly frame: null; readonly sound: SoundFrame };

export class MemoryPeer implements Peer {
  readonly received: SentMessage[] = [];
  readonly #clock: VirtualClock;
  #listener: PeerListener | null = null;
  /** What waits while it does not read. */
  #unread: { readonly bytes: number; readonly keep: () => void }[] = [];
  #reads = true;
  closedWith: string | null = null;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  connect(gateway: Gateway, token: string | null): void {
    this.#listener = gateway.accept(this, token, '127.0.0.1');
  }

  get bufferedBytes(): number {
    return this.#unread.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Stops reading: what it is sent waits. */
  pause(): void {
    this.#reads = false;
  }

  resume(): void {
    this.#reads = true;
    for (const { keep } of this.#unread.splice(0)) keep();
  }

  send(message: string | Uint8Array, sent: () => void): void {
    const keep = () => {
      this.#keep(message);
      sent();
    };
    if (this.#reads) keep();
    else this.#unread.push({ bytes: message.length, keep });
  }

  sendSoon(text: string, sent: () => void): void {
    this.send(text, sent);
  }

  ping(): void {
    this.#listener?.onPong();
  }

  close(_code: number, reason: string): void {
    this.closedWith = reason;
    queueMicrotask(() => this.#listener?.onClosed('lost'));
  }

  terminate(): void {
    this.#listener?.onClosed('lost');
  }

  /** Sends a frame to the gateway. */
  say(frame: object): void {
    const text = JSON.stringify(frame);
    this.#listener?.onMessage(text, text.length);
  }

  /** Sends bytes. */
  sayBytes(message: Uint8Array): void {
    this.#listener?.onMessage(message, message.length);
  }

  /** Sends sound of a speaker. */
  saySound(session: string, name: string, position: number, pcm: Uint8Array): void {
    this.sayBytes(encodeSound({ kind: 'speaker', session, name, block: 0, position, pcm }));
  }

  frames(type: string): readonly RawFrame[] {
    return this.received.flatMap(({ frame }) => (frame?.type === type ? [frame] : []));
  }

  /** The pieces of sound of a turn, of all without one. */
  sounds(turn?: string): readonly SoundFrame[] {
    return this.received.flatMap(({ sound }) => (sound && (turn === undefined || sound.name === turn) ? [sound] : []));
  }

  /** Resolves with the first frame of a type: for what waits for real I/O. */
  waitFor(type: string): Promise<RawFrame> {
    return until(() => this.frames(type)[0], { what: `the frame ${type}` });
  }

  #keep(message: string | Uint8Array): void {
    const at = this.#clock.now();
    if (typeof message === 'string') return void this.received.push({ at, frame: JSON.parse(message), sound: null });
    const decoded = decodeSound(message, 'speech');
    expect(decoded.ok, 'a binary frame is sound').toBe(true);
    if (decoded.ok) this.received.push({ at, frame: null, sound: decoded.sound });
  }
}

export type RoomToken = 'a-token-of-the-bridge' | 'a-token-of-ann-alone' | 'a-token-of-eve-alone';

interface TokenEntry {
  speaker: string;
  roles: Role[];
}

const tokens: Record<RoomToken, TokenEntry> = {
  'a-token-of-the-bridge': { speaker: 'discord', roles: ['bridge', 'moderator'] },
  'a-token-of-ann-alone': { speaker: 'ann', roles: ['member'] },
  'a-token-of-eve-alone': { speaker: 'eve', roles: ['member'] },
};

export interface MemoryGateway {
  /** Connects, and resolves with the client after its welcome. */
  connect(token: RoomToken, hello?: object): Promise<MemoryPeer>;
}

/** Opens a gateway without a socket, on a virtual clock. */
export function openGateway(
  runtime: Runtime,
  sources: Sources & { readonly clock: VirtualClock },
  limits: Partial<GatewayLimits> = {},
): MemoryGateway {
  const reports: unknown[] = [];
  const gateway = createGateway({
    runtime,
    sources,
    limits,
    authenticator: createTokenAuthenticator(tokens),
    report: (error) => reports.push(error),
  });
  onTestFinished(() => expect(reports).toEqual([]));
  return {
    async connect(token, hello = {}) {
      const peer = new MemoryPeer(sources.clock);
      peer.connect(gateway, token);
      peer.say({ type: 'HELLO', ...hello });
      await peer.waitFor('welcome');
      return peer;
    },
  };
}
