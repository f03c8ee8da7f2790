// The runtime: its sessions by id, opened when somebody asks for them, given back when nobody needs them.

import { sayRefused } from '../session/actions.ts';
import type { Runtime } from '../session/api.ts';
import { endLeftovers } from '../session/leftover-processes.ts';
import { createHost, type Host, type Shared } from '../session/session.ts';
import { defaultSession } from '../session/session-spec.ts';
import { keepAlive, systemSources } from '../sources/system.ts';
import { ExclusiveKeys } from '../tools/keys.ts';
import { limitsFrom } from '../workers/session-limits.ts';
import { createOffers } from './agent-profiles.ts';
import type { RuntimeConfig } from './config.ts';
import { sessionLogic } from './provide.ts';
import { toolTimeoutsFrom } from './tool-timeouts.ts';

/** The runtime is closing, and opens no session any more. */
export class RuntimeClosing extends Error {
  override readonly name = 'RuntimeClosing';
}

/**
 * Starts a runtime. Sessions that a dead process has left behind are recovered first: what was open is closed, processes that
 * live on are ended.
 *
 * @throws RangeError where a limit, a timeout or an agent is wrong, `ToolDeclarationError` where a tool is; they name the field.
 */
export async function createRuntime(config: RuntimeConfig): Promise<Runtime> {
  const sources = config.sources ?? systemSources;
  const warn = config.warn ?? ((message, error) => console.error(`belay: ${message}`, error ?? ''));
  const limits = limitsFrom(config.limits);
  const shared: Shared = {
    config,
    logic: sessionLogic,
    limits,
    sources,
    keys: new ExclusiveKeys(),
    holder: config.host ?? sources.ids('host'),
    offer: createOffers(config, limits),
    toolTimeouts: toolTimeoutsFrom(config),
    endLeftovers: (calls, facts) =>
      endLeftovers({ calls, facts, termGraceMs: limits.termGraceMs, patienceMs: limits.toolCancelMs, warn }),
    warn,
  };
  const hosts = new Map<string, Host>();
  let life: 'open' | 'closing' = 'open';
  let closed = Promise.resolve();

  const open = (id: string): Host => {
    const spec = { ...defaultSession, ...config.session?.(id) };
    const host = createHost(id, spec, shared);
    hosts.set(id, host);
    void host.ended.then(() => {
      if (hosts.get(id) === host) hosts.delete(id);
    });
    host.opened.catch(() => hosts.get(id) === host && hosts.delete(id));
    host.start();
    armIdle(host);
    return host;
  };
  const armIdle = (host: Host) =>
    sources.clock.after(limits.idleMs, () => {
      if (!host.isOpen()) return;
      host.sleep();
      armIdle(host);
    });
  /** The awake host of a session; one that is ending is waited for. */
  const awake = async (id: string): Promise<Host> => {
    for (;;) {
      if (life === 'closing') throw new RuntimeClosing('The runtime is closing.');
      const host = hosts.get(id) ?? open(id);
      if (host.isOpen()) {
        await host.opened;
        if (host.isOpen()) return host;
      }
      await host.ended;
    }
  };

  // no `await` where the session is awake: what is sent in one tick arrives in that order
  const ask = <T>(id: string, command: (host: Host) => Promise<T>): Promise<T> => {
    const host = hosts.get(id);
    return host?.isReady() ? command(host) : awake(id).then(command);
  };

  /** The clock's timers let a process end, but not one that is being recovered or shut down. */
  const stayAlive = <T>(work: () => Promise<T>): Promise<T> => {
    const release = sources.clock === systemSources.clock ? keepAlive() : () => {};
    return work().finally(release);
  };
  const shutDown = async (force: boolean) => {
    const all = [...hosts.values()];
    await Promise.allSettled(all.map((host) => host.opened));
    for (const host of all) host.close(force);
    const settled = Promise.all(all.filter((host) => host.isOpen()).map((host) => host.ended));
    const { promise: overdue, resolve } = Promise.withResolvers<void>();
    const disarm = sources.clock.after(limits.shutdownMs, resolve);
    await Promise.race([settled, overdue]);
    disarm();
    for (const host of all) host.demolish('shutdown');
    await Promise.all(all.map((host) => host.ended));
  };

  await stayAlive(async () => {
    for (const id of await config.log.held()) await awake(id);
  });

  return {
    open: async (id) => {
      const { kind, policy } = await awake(id);
      return { session: id, kind, policy };
    },
    join: (id, caller, listener, after) => ask(id, (host) => host.join(caller, listener, after)),
    leave: async (id, connection, how) => hosts.get(id)?.leave(connection, how),
    say: (id, caller, said) =>
      life === 'closing' ? Promise.resolve(sayRefused('session_closing')) : ask(id, (host) => host.say(caller, said)),
    cancel: (id, caller, request) => ask(id, (host) => host.cancel(caller, request)),
    settled: (id, cancel) => ask(id, (host) => host.settled(cancel)),
    answer: (id, caller, request) => ask(id, (host) => host.answer(caller, request)),
    nodes: async (id) => hosts.get(id)?.nodes() ?? [],
    close({ force = false } = {}) {
      if (life === 'open') {
        life = 'closing';
        closed = stayAlive(() => shutDown(force));
      } else if (force) for (const host of hosts.values()) host.close(true);
      return closed;
    },
  };
}
