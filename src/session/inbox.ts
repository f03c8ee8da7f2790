// Where events enter a session: each on a fresh stack, in the order of the calls, with the live tree read in that moment.
//
// What was armed earlier (an expiry, a supersession) is read again here, and void when what it was armed for is over.
import type { CancelWish } from '../../machines/cancel.ts';
import type { SessionEvent } from '../../machines/session.ts';
import type { CauseSource, NodeId, Speaker, SpeakerId } from '../../machines/vocabulary.ts';
import type { Entry, Tree } from '../live/tree.ts';
import type { Sources } from '../sources/sources.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Decisions } from './actions.ts';
import type { AnswerReply, AnswerRequest, Caller, CancelReply, CancelRequest, SayReply } from './api.ts';
import type { Says } from './idempotency-keys.ts';
import type { Members } from './presence.ts';

export interface EntranceOptions {
  readonly tree: Tree;
  readonly sources: Sources;
  readonly members: Members;
  readonly says: Says;
  readonly decisions: Decisions;
  /** To the session's machine. */
  send(event: SessionEvent): void;
  tellTimeout(node: NodeId, ms: number): void;
}

const kinds = { approval_requested: 'approval', question_asked: 'question' } as const;

type Details = Pick<CancelRequest, 'ref' | 'reason' | 'force'>;

export function createEntrance({ tree, sources, members, says, decisions, send, tellTimeout }: EntranceOptions) {
  /** `read` gives the event in a tick of its own; null where what it was meant for is over by then. */
  const enter = (read: () => SessionEvent | null) =>
    queueMicrotask(() => {
      const event = read();
      if (event) send(event);
    });
  const isRunning = (entry: Entry | undefined): entry is Entry => entry?.state === 'open' && !entry.cut;

  const wish = (source: CauseSource, by: Speaker | null, target: string, details: Details = {}): CancelWish => ({
    cancel: sources.ids('cancel'),
    ref: details.ref ?? null,
    source,
    by,
    reason: details.reason ?? null,
    target,
    force: details.force ?? false,
  });
  const cancelEvent = (wished: CancelWish): SessionEvent => {
    const { target, source } = wished;
    const by = wished.by?.id ?? null;
    return {
      type: 'CANCEL',
      wish: wished,
      nodes: tree.below(target, by).map((entry) => ({
        id: entry.id,
        kind: entry.kind,
        owner: entry.owner,
        asks: entry.cut ? null : (entry.question?.asked.to ?? null),
        cut: entry.cut,
        shielded: tree.shieldedUntil(entry) !== null,
      })),
      detached: tree.detachedFrom(target, by),
      evidence: { source, participants: members.participants(by) },
    };
  };
  /** A CANCEL of all that there is at a target, if there is anything. */
  const cancelAll = (source: CauseSource, by: Speaker | null, target: string, force = false) =>
    enter(() =>
      tree.below(target, by?.id ?? null).length > 0 ? cancelEvent(wish(source, by, target, { force })) : null,
    );
  const ask = (wished: CancelWish): Promise<CancelReply> =>
    new Promise((resolve) => {
      enter(() => {
        if (tree.below(wished.target, wished.by?.id ?? null).length === 0) {
          resolve(decisions.nothingToPlan(wished));
          return null;
        }
        decisions.awaitCancel(wished.cancel, resolve);
        return cancelEvent(wished);
      });
    });

  return {
    enter,
    cancelAll,

    expire(node: NodeId, reason: string, isArmed = () => true): void {
      enter(() =>
        isRunning(tree.get(node)) && isArmed() ? cancelEvent(wish('deadline', null, node, { reason })) : null,
      );
    },
    timeOut(node: NodeId, ms: number): void {
      enter(() => {
        if (!isRunning(tree.get(node))) return null;
        tellTimeout(node, ms);
        return cancelEvent(wish('deadline', null, node, { reason: `no result within ${ms} ms` }));
      });
    },
    supersede(earlier: NodeId, heir: NodeId, by: Speaker): void {
      enter(() =>
        isRunning(tree.get(earlier)) && isRunning(tree.get(heir))
          ? cancelEvent(wish('superseded', by, earlier, { reason: `${heir} takes its place` }))
          : null,
      );
    },
    /** Only a detached agent of the same speaker is its model's own. */
    async cancelAgent(agent: NodeId, by: SpeakerId, reason: string): ReturnType<ToolContext['cancelAgent']> {
      const entry = tree.get(agent);
      if (!entry) return 'already_settled';
      if (entry.line.length === 0 || entry.owner !== by) return 'not_yours';
      const answer = await ask(wish('client', { id: by, roles: ['member'] }, agent, { reason }));
      if (answer.type === 'cancel_refused') return 'not_allowed';
      if (answer.type !== 'cancel_accepted') return 'already_settled';
      return answer.receipt.refused.some(({ node }) => node === agent) ? 'not_allowed' : 'cancelled'; // or only what lies below
    },

    say({ speaker, connection }: Caller, text: string, ref: string | null): Promise<SayReply> {
      const before = ref === null ? undefined : (says.opening(speaker.id, ref) ?? decisions.openedAs(speaker.id, ref));
      const turn = before?.turn ?? sources.ids('turn');
      if (ref !== null) says.said(connection, ref, turn);
      if (before) return before.answer;
      const answer = new Promise<SayReply>((resolve) => {
        decisions.awaitSay(turn, resolve);
        const input = { id: turn, owner: speaker.id, depth: 0, text, agent: null };
        enter(() => ({ type: 'SAY', lane: speaker.id, turn: input, ref }));
      });
      if (ref !== null) says.open(speaker.id, ref, { turn, answer });
      return answer;
    },

    cancel({ speaker, connection }: Caller, { target, ...details }: CancelRequest): Promise<CancelReply> {
      const ref = target.startsWith('say:') ? target.slice('say:'.length) : null;
      const named = ref === null ? target : says.turnOf(connection, ref);
      if (named !== undefined) return ask(wish('client', speaker, named, details));
      says.bury(connection, ref ?? '');
      return Promise.resolve({ type: 'unknown_target', target });
    },

    answer({ speaker }: Caller, { target, answer, text, ref }: AnswerRequest): Promise<AnswerReply> {
      return new Promise((resolve) => {
        enter(() => {
          const entry = tree.get(target);
          const open = entry && !entry.cut ? entry.question : null;
          const question = open && { to: open.asked.to, kind: kinds[open.asked.type] };
          const event = {
            type: 'ANSWER',
            answer,
            text: text ?? null,
            by: speaker,
            target,
            ref: ref ?? null,
            question,
          } as const;
          decisions.awaitAnswer(event, resolve);
          return event;
        });
      });
    },
  };
}
