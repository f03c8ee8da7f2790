// The actions that the machine of a connection asks for: the contract between the two.
import type { Known } from '../../machines/connection.ts';
import type { LeaveReason, Speaker } from '../../machines/vocabulary.ts';
import type { CommandFrame } from '../protocol/client-frames.ts';
import type { CloseName } from '../protocol/close-codes.ts';
import type { FrameErrorCode } from '../protocol/errors.ts';

export interface ConnectionActions {
  /** Null until the speaker is known. */
  readonly speaker: Speaker | null;
  /** The token of the upgrade; null when there was none, and once the speaker is known. */
  readonly upgradeToken: string | null;
  welcome(known: Known): void;
  queue(frame: CommandFrame): void;
  perform(frame: CommandFrame): void;
  refuse(code: FrameErrorCode, ref: string | null): void;
  leaveSessions(how: LeaveReason): void;
  close(because: CloseName): void;
  terminate(): void;
  /** Closes the connection by way of its machine. */
  requestClose(because: CloseName): void;
}
