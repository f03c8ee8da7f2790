// Exclusive keys: who holds which, who waits for it, in the order in which they came.
//
// Owner: the runtime (one for all sessions of a host). Neighbors: the worker of a call's `queued` phase acquires; the live tree
// says when a node has settled as abandoned, and when it is gone.
// 1. A key has one holder, from its `go` until its node is gone: an abandoned call that may still write keeps it.
// 2. Waiting callers get it in the order in which they came; one that leaves holds up nobody.
// 3. Nobody waits behind an abandoned holder: nothing bounds that wait.
import type { NodeId } from '../../machines/vocabulary.ts';
import type { Key } from './tool.ts';

export type Acquired =
  | { readonly kind: 'go' }
  /** The signal fired first. It holds nothing. */
  | { readonly kind: 'stopped' }
  /** The abandoned call `by` has it. */
  | { readonly kind: 'key_held'; readonly by: NodeId };

export interface Schedule {
  /** One key for each id. Rejects where the id has asked before and is not gone. */
  acquire(id: NodeId, keyName: string, signal: AbortSignal): Promise<Acquired>;
  /** The node is gone: the next in line goes. Harmless for a node without a key. */
  release(id: NodeId): void;
  /** The node has settled as abandoned: it keeps its key, and whoever waits or comes is told `key_held` at once. */
  abandoned(id: NodeId): void;
  /** The names of the keys that somebody holds. */
  held(): string[];
}

interface Place {
  readonly id: NodeId;
  readonly keyName: string;
  /** Ends the wait; harmless where there is none. */
  readonly tell: (acquired: Acquired) => void;
}

interface Line {
  readonly holder: { readonly id: NodeId; readonly state: 'running' | 'abandoned' };
  readonly waiting: readonly Place[];
}

/** What a key is called among all keys of a host. */
export function keyName({ scope, name }: Key, session: string): string {
  return scope === 'host' ? `host:${name}` : `session:${session}:${name}`;
}

export function createSchedule(): Schedule {
  const lines = new Map<string, Line>();
  const places = new Map<NodeId, Place>();

  /** Leaves the line; of a holder, hands the key on. */
  const leave = (id: NodeId): Place | undefined => {
    const place = places.get(id);
    const line = place && lines.get(place.keyName);
    if (!line) return undefined;
    places.delete(id);
    if (line.holder.id !== id) {
      lines.set(place.keyName, { ...line, waiting: line.waiting.filter((other) => other !== place) });
      return place;
    }
    const [next, ...waiting] = line.waiting;
    if (!next) {
      lines.delete(place.keyName);
      return place;
    }
    lines.set(place.keyName, { holder: { id: next.id, state: 'running' }, waiting });
    next.tell({ kind: 'go' });
    return place;
  };

  return {
    async acquire(id, name, signal) {
      if (signal.aborted) return { kind: 'stopped' };
      if (places.has(id)) throw new Error(`The node ${id} has asked for a key already.`);
      const line = lines.get(name);
      if (line?.holder.state === 'abandoned') return { kind: 'key_held', by: line.holder.id };
      if (!line) {
        places.set(id, { id, keyName: name, tell: () => {} });
        lines.set(name, { holder: { id, state: 'running' }, waiting: [] });
        return { kind: 'go' };
      }
      return new Promise((resolve) => {
        const onAbort = () => leave(id)?.tell({ kind: 'stopped' });
        const tell = (acquired: Acquired) => {
          signal.removeEventListener('abort', onAbort);
          resolve(acquired);
        };
        const place = { id, keyName: name, tell };
        places.set(id, place);
        lines.set(name, { ...line, waiting: [...line.waiting, place] });
        signal.addEventListener('abort', onAbort);
      });
    },

    release(id) {
      leave(id)?.tell({ kind: 'stopped' }); // a node that is gone waits no longer; to a holder it says nothing
    },

    abandoned(id) {
      const place = places.get(id);
      const line = place && lines.get(place.keyName);
      if (!line || line.holder.id !== id) return;
      lines.set(place.keyName, { holder: { id, state: 'abandoned' }, waiting: [] });
      for (const waiting of line.waiting) {
        places.delete(waiting.id);
        waiting.tell({ kind: 'key_held', by: id });
      }
    },

    held: () => [...lines.keys()],
  };
}
