// A connection within the process: the socket of a client and the peer of a gateway, whose messages the scheduler delivers.
import type { ClientSocket } from '../../../src/client/open-socket.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { defaultGatewayLimits } from '../../../src/gateway/gateway-limits.ts';
import type { Peer, PeerListener } from '../../../src/gateway/peer.ts';
import { normalClosure } from '../../../src/wire/close-codes.ts';
import type { Scheduler } from './scheduler.ts';

/** The close code of a connection that was lost. */
const lostCode = 1006;

export interface SimulatedSocketOptions {
  readonly scheduler: Scheduler;
  /** The gateway that listens; null: none does, and a connection is refused. */
  gateway(): Gateway | null;
  /** Names the lanes. Unique in the run. */
  readonly name: string;
  /** The longest way of a frame, in virtual milliseconds. */
  readonly withinMs: number;
  /** Sees each frame when the client sends it. */
  onSent(text: string): void;
  /** Sees each frame as the client gets it. */
  onDelivered(text: string): void;
}

export class SimulatedSocket implements ClientSocket {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  readonly #options: SimulatedSocketOptions;
  #listener: PeerListener | null = null;
  #bufferedBytes = 0;
  /** `deserted`: the gateway is dead, and what it has sent is on its way. */
  #state: 'connecting' | 'open' | 'deserted' | 'closed' = 'connecting';

  constructor(options: SimulatedSocketOptions) {
    this.#options = options;
    this.#toGateway(() => this.#connect());
  }

  // -- the end of the client

  send(text: string): void {
    this.#options.onSent(text);
    this.#toGateway(() => {
      if (this.#state === 'open') this.#listener?.onMessage(text, Buffer.byteLength(text));
    });
  }

  /** More than a gateway replies to with errors. */
  sendBadFrames(): void {
    const count = defaultGatewayLimits.errorBurst + 1;
    this.#toGateway(() => {
      for (let i = 0; i < count && this.#state === 'open'; i++) this.#listener?.onMessage('{', 1);
    });
  }

  close(): void {
    this.#toGateway(() => this.#close(normalClosure, ''));
  }

  terminate(): void {
    this.lose();
  }

  /** The connection breaks: frames in flight are lost, and both ends see it at once. */
  lose(): void {
    this.#close(lostCode, '');
  }

  /** The process of the gateway dies. `isSentKept`: what it has sent still arrives. */
  crash(isSentKept: boolean): void {
    if (this.#state !== 'open') return;
    const { scheduler, name } = this.#options;
    this.#listener = null;
    this.#state = 'deserted';
    if (!isSentKept) scheduler.drop(`gateway to ${name}`);
    this.#toClient(() => this.#close(lostCode, ''));
  }

  // -- the end of the gateway

  readonly #peer: Peer = Object.defineProperty(
    {
      bufferedBytes: 0,
      send: (text: string, sent: () => void) => this.#deliver(text, sent),
      sendSoon: (text: string, sent: () => void) => this.#deliver(text, sent),
      ping: () => this.#toClient(() => this.#toGateway(() => this.#listener?.onPong())),
      close: (code: number, reason: string) => this.#toClient(() => this.#close(code, reason)),
      terminate: () => this.#toClient(() => this.#close(lostCode, '')),
    },
    'bufferedBytes',
    { get: () => this.#bufferedBytes },
  );

  #connect(): void {
    if (this.#state !== 'connecting') return;
    const gateway = this.#options.gateway();
    if (!gateway) return this.lose();
    const listener = gateway.accept(this.#peer, null, '127.0.0.1');
    if (!listener) return;
    this.#listener = listener;
    this.#state = 'open';
    this.#toClient(() => this.onopen?.({} as never));
  }

  #deliver(text: string, sent: () => void): void {
    if (this.#state === 'deserted') return;
    const bytes = Buffer.byteLength(text);
    this.#bufferedBytes += bytes;
    this.#toClient(() => {
      this.#bufferedBytes -= bytes;
      if (this.#state !== 'deserted') sent();
      if (this.#state === 'closed') return;
      this.#options.onDelivered(text);
      this.onmessage?.({ data: text } as never);
    });
  }

  #close(code: number, reason: string): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#listener?.onClosed(code === normalClosure ? 'left' : 'lost');
    this.#toClient(() => this.onclose?.({ code, reason } as never));
  }

  #toGateway(act: () => void): void {
    const { scheduler, name, withinMs } = this.#options;
    scheduler.put(`${name} to the gateway`, withinMs, act);
  }

  #toClient(act: () => void): void {
    const { scheduler, name, withinMs } = this.#options;
    scheduler.put(`gateway to ${name}`, withinMs, act);
  }
}
