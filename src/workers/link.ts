// The bulkhead between the session and a turn tree: the tree is an actor system of its own, and its end is told in events.
import { type AnyActorLogic, createActor, fromCallback } from 'xstate';
import type { LinkInput } from '../../machines/contracts.ts';
import { planeOf, tie } from './services.ts';

/** Stopping a link stops nothing: stop is never the cancel path. */
export function link(turn: AnyActorLogic) {
  return fromCallback<{ type: string }, LinkInput>(({ input, sendBack, receive, self, system }) => {
    const root = createActor(turn, { input: { ...input, parentId: null, parent: self } });
    tie(root, planeOf(system), self);
    receive((event) => {
      if (event.type === 'OUTCOME') sendBack(event);
      else if (root.getSnapshot().status === 'active') root.send(event);
    });
    root.subscribe({
      complete: () => sendBack({ type: 'TURN_GONE', node: input.id }),
      error: () => {}, // the wrapper has told the session; unheard, XState would end the process
    });
    root.start();
  });
}
