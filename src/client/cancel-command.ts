// The command of a CANCEL. Sent again, or after a wait for a connection, it names what its sender knew when it was wanted: it must not
// stop a turn that was opened since.
import { readTarget } from '../core/receipt/cancel-target.ts';
import type { CancelFrame } from '../wire/client-frames.ts';
import type { ClientCommand } from './command-queue.ts';
import { featureOfTarget, type RequiredFeature } from './required-feature.ts';

/** What the sender of a CANCEL knows of the session. */
export interface Knowledge {
  /** The highest sequence number that it holds. */
  readonly seen: number;
  /** The refs of its SAYs that have no reply. */
  readonly says: readonly string[];
}

export interface CancelCommandOptions extends Pick<CancelFrame, 'session' | 'reason' | 'force' | 'as'> {
  readonly ref: string;
  /** The target at this moment: of a SAY without a turn, `say:<ref>`. */
  target(): string;
  knowledge(): Knowledge;
  /** It cannot be sent yet, although the session was joined before. */
  readonly isWaiting: boolean;
}

export class ClientCancel implements ClientCommand {
  readonly ref: string;
  readonly #options: CancelCommandOptions;
  /** The knowledge at the first sending, or at the call where it had to wait; null: it was not sent. */
  #knowledge: Knowledge | null;
  #isRenewed = false;

  constructor(options: CancelCommandOptions) {
    this.ref = options.ref;
    this.#options = options;
    this.#knowledge = options.isWaiting ? options.knowledge() : null;
  }

  /** Returns the command under a new ref, with the knowledge that its sender had when it was sent first. */
  renewed(ref: string): ClientCancel | null {
    if (this.#isRenewed) return null;
    const renewed = new ClientCancel({ ...this.#options, ref });
    renewed.#knowledge = this.#knowledge;
    renewed.#isRenewed = true;
    return renewed;
  }

  /** Another CANCEL does not stop it. */
  get isStopped(): boolean {
    return false;
  }

  get isWords(): boolean {
    return false;
  }

  noteCancel(): void {}

  get requires(): RequiredFeature | null {
    return featureOfTarget(this.#options.target());
  }

  /** A CANCEL of a node need not wait for the replay: it stops that node only, however often it comes. */
  isUrgent(): boolean {
    const { reach, named, say } = readTarget(this.#options.target());
    return reach !== 'lane' && say === null && named !== 'mine' && named !== 'session';
  }

  frame(): CancelFrame {
    const { ref, session, reason, force, as } = this.#options;
    const before = this.#knowledge;
    this.#knowledge ??= this.#options.knowledge();
    const target = this.#options.target();
    return { type: 'CANCEL', ref, session, target, reason, force, as, seen: before?.seen, says: before?.says.slice() };
  }
}
