// The record of a random conversation: its commands with their replies, its log, and what happened to its process.
import type { RecordedFact } from '../../machines/facts.ts';
import type { AcknowledgeMode, SpeakerId } from '../../machines/vocabulary.ts';
import type {
  AnswerReply,
  AnswerRequest,
  CancelReply,
  CancelRequest,
  ResumeReply,
  ResumeRequest,
  SayReply,
} from '../../src/core/session/api.ts';
import type { Life } from './living-world.ts';

/** A command as it was delivered, with its reply; null: none came before the process died. */
export type SentCommand = { readonly by: SpeakerId; readonly ref: string | undefined } & (
  | { readonly kind: 'say'; readonly text: string; readonly steers: boolean; reply: SayReply | null }
  | { readonly kind: 'resume'; readonly request: ResumeRequest; reply: ResumeReply | null }
  | {
      readonly kind: 'cancel';
      readonly request: CancelRequest;
      reply: CancelReply | null;
      /** The sequence number of the last fact when the reply came. */
      repliedAt: number;
    }
  | { readonly kind: 'answer'; readonly request: AnswerRequest; reply: AnswerReply | null }
);

export interface ConversationRecord {
  readonly seed: number;
  readonly lives: readonly Life[];
  /** All facts that were ever committed, in the last life; the sequence number of each is its place, from 1. */
  readonly log: readonly RecordedFact[];
  /** In the order of their delivery. */
  readonly sent: readonly SentCommand[];
  /** The text that a member was shown who never left, by model call. */
  readonly shown: ReadonlyMap<string, string>;
  /** The gaps of the clock, in milliseconds since the start of the life. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  /** The shield of every turn in milliseconds, 0: until it ends; null: turns may be interrupted. */
  readonly shieldMs: number | null;
  readonly acknowledge: AcknowledgeMode;
  /** How long a lane has no other acknowledgement, in milliseconds. */
  readonly acknowledgeEveryMs: number;
  readonly poisoned: boolean;
  readonly killed: boolean;
}
