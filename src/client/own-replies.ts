// Tells the replies to a client's commands from facts that other speakers have caused under the same ref.
import type { ServerFrame } from '../wire/server-frames.ts';

/**
 * Whether a frame with the ref of a command may be its reply: refs are unique for a speaker only, and every member receives facts.
 * `speaker`: that of the connection; null: not known yet.
 */
export function isOwnReply(frame: ServerFrame, speaker: string | null): boolean {
  switch (frame.type) {
    case 'turn_opened':
    case 'input_deferred':
      return isOf(speaker, frame.owner, frame);
    case 'member_invited':
    case 'member_removed':
    case 'invite_revoked':
    case 'stop_delegated':
    case 'tool_timeout_set':
    case 'session_renamed':
    case 'cancel_accepted':
    case 'cancel_refused':
    case 'approval_closed':
    case 'question_closed':
      return isOf(speaker, frame.by, frame);
    default:
      return true;
  }
}

interface Sent {
  /** The bridge that has sent the command. */
  readonly via?: string;
  /** The frame was sent to this connection only. */
  readonly repeated?: true;
}

const isOf = (speaker: string | null, named: string | null, { via, repeated }: Sent): boolean =>
  repeated === true || speaker === null || (via ?? named) === speaker;
