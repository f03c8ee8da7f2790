// Events and actors for the tests of the machines, without any worker.
import { createActor, fromCallback } from 'xstate';
import type { CancelEvent } from '../../machines/cancel.ts';
import type { Call, TurnInput } from '../../machines/contracts.ts';
import type { Cause, CauseSource, NodeId } from '../../machines/vocabulary.ts';
import { noUsage } from '../../machines/vocabulary.ts';

/** A parent actor that ignores its events. */
export const parentStub = createActor(fromCallback(() => {}));

export const causeOf = (source: CauseSource = 'client'): Cause => ({ source, by: 'A', reason: null, target: 'T' });

export const cancelOf = (ids: Iterable<NodeId>, source: CauseSource = 'client'): CancelEvent => ({
  type: 'CANCEL',
  plan: {
    stop: new Map([...ids].map((id) => [id, causeOf(source)])),
    deferred: new Map(),
    pending: [],
    refused: [],
    detached: [],
    running: [],
  },
});

export const callOf = (id: NodeId, more: Partial<Call> = {}): Call => ({
  id,
  kind: 'tool-call',
  callId: `provider-${id}`,
  name: 'tool',
  arguments: '{}',
  owner: 'A',
  index: 0,
  needs: [],
  ...more,
});

export const turnOf = (more: Partial<TurnInput> = {}): TurnInput => ({
  id: 'T',
  owner: 'A',
  parentId: null,
  parent: parentStub,
  depth: 0,
  text: 'words',
  agent: null,
  ...more,
});

export const workerDone = (src: string, output?: unknown) => ({
  type: `xstate.done.actor.${src}`,
  output,
  actorId: src,
});

export const replyOf = (calls: readonly Call[]) => ({ kind: 'go', text: 'text', calls, usage: noUsage });

/** Returns the state as a dotted text, such as `generating.interrupted`. */
export function stateOf({ value }: { readonly value: unknown }): string {
  const parts: string[] = [];
  for (let at: unknown = value; at !== undefined; ) {
    if (typeof at === 'string') {
      parts.push(at);
      break;
    }
    const [entry] = Object.entries(at as Record<string, unknown>);
    if (!entry) break;
    parts.push(entry[0]);
    at = entry[1];
  }
  return parts.join('.');
}
