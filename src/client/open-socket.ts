// How a socket is made where this runs, and how it can be cut: what a connection needs of it.
//
// A WebSocket as the standard has it can say goodbye, and then waits for an answer. Over a line that is dead nobody answers, and in Node the socket would
// keep the process alive until TCP gives up. Node's own WebSocket tells its dispatcher which TCP socket it gets: that one can be destroyed.

/** A WebSocket, or what behaves like one: that of `ws` does, and can be cut. */
export interface ClientSocket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number): void;
  /** Without a goodbye. */
  terminate?(): void;
}

export type CreateSocket = (url: string, protocol: string) => ClientSocket;

/** The part of undici that is needed: https://undici.nodejs.org, Dispatcher. */
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** Where Node keeps the dispatcher of all its requests, once one was made or a WebSocket was asked for. */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1');
const upgrades: readonly (string | symbol)[] = ['onUpgrade', 'onRequestUpgrade'];

export const openSocket: CreateSocket = (url, protocol) => {
  const Socket = WebSocket as unknown as new (url: string, init: unknown) => ClientSocket; // naming it is what makes Node load it
  const inner = (globalThis as { [globalDispatcher]?: Dispatcher })[globalDispatcher];
  if (!inner) return new Socket(url, [protocol]);
  let cut = () => {};
  const dispatcher: Dispatcher = {
    dispatch: (options, handler) =>
      inner.dispatch(
        options,
        tapped(handler, (tcp) => {
          cut = () => tcp.destroy();
        }),
      ),
  };
  return Object.assign(new Socket(url, { protocols: [protocol], dispatcher }), { terminate: () => cut() });
};

/** The handler, which says with which TCP socket it is upgraded. */
function tapped(handler: object, upgraded: (tcp: { destroy(): void }) => void): object {
  return new Proxy(handler, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function' || !upgrades.includes(key)) return value;
      return (...args: unknown[]) => {
        upgraded(args.at(-1) as { destroy(): void });
        return value.apply(target, args);
      };
    },
  });
}
