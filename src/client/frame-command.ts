// A command that is one frame, the same whenever it is sent: every one but CANCEL.
import { readTarget } from '../core/receipt/cancel-target.ts';
import type { CancelFrame, SessionFrame } from '../wire/client-frames.ts';
import type { WireFeature } from '../wire/frame-limits.ts';
import type { ClientCommand } from './command-queue.ts';
import { featureOfFrame, type RequiredFeature } from './required-feature.ts';

export type FrameWithRef = Exclude<SessionFrame, CancelFrame> & { readonly ref: string };

export class FrameCommand implements ClientCommand {
  readonly ref: string;
  readonly #frame: FrameWithRef;
  readonly #isRenewed: boolean;
  #state: 'wanted' | 'stopped' = 'wanted';

  constructor(frame: FrameWithRef, isRenewed = false) {
    this.ref = frame.ref;
    this.#frame = frame;
    this.#isRenewed = isRenewed;
  }

  /** Whether a CANCEL was sent after it that stops what it says. */
  get isStopped(): boolean {
    return this.#state === 'stopped';
  }

  get isWords(): boolean {
    return /^(SAY|STEER|RESUME|TRANSCRIPT)$/.test(this.#frame.type);
  }

  noteCancel(target: string, as: string | undefined): void {
    if (reaches(target, as, this.#frame)) this.#state = 'stopped';
  }

  renewed(ref: string): FrameCommand | null {
    return this.#isRenewed ? null : new FrameCommand({ ...this.#frame, ref }, true);
  }

  isUrgent(): boolean {
    return false;
  }

  get requires(): RequiredFeature | null {
    return featureOfFrame(this.#frame);
  }

  /** A gateway that does not know `seen` of words gets them without it. */
  frame(features: readonly WireFeature[]): SessionFrame {
    return 'seen' in this.#frame && !features.includes('say_seen') ? { ...this.#frame, seen: undefined } : this.#frame;
  }
}

/** Whether a CANCEL would stop what a command says, had that been carried out before. `as`: for whom a bridge cancels. */
function reaches(target: string, as: string | undefined, frame: FrameWithRef): boolean {
  if (readTarget(target).reach === 'tools') return false; // all words stay
  switch (frame.type) {
    case 'STEER':
      if (frame.target === undefined || frame.target === target) return true; // its turn may be at or above the target
      return reachesWords(target, as, frame);
    case 'SAY':
    case 'RESUME':
    case 'TRANSCRIPT':
      return reachesWords(target, as, frame);
    default:
      return false;
  }
}

const reachesWords = (
  target: string,
  as: string | undefined,
  words: { readonly ref: string; readonly as?: string | undefined },
): boolean => {
  const { reach, say } = readTarget(target);
  if (target === 'session' || say === words.ref) return true;
  return (target === 'mine' || reach === 'lane') && words.as === as; // later words wait for the turn
};
