// Laws of shields and of the time of calls: what a pending CANCEL stops, and when, and what counts into a timeout. They share no code with the runtime.
import { stoppedByEmergency } from './log-view.ts';
import type { WorldLaw } from './world-laws.ts';

/** Milliseconds that the intervals cover together. */
function coveredMs(intervals: readonly (readonly [from: number, to: number])[]): number {
  let end = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (const [from, to] of intervals.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

/** The commits before and after the wait of a call, in milliseconds. */
const waitSlackMs = 100;

export const shieldLaws: Readonly<Record<string, WorldLaw>> = {
  'a turn that is pending is not cut before its shield ends': ({ calls }, view) => {
    // a crash ends a shield, and the shield of a summary ends with its commit
    const ofCrash = view.of('session_recovered').flatMap(({ turns }) => turns);
    const unshielded = new Set([...ofCrash, ...view.of('history_compacted').map(({ turn }) => turn)]);
    return view.of('cancel_accepted').flatMap(({ cancel, at, pending, pendingMs }) => {
      const hasRegion = calls.some(({ node, region }) => region !== null && pending.includes(node));
      if (pendingMs === undefined || hasRegion) return [];
      const early = view
        .of('turn_ended')
        .filter(
          ({ turn, outcome, at: endedAt }) =>
            pending.includes(turn) && outcome === 'cancelled' && endedAt < at + pendingMs && !unshielded.has(turn),
        );
      const isStoppedElsewhere = (turn: string) =>
        view.of('cancel_accepted').some(({ stopping }) => stopping.includes(turn));
      // an agent that was detached under a pending CANCEL of all is stopped with that one
      const isStoppedBefore = (turn: string, endedAt: number) =>
        view
          .of('cancel_accepted')
          .some(
            (earlier) =>
              earlier.cancel !== cancel &&
              view.pathOf(turn).some((id) => id !== turn && earlier.pending.includes(id)) &&
              endedAt >= earlier.at + (earlier.pendingMs ?? 0),
          );
      return early
        .filter(({ turn, at: endedAt }) => !isStoppedElsewhere(turn) && !isStoppedBefore(turn, endedAt))
        .map(({ turn }) => `${turn}, which ${cancel} defers`);
    });
  },

  'an agent that is detached under a pending CANCEL of all is stopped with it': ({ budgetMs }, view) =>
    view.of('cancel_accepted').flatMap(({ cancel, at, by, target, pending, pendingMs = 0 }) => {
      if (pending.length === 0 || (target !== 'mine' && target !== 'session')) return [];
      const from = view.indexOf((fact) => fact.type === 'cancel_accepted' && fact.cancel === cancel);
      return view.of('turn_opened').flatMap((opened) => {
        const { turn, owner, kind } = opened;
        const isUnder = view.pathOf(turn).some((id) => pending.includes(id)) && (target === 'session' || owner === by);
        const end = view.of('turn_ended').find((ended) => ended.turn === turn);
        const isLate = end?.outcome === 'completed' && end.at > at + pendingMs + budgetMs;
        return kind === 'agent' && view.log.indexOf(opened) > from && isUnder && isLate
          ? [`${turn} after ${cancel}`]
          : [];
      });
    }),

  'the force of an emergency waits for no region': ({ calls, commands }, view) => {
    const isForced = commands.some(({ type, content }) => type === 'CANCEL' && content.includes('"force":true'));
    const forced = isForced ? stoppedByEmergency(view) : new Set();
    return calls.flatMap(({ node, tool, abortedAt, diedAt }) =>
      forced.has(node) && abortedAt === null && diedAt === null ? [`${tool} ${node}`] : [],
    );
  },

  'a call that has timed out is not reported as cancelled': (_, view) =>
    view.of('tool_timeout').flatMap(({ node }) => {
      const end = view.of('tool_result').find((fact) => fact.node === node);
      return end?.outcome === 'cancelled' ? [node] : [];
    }),

  'neither a person nor another call counts into a timeout': ({ clients }, view) => {
    const waited = new Set(
      clients.flatMap(({ connections }) =>
        connections.flat().flatMap((frame) => (frame.type === 'tool_waiting' ? String(frame['node']) : [])),
      ),
    );
    return view.of('tool_timeout').flatMap(({ node, ms, at }) => {
      const started = view.of('tool_started').find((fact) => fact.node === node);
      if (!started) return [];
      const isBelow = (id: string) => view.pathOf(id).includes(node);
      const closings = [...view.of('question_closed'), ...view.of('approval_closed')];
      const questions = [...view.of('question_asked'), ...view.of('approval_requested')].filter((fact) =>
        isBelow(fact.node),
      );
      const asked = questions.map(
        ({ at: from, question }) => [from, closings.find((fact) => fact.question === question)?.at ?? at] as const,
      );
      const waiting = view.of('tool_call').filter((fact) => isBelow(fact.node) && waited.has(fact.node));
      const waits = waiting.map(
        (call) => [call.at, view.of('tool_started').find((fact) => fact.node === call.node)?.at ?? at] as const,
      );
      const pauses = [...asked, ...waits].map(([from, to]) => [Math.max(from, started.at), Math.min(to, at)] as const);
      const counted = at - started.at - coveredMs(pauses) + (waits.length > 0 ? waitSlackMs : 0);
      return counted < ms ? [`${node} after ${counted} of ${ms} ms`] : [];
    });
  },

  'no duration is below zero': (_, { log }) =>
    log.flatMap((fact) => ('ms' in fact && (fact.ms ?? 0) < 0 ? [`${fact.type}: ${fact.ms} ms`] : [])),

  'a question that nobody answers in time is closed as expired': (_, view) =>
    view.of('cancel_accepted').flatMap(({ source, reason, target, cancel }) => {
      if (source !== 'deadline' || reason?.startsWith('nobody answered') !== true) return [];
      const from = view.indexOf((fact) => fact.type === 'cancel_accepted' && fact.cancel === cancel);
      const before = view
        .of('cancel_accepted')
        .some((other) => view.log.indexOf(other) < from && [...other.stopping, ...other.pending].includes(target));
      const closed = view.log
        .slice(from)
        .find((fact) => (fact.type === 'question_closed' || fact.type === 'approval_closed') && fact.node === target);
      return closed && 'answer' in closed && closed.answer === 'withdrawn' && !before ? [target] : [];
    }),

  'a call is superseded by a call of its own tool': (_, view) =>
    view.of('cancel_accepted').flatMap(({ source, target }) => {
      const calls = view.of('tool_call');
      const at = calls.findIndex(({ node }) => node === target);
      const isReplaced = calls.some(({ name }, i) => i > at && name === calls[at]?.name);
      return source === 'superseded' && at >= 0 && !isReplaced ? [target] : [];
    }),
};
