// The runtime: its sessions by id, opened when somebody asks for them, given back when nobody needs them.

import { sayRefused } from '../session/actions.ts';
import type { Runtime, Session } from '../session/api.ts';
import { endLeftovers } from '../session/leftover-processes.ts';
import { createHost, type Host, type Shared } from '../session/session.ts';
import { defaultSession } from '../session/session-spec.ts';
import { keepAlive, systemSources } from '../sources/system.ts';
import { createSchedule } from '../tools/keys.ts';
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
    keys: createSchedule(),
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

  /** Stays valid when its session falls asleep: the next call wakes it. */
  const face = (first: Host): Session => {
    const { id, kind, policy } = first;
    const host = (): Host | Promise<Host> => {
      const now = hosts.get(id);
      return now?.isOpen() ? now : awake(id);
    };
    // no `await` where the host is awake: what is said in one tick arrives in that order
    const ask = <T>(question: (host: Host) => Promise<T>): Promise<T> => {
      const now = host();
      return now instanceof Promise ? now.then(question) : question(now);
    };
    return {
      id,
      kind,
      policy,
      join: (member, listener, after) => ask((it) => it.join(member, listener, after)),
      leave: (connection, how) => hosts.get(id)?.leave(connection, how),
      say: (member, said) =>
        life === 'closing' ? Promise.resolve(sayRefused('session_closing')) : ask((it) => it.say(member, said)),
      cancel: (member, request) => ask((it) => it.cancel(member, request)),
      answer: (member, request) => ask((it) => it.answer(member, request)),
      nodes: () => hosts.get(id)?.nodes() ?? [],
    };
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
    async session(id) {
      return face(await awake(id));
    },
    close({ force = false } = {}) {
      if (life === 'open') {
        life = 'closing';
        closed = stayAlive(() => shutDown(force));
      } else if (force) for (const host of hosts.values()) host.close(true);
      return closed;
    },
  };
}
