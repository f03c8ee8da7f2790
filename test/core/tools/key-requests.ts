// Requests of exclusive keys, for tests: their results, and the waits that were reported.
import type { Acquired, ComparedKey, KeyService } from '../../../src/core/tools/keys.ts';

/** A signal that never fires. */
export const unstopped = (): AbortSignal => new AbortController().signal;
/** A call of ann's. */
export const user = (node: string) => ({ node, name: 'shell', owner: 'ann', session: 's' });
/** The key of a folder, if it is a path; else of a name. */
export const keyOf = (value: string): ComparedKey => ({
  space: 'host',
  kind: value.startsWith('/') ? 'folder' : 'name',
  value,
});
export const ignoreWaits = () => {};

/** Requests keys, and records each result when it comes, and whom each call waits for. */
export function requestsOf(keys: KeyService) {
  const results: [id: string, Acquired][] = [];
  const waits: [id: string, awaited: string][] = [];
  const request = (id: string, key = 'name', signal: AbortSignal = unstopped()) => {
    const onWaiting = ({ node }: { readonly node: string }) => waits.push([id, node]);
    void keys.acquire(user(id), keyOf(key), signal, onWaiting).then((result) => results.push([id, result]));
  };
  return { results, waits, request };
}
