// A server of tools over all its lives: started when a call needs it, again after a pause where it has ended.
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { pause } from '../sources/pause.ts';
import { openHttp } from './http-transport.ts';
import type { McpServer } from './server-config.ts';
import {
  type CallEnd,
  type CallRequest,
  type CallWatch,
  type Connection,
  openConnection,
} from './server-connection.ts';
import { openStdio, type WireOptions } from './stdio-transport.ts';
import { McpFailure, Unheard, type Wire } from './transport.ts';
import { untilAborted } from './until-aborted.ts';

export interface Server {
  /** Starts it. Throws an `McpFailure`. */
  list(): Promise<readonly ListedTool[]>;
  call(request: CallRequest, watch: ServerWatch): Promise<CallEnd>;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

export interface ServerWatch extends CallWatch {
  /** The call depends on this process. */
  onProcess(process: NonNullable<Wire['process']>): void;
}

/** How often a call is made again that no session has heard. */
const maxTries = 5;

export function createServer(spec: McpServer, options: WireOptions): Server {
  const { clock, limits } = options;
  const wires = new Set<Wire>();
  const closing = new AbortController();
  let current: Promise<Connection> | null = null;
  /** How many lives have failed in a row; one that was ended for a call that did not stop counts as one. */
  let failures = 0;
  let notBefore = 0;

  const openWire = (): Wire | Promise<Wire> => ('command' in spec ? openStdio(spec, options) : openHttp(spec, options));

  /** The next life waits from now on. */
  function strike(count: number): void {
    failures = count;
    const ms = Math.min(limits.restartMinMs * 2 ** (failures - 1), limits.restartMaxMs);
    notBefore = clock.now() + ms;
  }

  async function open(): Promise<Connection> {
    const waitMs = notBefore - clock.now();
    if (waitMs > 0) await pause(clock, waitMs, closing.signal);
    try {
      if (closing.signal.aborted) throw new McpFailure('was closed', { code: 'mcp_unavailable' });
      const wire = await openWire();
      wires.add(wire);
      void wire.ended.then(() => wires.delete(wire));
      if (closing.signal.aborted) wire.end({ kind: 'closed', message: 'was closed' }, 'now');
      const connection = await openConnection(wire, { clock, limits, isTrusted: spec.trusted ?? false });
      void wire.ended.then(({ kind }) => strike(kind === 'closed' ? 1 : failures + 1));
      return connection;
    } catch (error) {
      strike(failures + 1);
      throw error;
    }
  }

  /** A session that takes calls; several that ask get the same. */
  async function ready(): Promise<Connection> {
    for (;;) {
      const opening = current ?? open();
      current = opening;
      const connection = await opening.catch((error) => {
        if (current === opening) current = null;
        throw error;
      });
      if (await connection.isUsable()) return connection;
      if (current === opening) current = null;
    }
  }

  return {
    async list() {
      return (await ready()).list();
    },

    async call(request, watch) {
      for (let tries = 0; tries < maxTries; tries++) {
        const opened = ready().catch((error): McpFailure => error);
        const connection = await untilAborted(opened, watch.signal);
        if (connection === 'aborted') return { kind: 'stopped', forced: false, seen: true };
        if (connection instanceof Error) return { kind: 'failed', failure: connection };
        const { process } = connection.wire;
        if (process) watch.onProcess(process);
        const end = await connection.call(request, watch);
        if (end.kind === 'answered') failures = 0;
        if (end.kind !== 'unheard') return end;
      }
      return { kind: 'failed', failure: new Unheard() };
    },

    async close() {
      closing.abort();
      const ends = [...wires].map((wire) => {
        wire.end({ kind: 'closed', message: 'was closed' }, 'kindly');
        return wire.ended;
      });
      await current?.catch(() => {});
      await Promise.all([...ends, ...[...wires].map((wire) => wire.ended)]);
    },
  };
}
