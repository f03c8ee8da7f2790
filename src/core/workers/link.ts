// The bulkhead between the session and a turn tree: the tree is an actor system of its own, and its end is reported in events.
import { type AnyActorLogic, createActor, fromCallback } from 'xstate';
import type { LinkInput } from '../../../machines/contracts.ts';
import { bindTurnSystem } from './session-bindings.ts';

/** Makes the logic of a link to trees of this turn logic. Stopping a link stops nothing: stop is never the cancel path. */
export function linkTo(turn: AnyActorLogic) {
  return fromCallback<{ type: string }, LinkInput>(({ input, sendBack, receive, self }) => {
    const root = createActor(turn, { input: { ...input, parentId: null, parent: self } });
    bindTurnSystem(root, self);
    receive((event) => {
      if (event.type === 'OUTCOME') sendBack(event);
      else if (root.getSnapshot().status === 'active') root.send(event);
    });
    root.subscribe({
      complete: () => sendBack({ type: 'TURN_GONE', node: input.id }),
      error: () => {}, // node.ts has reported it; without an observer XState would end the process
    });
    root.start();
  });
}
