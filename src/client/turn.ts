// A turn as its speaker holds it: an async iterable of all that happens in it and below it, and the handle to stop it.
import type { FactFrame } from '../protocol/fact-frames.ts';
import type {
  ServerFrame,
  ServerFrameOf,
  TextDeltaFrame,
  ToolOutputFrame,
  ToolProgressFrame,
} from '../protocol/server-frames.ts';
import type { CancelHandle, CancelOptions } from './cancel.ts';
import { TurnNotCompleted } from './errors.ts';
import { createRecord } from './event-record.ts';
import { handled } from './ignore-rejection.ts';

/** What happens in a turn: its facts, its text, the live output of its calls. The last one is `turn_ended`. */
export type TurnEvent = FactFrame | TextDeltaFrame | ToolOutputFrame | ToolProgressFrame;

/**
 * Iterating gives every event from the first on, also to one who comes late; it ends behind `turn_ended`, whose outcome tells how: a turn that
 * was cancelled ends by saying so, and not by an exception. Leaving the loop early cancels nothing, unless `cancelOnBreak` was said.
 *
 * It throws `CommandRefused` when the turn was never opened, `NotConnected` when it was never sent, and `SessionEnded` or `ConnectionClosed` when
 * nothing more will be heard of it.
 */
export interface Turn extends AsyncIterable<TurnEvent> {
  /** The name of its SAY. */
  readonly ref: string;
  /** Null until it is opened. */
  readonly id: string | null;
  /** Resolves with the id. */
  readonly opened: Promise<string>;
  readonly ended: Promise<ServerFrameOf<'turn_ended'>>;
  /** The text of the last model call, when the turn has completed; otherwise it rejects with `TurnNotCompleted`, which has the outcome. */
  reply(): Promise<string>;
  /** Stops the turn and all below it. */
  cancel(options?: CancelOptions): CancelHandle;
  /** A tool call or a sub-agent of the turn, by its id (`node` of `tool_call`). */
  tool(id: string): ToolHandle;
}

export interface ToolHandle {
  readonly id: string;
  /** How it has ended. */
  readonly ended: Promise<ServerFrameOf<'tool_result'>>;
  /** Stops this one: its siblings run on, and so does the turn. */
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

export interface TurnInput {
  readonly ref: string;
  readonly cancelOnBreak: boolean;
  cancel(target: () => string, options: CancelOptions): CancelHandle;
}

export function createTurn({ ref, cancelOnBreak, cancel }: TurnInput): TurnFeed {
  const record = createRecord<TurnEvent>(isPassing);
  const nodes = new Set<string>();
  const results = new Map<string, PromiseWithResolvers<ServerFrameOf<'tool_result'>>>();
  const opened = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<ServerFrameOf<'turn_ended'>>();
  handled(opened.promise, ended.promise);
  let id: string | null = null;
  let said = '';
  let failure: Error | null = null;

  function resultOf(node: string): PromiseWithResolvers<ServerFrameOf<'tool_result'>> {
    const known = results.get(node) ?? Promise.withResolvers<ServerFrameOf<'tool_result'>>();
    handled(known.promise);
    results.set(node, known);
    return known;
  }

  function fail(error: Error): void {
    if (record.isOver) return;
    failure = error;
    opened.reject(error);
    ended.reject(error);
    for (const { reject } of results.values()) reject(error);
    record.end(error);
  }

  function take(frame: ServerFrame): void {
    if (record.isOver) return;
    if (frame.type === 'turn_opened' && frame.ref === ref) {
      id = frame.turn;
      nodes.add(id);
      opened.resolve(id);
    }
    if (!belongs(frame, nodes)) return;
    if (frame.type === 'tool_call') nodes.add(frame.node);
    if (frame.type === 'turn_started') nodes.add(frame.turn);
    if (frame.type === 'tool_result') resultOf(frame.node).resolve(frame);
    if (frame.type === 'model_ended' && frame.turn === id) said = frame.text;
    record.add(frame);
    if (frame.type !== 'turn_ended' || frame.turn !== id) return;
    ended.resolve(frame);
    record.end(null);
  }

  const turn: Turn = {
    ref,
    get id() {
      return id;
    },
    opened: opened.promise,
    ended: ended.promise,
    async reply() {
      const end = await ended.promise;
      if (end.outcome !== 'completed') throw new TurnNotCompleted(end);
      return said;
    },
    cancel: (options = {}) => cancel(() => id ?? `say:${ref}`, options),
    tool: (node) => ({
      id: node,
      get ended() {
        const { promise, reject } = resultOf(node);
        if (failure) reject(failure);
        return promise;
      },
      cancel: (options = {}) => cancel(() => node, options),
    }),
    async *[Symbol.asyncIterator]() {
      try {
        yield* record.read();
      } finally {
        if (cancelOnBreak && !record.isOver) turn.cancel({ reason: 'nobody reads on' });
      }
    },
  };
  return {
    turn,
    take,
    fail,
    get isOver() {
      return record.isOver;
    },
  };
}

const isPassing = ({ type }: TurnEvent): boolean =>
  type === 'text_delta' || type === 'tool_output' || type === 'tool_progress';

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
