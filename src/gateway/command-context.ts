// The place of a command: who sends it, to which session, and the form of its reply.
import type { Caller, Runtime } from '../core/session/api.ts';
import type { FrameProblem } from '../wire/errors.ts';
import type { ServerFrame } from '../wire/server-frames.ts';

export interface CommandContext {
  readonly runtime: Runtime;
  readonly session: string;
  readonly caller: Caller;
}

/** The reply to the sender alone: a frame or an error; null: the reply is a fact, which every connection that has joined receives. */
export type CommandReply = ReplyFrame | { readonly problem: FrameProblem } | null;

interface ReplyFrame {
  readonly frame: ServerFrame;
  /** A second frame, for as long as the session is joined; null: none comes. */
  readonly next?: Promise<ServerFrame | null>;
}
