// Opens a WebSocket that can be cut.
//
// A standard WebSocket closes by a handshake. Over a dead line the handshake is never answered, and in Node the socket keeps the process alive until TCP
// gives up. Node's WebSocket passes its TCP socket to the handler of its dispatcher: that one can be destroyed.

/** A WebSocket, or an object like one: that of `ws` is, and has `terminate`. */
export interface ClientSocket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  /** The type of binary messages; the client sets it to `arraybuffer` where it has asked for sound. */
  binaryType?: string;
  /** Sends a text, or bytes where the client has asked for sound. */
  send(message: string | Uint8Array): void;
  close(code?: number): void;
  /** Closes without a handshake. */
  terminate?(): void;
}

export type CreateSocket = (url: string, protocol: string) => ClientSocket;

/** The part of undici that is needed: https://undici.nodejs.org, Dispatcher. */
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** The key of Node's dispatcher of all requests, which is there once one was made or `WebSocket` was read. */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1');
const upgrades: readonly (string | symbol)[] = ['onUpgrade', 'onRequestUpgrade'];

/** Opens the platform's WebSocket; in Node, with `terminate`. */
export const openSocket: CreateSocket = (url, protocol) => {
  const Socket = WebSocket as unknown as new (url: string, init: unknown) => ClientSocket; // Node loads it when it is read; the standard's type knows no dispatcher
  const inner = (globalThis as { [globalDispatcher]?: Dispatcher })[globalDispatcher]; // no type of the standard has Node's symbol
  if (!inner) return new Socket(url, [protocol]);
  let cut = () => {};
  const dispatcher: Dispatcher = {
    dispatch: (options, handler) =>
      inner.dispatch(
        options,
        reportingUpgrade(handler, (tcp) => {
          cut = () => tcp.destroy();
        }),
      ),
  };
  return Object.assign(new Socket(url, { protocols: [protocol], dispatcher }), { terminate: () => cut() });
};

/** The handler, which also reports the TCP socket of the upgrade. */
function reportingUpgrade(handler: object, onUpgrade: (tcp: { destroy(): void }) => void): object {
  return new Proxy(handler, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function' || !upgrades.includes(key)) return value;
      return (...args: unknown[]) => {
        onUpgrade(args.at(-1) as { destroy(): void }); // both pass the TCP socket as the last argument
        return value.apply(target, args);
      };
    },
  });
}
