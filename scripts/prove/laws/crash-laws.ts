// Laws of crashes: what was acknowledged survives, and the next host serves as the one before it did. They share no code with the runtime.
import type { WorldLaw } from './world-laws.ts';

export const crashLaws: Readonly<Record<string, WorldLaw>> = {
  'a receipt that was promised as durable is in the log, once': ({ sent, commands }, view) => {
    const accepted = view.of('cancel_accepted').map(({ cancel }) => cancel);
    return [...sent, ...commands].flatMap(({ ref, receipt }) => {
      const count = accepted.filter((cancel) => cancel === receipt).length;
      return receipt === null || count === 1 ? [] : [`${receipt} of ${ref} is there ${count} times`];
    });
  },

  'a command has one effect for its ref, over all hosts': (_, view) => {
    const decided = [
      ...view.of('cancel_accepted').map(({ ref, by }) => `the acceptance of ${ref} of ${by}`),
      ...view.of('turn_opened').map(({ ref, owner }) => `the turn of ${ref} of ${owner}`),
      ...view.of('input_deferred').map(({ ref, owner }) => `the deferred input of ${ref} of ${owner}`),
    ].filter((line) => !/ of (null|undefined) of /.test(line));
    return decided.filter((line, i) => decided.indexOf(line) < i);
  },

  'each command of a client comes to its end': ({ sent, hasShutDown, isOver: isRunOver }) =>
    sent.flatMap(({ ref, isOver }) => (hasShutDown || !isRunOver || isOver ? [] : [`${ref} does not`])),

  'a host starts again after a crash': ({ crashes }) =>
    crashes.flatMap(({ kind, at, backAt }) => (backAt === null ? [`it did not after ${kind} at ${at} ms`] : [])),

  'the session answers after a crash': ({ outcomeAfterCrash: outcome }, view) => {
    const isSpent = view.of('cancel_accepted').some(({ reason }) => reason?.startsWith('the session has used'));
    const isRight = outcome === 'completed' || (outcome === 'timed_out' && isSpent);
    return outcome === null || isRight ? [] : [`the turn has ended as ${outcome}`];
  },

  'the model is asked with all that was said and answered before a crash': (
    { requests, outcomeAfterCrash, wasDeleted },
    view,
  ) => {
    if (outcomeAfterCrash !== 'completed' || wasDeleted) return [];
    const asked =
      requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join('\n') ?? '';
    const opened = view.of('turn_opened');
    const summaries = view.of('history_compacted');
    const upTo = opened.findIndex(({ turn }) => turn === summaries.at(-1)?.upTo);
    // what a summary covers is not sent again
    const isSummarized = (turn: string, i: number) =>
      i <= upTo || summaries.some(({ covers }) => covers.includes(turn));
    const said = opened.filter(({ kind, turn }, i) => kind === 'say' && !isSummarized(turn, i));
    const turns = new Set(said.map(({ turn }) => turn));
    const leftOut = new Set(view.of('turns_left_out').flatMap((fact) => fact.turns));
    const unheard = new Set(view.of('speech_cut').map(({ turn }) => turn)); // the model reads only what was heard
    const last = said.at(-1)?.turn;
    const answered = view
      .of('model_ended')
      .filter(({ turn }) => turns.has(turn) && turn !== last && !unheard.has(turn));
    return [...said, ...answered].flatMap(({ turn, text }) =>
      leftOut.has(turn) || asked.includes(text) ? [] : [`it lacks "${text}"`],
    );
  },

  'every client joins again after a crash': ({ crashes, clients, hasShutDown, wasDeleted }, view) => {
    if (crashes.length === 0 || hasShutDown || wasDeleted) return [];
    const removed = new Set(view.of('member_removed').map(({ speaker }) => speaker));
    return clients.flatMap(({ person, isJoined, hasSentBadFrames, connections }) => {
      // the reply comes before the store has done it, and a crash may come between
      const isToldDeleted = connections.flat().some(({ type, reason }) => type === 'left' && reason === 'deleted');
      return isJoined || hasSentBadFrames || isToldDeleted || removed.has(person) ? [] : [person];
    });
  },

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
