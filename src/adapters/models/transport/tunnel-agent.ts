// An agent for https by a proxy. Node's own leaves the connection to the proxy open if its request is aborted before the tunnel is made.
import { addAbortListener } from 'node:events';
import { Agent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

export interface TunnelOptions extends RequestOptions {
  /** Closes the connection that is being made for the request. It must not abort after the request has its socket. */
  readonly connecting?: AbortSignal;
}

type OnConnection = (error: Error | null, stream: Duplex) => void;

/** Its requests have `TunnelOptions`. */
export class TunnelAgent extends Agent {
  override createConnection(options: TunnelOptions, callback?: OnConnection): Duplex | null | undefined {
    const { connecting } = options;
    if (!connecting) return super.createConnection(options, callback);
    const connection = super.createConnection(options, (error, stream) => {
      listening[Symbol.dispose]();
      callback?.(error, stream);
    });
    const listening = addAbortListener(connecting, () => connection?.destroy(new Error('The request was aborted.')));
    return connection;
  }
}
