// The rules and the observers of a session, which the configuration gives when it is opened.
import type { Recorded } from '../../machines/facts.ts';
import type { Standing } from '../../machines/standing.ts';
import type { NodeId, NodeKind, OutcomeKind, Policy, SessionKind, SpeakerId } from '../../machines/vocabulary.ts';

/** How a session is run; asked once, when it is opened. */
export interface SessionSpec {
  readonly kind: SessionKind;
  readonly policy: Policy;
  /**
   * A rule of your own of who may stop what; `policy` is then what it is handed, and what clients are told. Pure and fast: it is asked for each
   * live node, in the tick of the decision. What it throws is told to `warn` and refuses (`not_allowed`).
   */
  readonly standing?: Standing;
  /** Whether a turn is cancelled when the last connection of its owner is lost. */
  readonly onDisconnect: 'cancel' | 'continue';
  /** False: a cancel is answered with `pending`, and takes effect when the turn has ended or `limits.shieldMs` are over. */
  readonly interruptible: boolean;
}

/** Hears of every node on every path, once when it starts and once when it has ended; both after their commit. */
export interface Observer {
  started?(node: {
    readonly session: string;
    readonly node: NodeId;
    readonly kind: NodeKind;
    readonly owner: SpeakerId;
  }): void;
  ended?(node: {
    readonly session: string;
    readonly node: NodeId;
    readonly kind: NodeKind;
    /** `cancelled` and `failed` are told apart; see docs/cancellation.md. */
    readonly outcome: OutcomeKind;
  }): void;
  /** Every fact of every session, after its commit. */
  fact?(session: string, seq: number, fact: Recorded): void;
}

export const defaultSession: SessionSpec = {
  kind: 'text',
  policy: 'anyone',
  onDisconnect: 'continue',
  interruptible: true,
};
