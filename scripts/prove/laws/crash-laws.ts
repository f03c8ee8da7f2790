// Laws of crashes: what was acknowledged survives, and the next host serves as the one before it did. They share no code with the runtime.
import type { WorldLaw } from './world-laws.ts';

export const crashLaws: Readonly<Record<string, WorldLaw>> = {
  'a receipt that was promised as durable is in the log, once': ({ sent }, view) => {
    const accepted = view.of('cancel_accepted').map(({ cancel }) => cancel);
    return sent.flatMap(({ ref, receipt }) => {
      const count = accepted.filter((cancel) => cancel === receipt).length;
      return receipt === null || count === 1 ? [] : [`${receipt} of ${ref} is there ${count} times`];
    });
  },

  'a CANCEL has one acceptance for its ref, over all hosts': (_, view) => {
    const refs = view.of('cancel_accepted').flatMap(({ ref, by }) => (ref ? [`${ref} of ${by}`] : []));
    return refs.filter((ref, i) => refs.indexOf(ref) < i);
  },

  'each CANCEL of a client comes to its end': ({ sent, hasShutDown, isOver }) =>
    sent.flatMap(({ ref, state }) => (hasShutDown || !isOver || state === 'over' ? [] : [`${ref} is only ${state}`])),

  'a host starts again after a crash': ({ crashes }) =>
    crashes.flatMap(({ kind, at, backAt }) => (backAt === null ? [`it did not after ${kind} at ${at} ms`] : [])),

  'the session answers after a crash': ({ outcomeAfterCrash: outcome }) =>
    outcome === null || outcome === 'completed' ? [] : [`the turn has ended as ${outcome}`],

  'every client joins again after a crash': ({ crashes, clients, hasShutDown }) =>
    clients.flatMap(({ person, isJoined }) => (crashes.length === 0 || hasShutDown || isJoined ? [] : [person])),

  'what an acceptance stops does not fail by a crash': (_, view) => {
    const stopped = new Set(view.of('cancel_accepted').flatMap(({ stopping, pending }) => [...stopping, ...pending]));
    const ends = [
      ...view.of('turn_ended').map(({ turn: id, code }) => ({ id, code })),
      ...view.of('tool_result').map(({ node: id, code }) => ({ id, code })),
    ];
    return ends.flatMap(({ id, code }) => (stopped.has(id) && code === 'crash' ? [id] : []));
  },

  'a crash ends what was open once': ({ crashes }, view) => {
    const recoveries = view.of('session_recovered');
    const turns = recoveries.flatMap((fact) => fact.turns);
    return [
      ...(recoveries.length > crashes.length
        ? [`${recoveries.length} recoveries after ${crashes.length} crashes`]
        : []),
      ...turns.filter((turn, i) => turns.indexOf(turn) < i),
    ];
  },
};
