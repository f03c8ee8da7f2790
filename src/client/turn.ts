// A turn as its speaker holds it: an async iterable of all that happens in it and below it, and the handle to stop it.
import type {
  FactFrame,
  ServerFrame,
  ServerFrameOf,
  TextDeltaFrame,
  ToolOutputFrame,
  ToolProgressFrame,
} from '../protocol/frames.ts';
import type { CancelHandle, CancelOptions } from './cancel.ts';
import { handled } from './handled.ts';

/** What happens in a turn: its facts, its text, the live output of its calls. The last one is `turn_ended`. */
export type TurnEvent = FactFrame | TextDeltaFrame | ToolOutputFrame | ToolProgressFrame;

/**
 * Iterating gives every event from the first on, also to one who comes late; it ends behind `turn_ended`, whose outcome tells how.
 * It throws `CommandRefused` when the turn was never opened, and `ConnectionClosed` when the connection has ended.
 */
export interface Turn extends AsyncIterable<TurnEvent> {
  /** Null until it is opened. */
  readonly id: string | null;
  /** Resolves with the id. */
  readonly opened: Promise<string>;
  readonly ended: Promise<ServerFrameOf<'turn_ended'>>;
  cancel(options?: CancelOptions): CancelHandle;
}

/** The session's side of it. */
export interface TurnFeed {
  readonly turn: Turn;
  /** Takes the frame when it belongs to the turn. */
  take(frame: ServerFrame): void;
  fail(error: Error): void;
  readonly isOver: boolean;
}

export function createTurn(ref: string, cancel: (target: string, options: CancelOptions) => CancelHandle): TurnFeed {
  const events: TurnEvent[] = [];
  const nodes = new Set<string>();
  const opened = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<ServerFrameOf<'turn_ended'>>();
  handled(opened.promise, ended.promise);
  let id: string | null = null;
  let end: { readonly error: Error | null } | null = null;
  let more = Promise.withResolvers<void>();

  function wake(): void {
    more.resolve();
    more = Promise.withResolvers<void>();
  }

  function finish(error: Error | null): void {
    if (end) return;
    end = { error };
    if (error) {
      opened.reject(error);
      ended.reject(error);
    }
    wake();
  }

  function take(frame: ServerFrame): void {
    if (end) return;
    if (frame.type === 'turn_opened' && frame.ref === ref) {
      id = frame.turn;
      nodes.add(id);
      opened.resolve(id);
    }
    if (!belongs(frame, nodes)) return;
    if (frame.type === 'tool_call') nodes.add(frame.node);
    if (frame.type === 'turn_started') nodes.add(frame.turn);
    events.push(frame);
    if (frame.type === 'turn_ended' && frame.turn === id) {
      ended.resolve(frame);
      finish(null);
    }
    wake();
  }

  const turn: Turn = {
    get id() {
      return id;
    },
    opened: opened.promise,
    ended: ended.promise,
    cancel: (options = {}) => cancel(id ?? `say:${ref}`, options),
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ; ) {
        const event = events[next];
        if (event) {
          next += 1;
          yield event;
        } else if (end) {
          if (end.error) throw end.error;
          return;
        } else await more.promise;
      }
    },
  };
  return {
    turn,
    take,
    fail: finish,
    get isOver() {
      return end !== null;
    },
  };
}

/** Whether a frame speaks of one of the nodes: in the turn, or below it. */
function belongs(frame: ServerFrame, nodes: ReadonlySet<string>): frame is TurnEvent {
  switch (frame.type) {
    case 'turn_started':
      return nodes.has(frame.turn) || (frame.parent !== null && nodes.has(frame.parent));
    case 'cancel_accepted':
      return [...frame.stopping, ...frame.pending].some((node) => nodes.has(node));
    case 'cancel_settled':
      return frame.nodes.some(({ node }) => nodes.has(node));
    case 'cancel_refused':
      return frame.refused.some(({ node }) => nodes.has(node));
    default:
      return ('turn' in frame && nodes.has(frame.turn)) || ('node' in frame && nodes.has(frame.node));
  }
}
