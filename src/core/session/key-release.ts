// Releases the exclusive key of a node that is gone. The key of an abandoned node stays held.
import type { NodeEntry } from '../live/node-entry.ts';
import type { NodeChange, TreeObserver } from '../live/tree.ts';
import type { KeyService } from '../tools/keys.ts';

export class KeyRelease implements TreeObserver {
  readonly #keys: KeyService;

  constructor(keys: KeyService) {
    this.#keys = keys;
  }

  nodeChanged({ id }: NodeEntry, change: NodeChange): void {
    if (change === 'settled') this.#keys.markAbandoned(id);
    if (change === 'gone') this.#keys.release(id);
  }
}
