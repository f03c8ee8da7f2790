// The runtime as a library: the parts that nobody wants to name have a default, and a session has seats for its speakers.
import { roles as allRoles, type Role, type Speaker } from '../../machines/vocabulary.ts';
import type { RuntimeConfig } from '../runtime/config.ts';
import { createRuntime as createInner } from '../runtime/runtime.ts';
import type { Runtime } from '../session/api.ts';
import { keepAlive, systemSources } from '../sources/system.ts';
import type { Log } from '../transcript/log.ts';
import { createMemoryLog } from '../transcript/memory.ts';
import { createSqliteLog } from '../transcript/sqlite.ts';
import { type BoundSession, bindSession } from './bound-session.ts';
import { createHold, noHold } from './keep-alive.ts';
import { type Seat, sit } from './local-session.ts';

export interface RuntimeOptions extends Omit<RuntimeConfig, 'log'> {
  /** A SQLite file for the transcripts, made with its folder where it does not exist. Left out, as `log`: they are kept in memory, and lost. */
  readonly store?: string;
  /** A log of your own, instead of `store`. It stays yours: `close()` leaves it open. */
  readonly log?: Log;
}

export interface SeatOptions {
  /** Replay the facts behind this number first; 0: all of them. Left out: only what happens from now on. */
  readonly after?: number;
}

/** A session of this process. What it has beside `as` is what a door of one's own is built on: see docs/how-to/embed.md. */
export interface EmbeddedSession extends BoundSession {
  /**
   * Takes a seat: whatever is said and stopped from it is the speaker's, who has the role `member` where only a name is given. The speaker is believed: prove it before.
   * A seat is a member of the session until it leaves.
   */
  as(speaker: string | Speaker, options?: SeatOptions): Seat;
}

export interface EmbeddedRuntime extends Runtime {
  /**
   * Opens a session, or gives the one that is open.
   *
   * @throws `RuntimeClosing` when `close` was called, `StoreFailed`, or `Fenced` when another host holds it.
   */
  session(id: string): Promise<EmbeddedSession>;
  /** A shutdown: everything that runs is cancelled (cause `shutdown`) and waited for, `limits.shutdownMs` at most; then what was given to `closeWith`. `force` skips the grace, also in a second call. */
  close(how?: { readonly force?: boolean }): Promise<void>;
  /** `close` calls this when everything has stopped, and waits for it. Returns the way to take it back. */
  closeWith(also: () => Promise<void>): () => void;
}

/**
 * Starts a runtime. Sessions that a dead process has left behind in the store are recovered first.
 *
 * @throws `RangeError` where a limit, a timeout or an agent is wrong, `ToolDeclarationError` where a tool is; they name the field. `StoreFailed` where the store cannot be opened.
 */
export async function createRuntime({ store, log, ...config }: RuntimeOptions): Promise<EmbeddedRuntime> {
  if (store !== undefined && log) throw new RangeError('store and log: give one of them');
  const sources = config.sources ?? systemSources;
  const warn = config.warn ?? ((message: string, error?: unknown) => console.error(`belay: ${message}`, error ?? ''));
  const hold = sources.clock === systemSources.clock ? createHold(keepAlive) : noHold;
  const made = log ? null : store === undefined ? createMemoryLog() : createSqliteLog({ path: store });
  const also = new Set<() => Promise<void>>();
  let closed: Promise<void> | null = null;

  const start = async () => {
    try {
      return await createInner({ ...config, log: log ?? (made as Log), sources, warn });
    } catch (error) {
      await made?.close();
      throw error;
    }
  };
  const inner = await start();

  const shutDown = async (how?: { readonly force?: boolean }) => {
    await inner.close(how);
    for (const end of await Promise.allSettled([...also].map((close) => close()))) {
      if (end.status === 'rejected') warn('what closes with the runtime has failed', end.reason);
    }
    await made?.close();
  };
  const runtime: EmbeddedRuntime = {
    ...inner,
    async session(id) {
      const session = await bindSession(inner, id);
      return Object.assign(session, {
        as: (speaker: string | Speaker, { after = null }: { readonly after?: number | null } = {}) =>
          sit({ runtime: inner, session: id, speaker: speakerOf(speaker), after, ids: sources.ids, hold, warn }),
      });
    },
    close(how) {
      if (closed && how?.force) void inner.close(how);
      closed ??= shutDown(how);
      hold.until(closed);
      return closed;
    },
    closeWith(close) {
      also.add(close);
      return () => void also.delete(close);
    },
  };
  return runtime;
}

function speakerOf(speaker: string | Speaker): Speaker {
  const { id, roles } = typeof speaker === 'string' ? { id: speaker, roles: ['member'] as const } : speaker;
  if (id === '') throw new RangeError('a speaker has a name');
  const stranger = (roles as readonly Role[]).find((role) => !allRoles.includes(role));
  if (stranger !== undefined) throw new RangeError(`there is no role ${stranger}: there are ${allRoles.join(', ')}`);
  return { id, roles };
}
