// Exclusive keys: which node holds which key, and which nodes wait for it.
//
// Owner: the runtime (one instance for all sessions of a host). The worker of a call's `queued` phase acquires a key; the live tree
// reports a node that has settled as abandoned, and one that is gone.
// 1. A key has one holder, from its `go` until its node is gone: an abandoned call that may still write keeps it.
// 2. Waiting nodes get the key in the order of their requests; a node that stops waiting delays nobody.
// 3. Nobody waits for an abandoned holder: that wait would have no limit.
import { addAbortListener } from 'node:events';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { ExclusiveKey } from './tool.ts';

export type Acquired =
  | { readonly kind: 'go' }
  /** The signal fired first, or the node is gone. It holds nothing. */
  | { readonly kind: 'stopped' }
  /** The abandoned call `by` holds the key. */
  | { readonly kind: 'key_held'; readonly by: NodeId };

/** Gives exclusive keys to nodes, one key to each node. */
export interface KeyService {
  /** Keys that are held, and requests of nodes that are not gone. */
  readonly size: number;
  /**
   * Waits for a key.
   * @param keyName The key's name among all keys of the host: see `keyName`.
   * @param signal Ends the wait; it takes nothing from a node that holds its key.
   * @returns Rejects if the node has requested a key before and is not gone.
   */
  acquire(node: NodeId, keyName: string, signal: AbortSignal): Promise<Acquired>;
  /** Passes the key of a node that is gone to the next waiting one, and ends its wait. No effect on a node without a request. */
  release(node: NodeId): void;
  /** Lets an abandoned node keep its key, and ends every wait for it, present and future, with `key_held`. */
  markAbandoned(node: NodeId): void;
}

interface KeyRequest {
  readonly node: NodeId;
  readonly keyName: string;
  /** Ends the wait. */
  readonly resolve: (acquired: Acquired) => void;
}

interface KeyQueue {
  holder: NodeId;
  state: 'held' | 'abandoned';
  readonly waiting: KeyRequest[];
}

/** Returns the name of a call's key among all keys of the host. */
export function keyName({ scope, name }: ExclusiveKey, session: string): string {
  return scope === 'host' ? `host:${name}` : `session:${session}:${name}`;
}

export class ExclusiveKeys implements KeyService {
  readonly #queues = new Map<string, KeyQueue>();
  readonly #requests = new Map<NodeId, KeyRequest>();

  get size(): number {
    return this.#queues.size + this.#requests.size;
  }

  async acquire(node: NodeId, keyName: string, signal: AbortSignal): Promise<Acquired> {
    if (signal.aborted) return { kind: 'stopped' };
    if (this.#requests.has(node)) throw new Error(`The node ${node} has requested a key already.`);
    const queue = this.#queues.get(keyName);
    if (queue?.state === 'abandoned') return { kind: 'key_held', by: queue.holder };
    const { promise, resolve } = Promise.withResolvers<Acquired>();
    const request: KeyRequest = { node, keyName, resolve };
    this.#requests.set(node, request);
    if (!queue) {
      this.#queues.set(keyName, { holder: node, state: 'held', waiting: [] });
      return { kind: 'go' };
    }
    queue.waiting.push(request);
    using _ = addAbortListener(signal, () => this.#stopWaiting(request));
    return await promise;
  }

  release(node: NodeId): void {
    const request = this.#requests.get(node);
    const queue = request && this.#queues.get(request.keyName);
    if (!queue) return;
    if (queue.holder !== node) return this.#stopWaiting(request);
    this.#requests.delete(node);
    const next = queue.waiting.shift();
    if (!next) {
      this.#queues.delete(request.keyName);
      return;
    }
    queue.holder = next.node;
    queue.state = 'held';
    next.resolve({ kind: 'go' });
  }

  markAbandoned(node: NodeId): void {
    const request = this.#requests.get(node);
    const queue = request && this.#queues.get(request.keyName);
    if (queue?.holder !== node) return;
    queue.state = 'abandoned';
    for (const waiting of queue.waiting.splice(0)) {
      this.#requests.delete(waiting.node);
      waiting.resolve({ kind: 'key_held', by: node });
    }
  }

  /** Returns the names of the keys that a node holds. */
  heldNames(): string[] {
    return [...this.#queues.keys()];
  }

  /** No effect once the wait is over: a signal may fire before `acquire` has removed its listener. */
  #stopWaiting(request: KeyRequest): void {
    const waiting = this.#queues.get(request.keyName)?.waiting ?? [];
    const at = waiting.indexOf(request);
    if (at === -1) return;
    waiting.splice(at, 1);
    this.#requests.delete(request.node);
    request.resolve({ kind: 'stopped' });
  }
}
