// Exclusive keys: which calls hold which keys, and which calls wait for which.
//
// Owner: the runtime (one instance for all sessions of a host). The worker of a call's `queued` phase acquires a key; the live tree
// reports a node that has settled as abandoned, and one that is gone.
// 1. Two calls whose keys conflict never hold them at once. A call holds its key from `go` until its node is gone: an abandoned call
//    that may still write keeps it.
// 2. A call waits for every earlier request that conflicts with its own, also for one that waits; one that stops waiting delays nobody.
// 3. Nobody waits for an abandoned holder: that wait would have no limit.
import { addAbortListener } from 'node:events';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import { contains } from './folders.ts';

export type Acquired =
  | { readonly kind: 'go' }
  /** The signal fired first, or the node is gone. It holds nothing. */
  | { readonly kind: 'stopped' }
  /** The abandoned call `by` holds a key that conflicts. */
  | { readonly kind: 'key_held'; readonly by: NodeId };

/** A call that holds a key, or waits for one. */
export interface KeyUser {
  readonly node: NodeId;
  /** The name of the tool. */
  readonly name: string | null;
  readonly owner: SpeakerId;
  readonly session: string;
}

/** A key as it is compared with others: keys of different spaces never conflict. */
export interface ComparedKey {
  readonly space: string;
  /** `folder`: it conflicts with each folder that it contains, or that contains it. `name`: with the same name. */
  readonly kind: 'folder' | 'name';
  /** The real path of the folder, or the name. */
  readonly value: string;
}

/** Gives exclusive keys to calls, one key to each. */
export interface KeyService {
  /** The number of calls that hold a key or wait for one. */
  readonly size: number;
  /**
   * Waits for a key.
   * @param signal Ends the wait; it takes nothing from a call that holds its key.
   * @param onWaiting Called with the call that this one waits for: when the wait begins, and each time that it is another one.
   * @returns Rejects if the node has requested a key before and is not gone.
   */
  acquire(
    user: KeyUser,
    key: ComparedKey,
    signal: AbortSignal,
    onWaiting: (awaited: KeyUser) => void,
  ): Promise<Acquired>;
  /** Gives up the key of a node that is gone, and ends its wait. No effect on a node without a request. */
  release(node: NodeId): void;
  /** Lets an abandoned node keep its key, and ends every wait for it, present and future, with `key_held`. */
  markAbandoned(node: NodeId): void;
  /** Called when a node has settled or is gone. One that has settled may still use what its key protects: the key is released when nothing of it runs. */
  nodeChanged(node: { readonly id: NodeId }, change: 'settled' | 'gone'): void;
}

interface KeyRequest {
  readonly user: KeyUser;
  readonly key: ComparedKey;
  state: 'waiting' | 'held' | 'abandoned';
  /** The request that it waits for. */
  awaited: KeyRequest | null;
  readonly onWaiting: (awaited: KeyUser) => void;
  /** Ends the wait. */
  readonly resolve: (acquired: Acquired) => void;
}

function conflict(a: ComparedKey, b: ComparedKey): boolean {
  if (a.kind !== b.kind) return false;
  return a.kind === 'name' ? a.value === b.value : contains(a.value, b.value) || contains(b.value, a.value);
}

export class ExclusiveKeys implements KeyService {
  /** By space, in the order in which they were made. */
  readonly #spaces = new Map<string, KeyRequest[]>();
  readonly #requests = new Map<NodeId, KeyRequest>();

  get size(): number {
    return this.#requests.size;
  }

  async acquire(
    user: KeyUser,
    key: ComparedKey,
    signal: AbortSignal,
    onWaiting: (awaited: KeyUser) => void,
  ): Promise<Acquired> {
    if (signal.aborted) return { kind: 'stopped' };
    if (this.#requests.has(user.node)) throw new Error(`The node ${user.node} has requested a key already.`);
    const requests = this.#spaces.get(key.space) ?? [];
    const abandoned = requests.find((other) => other.state === 'abandoned' && conflict(other.key, key));
    if (abandoned) return { kind: 'key_held', by: abandoned.user.node };
    const { promise, resolve } = Promise.withResolvers<Acquired>();
    const request: KeyRequest = { user, key, state: 'waiting', awaited: null, onWaiting, resolve };
    this.#requests.set(user.node, request);
    requests.push(request);
    this.#spaces.set(key.space, requests);
    using _ = addAbortListener(signal, () => {
      if (request.state !== 'waiting') return;
      this.#remove(request, { kind: 'stopped' });
      this.#advance(key.space);
    });
    this.#advance(key.space);
    return await promise;
  }

  release(node: NodeId): void {
    const request = this.#requests.get(node);
    if (!request) return;
    this.#remove(request, { kind: 'stopped' });
    this.#advance(request.key.space);
  }

  markAbandoned(node: NodeId): void {
    const request = this.#requests.get(node);
    if (request?.state !== 'held') return;
    request.state = 'abandoned';
    for (const other of this.#spaces.get(request.key.space)?.slice() ?? [])
      if (other.state === 'waiting' && conflict(other.key, request.key))
        this.#remove(other, { kind: 'key_held', by: node });
    this.#advance(request.key.space);
  }

  nodeChanged({ id }: { readonly id: NodeId }, change: 'settled' | 'gone'): void {
    if (change === 'settled') this.markAbandoned(id);
    else this.release(id);
  }

  /** Returns the nodes that hold a key. */
  holders(): NodeId[] {
    return [...this.#requests.values()].filter(({ state }) => state !== 'waiting').map(({ user }) => user.node);
  }

  /** Removes a request. If it still waits, its promise resolves with `acquired`; the promise of one that holds its key has resolved before. */
  #remove(request: KeyRequest, acquired: Acquired): void {
    const { user, key, resolve } = request;
    const requests = this.#spaces.get(key.space) ?? [];
    const at = requests.indexOf(request);
    if (at === -1) return;
    requests.splice(at, 1);
    if (requests.length === 0) this.#spaces.delete(key.space);
    this.#requests.delete(user.node);
    resolve(acquired);
  }

  /** Gives its key to each request that has nothing to wait for any more, and reports whom the others wait for. */
  #advance(space: string): void {
    const requests = this.#spaces.get(space) ?? [];
    const changed: KeyRequest[] = [];
    for (const [at, request] of requests.entries()) {
      if (request.state !== 'waiting') continue;
      const awaited = requests.slice(0, at).find(({ key }) => conflict(key, request.key)) ?? null;
      if (awaited === null) {
        request.state = 'held';
        request.resolve({ kind: 'go' });
      } else if (awaited !== request.awaited) changed.push(request);
      request.awaited = awaited;
    }
    for (const { awaited, onWaiting } of changed) if (awaited) onWaiting(awaited.user);
  }
}
