// The core of the gateway: it takes peers in, knows how many there are, and lets them go. It knows no socket.
import { fromPromise } from 'xstate';
import { connectionMachine, type Known, type NotKnown, type VerifyInput } from '../../machines/connection.ts';
import type { CommandFrame } from '../protocol/client-frames.ts';
import type { CloseName } from '../protocol/close-codes.ts';
import type { Runtime } from '../session/api.ts';
import type { Sources } from '../sources/sources.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { type Connection, createConnection } from './connection.ts';
import { type GatewayLimits, gatewayLimitsFrom } from './gateway-limits.ts';
import type { Peer, PeerListener } from './peer.ts';

export interface GatewayOptions {
  readonly runtime: Runtime;
  readonly sources: Pick<Sources, 'clock' | 'ids'>;
  readonly authenticator: Authenticator;
  readonly limits?: Partial<GatewayLimits>;
  /** Hears of what must not happen: bugs, a store that fails. Default: the console. */
  readonly report?: (error: unknown) => void;
}

export interface Gateway {
  readonly limits: GatewayLimits;
  readonly authenticator: Authenticator;
  /** Connections that are there now. */
  readonly size: number;
  /** `full`: as many connections as may be. `closing`: `close` was called. */
  readonly state: 'open' | 'full' | 'closing';
  /** Takes a peer in; null, with the peer closed, when there is no room. `token`: of the upgrade. */
  accept(peer: Peer, token: string | null): PeerListener | null;
  /** Closes every connection with the code `shutdown`; resolves when all are gone. To be called after the runtime's own close. */
  close(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { runtime, sources, authenticator, report = console.error } = options;
  const limits = gatewayLimitsFrom(options.limits);
  const connections = new Map<string, Connection>();
  let closing: PromiseWithResolvers<void> | null = null;

  const hasRoomFor = (id: string) =>
    [...connections.values()].filter(({ speaker }) => speaker?.id === id).length < limits.connectionsPerSpeaker;

  // the machine with its actions: made once, each action finds its connection by id, and none throws
  type Of = { readonly context: { readonly id: string } };
  function action<P>(act: (connection: Connection, params: P) => void) {
    return ({ context }: Of, params: P): void => {
      const connection = connections.get(context.id);
      if (!connection) return;
      try {
        act(connection, params);
      } catch (error) {
        report(error);
        connection.ask('gateway_failed');
      }
    };
  }
  const machine = connectionMachine.provide({
    actors: { verify: fromPromise<Known | NotKnown, VerifyInput>(({ input }) => verify(input)) },
    actions: {
      welcome: action((connection, known) => connection.welcome(known)),
      hold: action((connection, command) => connection.hold(command as CommandFrame)),
      take: action((connection, command) => connection.take(command as CommandFrame)),
      refuse: action((connection, { code, ref }) => connection.refuse(code, ref)),
      leaveAll: action((connection, how) => connection.leaveAll(how)),
      close: action((connection, because) => connection.close(because as CloseName)),
      cut: action((connection) => connection.cut()),
    },
  });

  async function verify({ id, token }: VerifyInput): Promise<Known | NotKnown> {
    try {
      const proof = await authenticator.verify(token ?? connections.get(id)?.upgradeToken ?? null);
      return proof ? { kind: 'known', ...proof } : { kind: 'refused', because: 'unauthorized' };
    } catch (error) {
      report(error);
      return { kind: 'refused', because: 'gateway_failed' };
    }
  }

  return {
    limits,
    authenticator,
    get size() {
      return connections.size;
    },
    get state() {
      if (closing) return 'closing';
      return connections.size >= limits.connections ? 'full' : 'open';
    },

    accept(peer, token) {
      if (closing || connections.size >= limits.connections) {
        peer.cut();
        return null;
      }
      const id = sources.ids('conn');
      const connection = createConnection({
        id,
        peer,
        token,
        machine,
        runtime,
        clock: sources.clock,
        limits,
        hasRoomFor: (speaker) => hasRoomFor(speaker.id),
        closed() {
          connections.delete(id);
          if (connections.size === 0) closing?.resolve();
        },
        report,
      });
      connections.set(id, connection);
      return connection;
    },

    close() {
      if (closing) return closing.promise;
      closing = Promise.withResolvers();
      for (const connection of connections.values()) connection.ask('shutdown');
      if (connections.size === 0) closing.resolve();
      return closing.promise;
    },
  };
}
