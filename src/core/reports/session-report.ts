// A session, folded from its facts: whose it is, how much has happened in it, and what is open.
import type { ForkOrigin, SequencedFact } from '../../../machines/facts.ts';
import type { Policy, SessionKind, SpeakerId } from '../../../machines/vocabulary.ts';
import { type NodeReport, nodesOf } from './node-report.ts';

/** Times are milliseconds since 1970. */
export interface SessionReport {
  readonly session: string;
  readonly kind: SessionKind | null;
  readonly policy: Policy | null;
  /** Who opened it; null: a program did, or a version that kept no owner. */
  readonly owner: SpeakerId | null;
  /** The session and the turn that it was forked from; null: it is no fork. */
  readonly forkedFrom: Pick<ForkOrigin, 'session' | 'turn'> | null;
  readonly openedAt: number | null;
  /** The time of the last fact. */
  readonly lastAt: number | null;
  readonly lastSeq: number;
  /** Turns that a speaker or a detached agent has opened. */
  readonly turns: number;
  readonly cancels: number;
  /** CANCELs that were refused. */
  readonly refusals: number;
  /** How often a host has died in the middle of something. */
  readonly recoveries: number;
  /** Nodes that have no end, parents before children. Of a store whose gateway is dead: what was open when it died. */
  readonly open: readonly NodeReport[];
}

/** Returns the report of a session. */
export function sessionReport(session: string, events: Iterable<SequencedFact>): SessionReport {
  const facts = [...events];
  const count = (type: string) => facts.filter(({ fact }) => fact.type === type).length;
  const opened = facts.map(({ fact }) => fact).find((fact) => fact.type === 'session_opened');
  const last = facts.at(-1);
  return {
    session,
    kind: opened?.kind ?? null,
    policy: opened?.policy ?? null,
    owner: opened?.by ?? null,
    forkedFrom: opened?.forked ? { session: opened.forked.session, turn: opened.forked.turn } : null,
    openedAt: facts[0]?.fact.at ?? null,
    // the copies of a fork are older than itself
    lastAt: last ? Math.max(last.fact.at, facts[0]?.fact.at ?? 0) : null,
    lastSeq: last?.seq ?? 0,
    turns: facts.filter(({ fact }) => fact.type === 'turn_opened' && fact.kind !== 'acknowledgement').length,
    cancels: count('cancel_accepted'),
    refusals: count('cancel_refused'),
    recoveries: count('session_recovered'),
    open: [...nodesOf(facts).values()].filter(({ goneAt }) => goneAt === null),
  };
}
