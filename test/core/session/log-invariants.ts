// Invariants of the log of every random conversation.
import { isDeepStrictEqual } from 'node:util';
import type { FactType, RecordedFact } from '../../../machines/facts.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { type Invariants, type RecordView, subjectOf } from '../../support/conversation-view.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import { receiptPairs } from '../../support/recovered-receipts.ts';

/** Whether a question of the node was for the speaker, who may stop it while the question is open. */
const wasAsked = ({ of }: RecordView, by: string | null, id: string) =>
  [...of('approval_requested'), ...of('question_asked')].some(({ node, to }) => node === id && to === by);

export const logInvariants: Invariants = {
  'nothing is left alive': ({ record: { lives } }) => lives.at(-1)?.left ?? [],

  'each fact that may occur once occurs once': ({ log }) => {
    const once: FactType[] = [
      'turn_opened',
      'input_deferred',
      'input_settled',
      'turn_started',
      'turn_ended',
      'tool_call',
      'tool_started',
      'tool_result',
      'late_result',
      'abandoned_ended',
      'approval_closed',
      'question_closed',
      'cancel_accepted',
      'cancel_settled',
    ];
    const seen = new Set<string>();
    return log.flatMap((fact) => {
      const key = `${fact.type} ${subjectOf(fact)}`;
      const again = once.includes(fact.type) && seen.has(key);
      seen.add(key);
      return again ? [`${key} twice`] : [];
    });
  },

  'each start has its end after it': ({ log, indexOf }) => {
    const ends: [(fact: RecordedFact) => boolean, FactType][] = [
      [({ type }) => type === 'turn_opened' || type === 'turn_started', 'turn_ended'],
      [({ type }) => type === 'input_deferred', 'input_settled'],
      [({ type }) => type === 'tool_call', 'tool_result'],
      [({ type }) => type === 'model_started', 'model_ended'],
      [({ type }) => type === 'cancel_accepted', 'cancel_settled'],
      [({ type }) => type === 'approval_requested', 'approval_closed'],
      [({ type }) => type === 'question_asked', 'question_closed'],
      [(fact) => fact.type === 'tool_result' && fact.outcome === 'continues', 'late_result'],
      [
        (fact) => (fact.type === 'tool_result' || fact.type === 'late_result') && fact.outcome === 'abandoned',
        'abandoned_ended',
      ],
    ];
    return ends.flatMap(([isStart, end]) =>
      log.flatMap((fact, i) =>
        isStart(fact) && indexOf((other) => other.type === end && subjectOf(other) === subjectOf(fact)) < i
          ? [`${fact.type} ${subjectOf(fact)} without ${end}`]
          : [],
      ),
    );
  },

  'a deferred input opens a turn if its fate is `queued`, and only then': ({ of }) => {
    const opened = new Set(of('turn_opened').map(({ turn }) => turn));
    return of('input_settled').flatMap(({ input, fate }) =>
      (fate === 'queued') === opened.has(input) ? [] : [`${input}: ${fate}`],
    );
  },

  'a deferred input is consumed by a model call that starts after it, before the end of its turn': (view) =>
    view.of('input_settled').flatMap(({ input, fate, turn, index }) => {
      if (fate !== 'consumed') return [];
      const settled = view.seqOf((fact) => fact.type === 'input_settled' && fact.input === input);
      const read = view.seqOf((fact) => fact.type === 'model_started' && fact.turn === turn && fact.index === index);
      const ended = view.seqOf((fact) => fact.type === 'turn_ended' && fact.turn === turn);
      return settled < read && settled < ended ? [] : [`${input} at ${settled}, read at ${read}, end ${ended}`];
    }),

  'a result comes before the end of its turn': ({ of, indexOf }) =>
    of('tool_result').flatMap(({ node, turn }) =>
      indexOf((fact) => fact.type === 'tool_result' && fact.node === node) >
      indexOf((fact) => fact.type === 'turn_ended' && fact.turn === turn)
        ? [node]
        : [],
    ),

  'a receipt lists exactly the nodes that it stopped, with their outcomes, and follows their closing': ({
    of,
    log,
    indexOf,
  }) =>
    of('cancel_accepted').flatMap(({ cancel, stopping, pending }) => {
      const settled = of('cancel_settled').find((fact) => fact.cancel === cancel);
      const at = indexOf((fact) => fact === (settled as unknown));
      const named = settled?.nodes.map(({ node }) => node) ?? [];
      if ([...named].sort().join() !== [...stopping, ...pending].sort().join()) return [`${cancel} lists ${named}`];
      return (settled?.nodes ?? []).flatMap(({ node, outcome, effect }) => {
        const endIndex = log.findIndex(
          (fact) =>
            (fact.type === 'turn_ended' && fact.turn === node) ||
            (fact.type === 'tool_result' && fact.node === node && fact.outcome !== 'continues') ||
            (fact.type === 'late_result' && fact.node === node) ||
            (fact.type === 'input_settled' && fact.input === node && fact.fate === 'cancelled'),
        );
        const found = log[endIndex];
        const isInput = found?.type === 'input_settled';
        const end = (isInput ? { outcome: 'cancelled', effect: 'not_started' } : found) as
          | { outcome?: string; effect?: string } // of each type that was looked for
          | undefined;
        return endIndex > at || end?.outcome !== outcome || end.effect !== effect
          ? [`${cancel} gives ${outcome}/${effect} of ${node}, the log ${end?.outcome}/${end?.effect}`]
          : [];
      });
    }),

  'a receipt is what recovery makes of the facts before it': ({ log }) =>
    receiptPairs(log).flatMap(({ written, recovered }) =>
      isDeepStrictEqual(written, recovered)
        ? []
        : [`${JSON.stringify(written)}, recovered ${JSON.stringify(recovered)}`],
    ),

  'only a speaker with standing stops a node, and such a speaker is not refused': (view) => {
    if (view.record.poisoned) return []; // nodes that a crash has cut are in later plans of every speaker
    const stopped = new Set<string>();
    return view.of('cancel_accepted').flatMap(({ cancel, by, source, stopping, pending, refused }) => {
      // detached work is that of the speaker whose turn has detached it
      const hasAskedFor = (id: string) =>
        view
          .of('turn_opened')
          .some(
            ({ turn, from, owner }) =>
              from !== undefined &&
              owner === view.owners.get(id) &&
              view.pathOf(id).includes(turn) &&
              view.owners.get(view.pathOf(turn).at(-1) ?? '') === by,
          );
      const hasStanding = (id: string) =>
        !['client', 'disconnect', 'superseded'].includes(source) ||
        by === 'carol' ||
        view.owners.get(id) === by ||
        hasAskedFor(id);
      // what began under a turn that is stopped when its shield ends is in later plans too
      const isStopped = (id: string) => view.pathOf(id).some((at) => stopped.has(at));
      const planned = [...stopping, ...pending];
      const wrong = [
        ...planned.filter((id) => !hasStanding(id) && !isStopped(id) && !wasAsked(view, by, id)),
        ...refused.flatMap(({ node }) => (hasStanding(node) || stopped.has(node) ? node : [])),
      ];
      for (const id of planned) stopped.add(id);
      return wrong.map((id) => `${cancel} by ${by}: ${id}`);
    });
  },

  'nothing starts after the cut': ({ record: { lives } }) =>
    lives.flatMap(({ cuts, ran }) =>
      [...cuts].flatMap(([id, cut]) => ((ran.get(id) ?? -1) >= cut.at && !cut.ran ? [id] : [])),
    ),

  'a stopped node was listed by an acceptance': (view) => {
    const { poisoned, killed } = view.record;
    if (poisoned || killed) return [];
    const touched = new Set<string | null>(view.of('cancel_accepted').flatMap(({ stopping }) => stopping));
    const deferred = new Set(view.of('cancel_accepted').flatMap(({ pending }) => pending));
    // a sub-agent has the outcome of its turn
    for (const { turn, parent } of view.of('turn_started'))
      if (touched.has(turn) || deferred.has(turn)) touched.add(parent);
    return view.log.flatMap((fact) => {
      if (fact.type !== 'turn_ended' && fact.type !== 'tool_result' && fact.type !== 'late_result') return [];
      const under = fact.type === 'tool_result' && fact.effect === 'not_started' && touched.has(fact.turn);
      // all that a turn has begun since then is stopped when its shield ends
      const isDeferred = view.pathOf(subjectOf(fact)).some((id) => deferred.has(id));
      return ['cancelled', 'abandoned'].includes(fact.outcome) && !touched.has(subjectOf(fact)) && !under && !isDeferred
        ? [subjectOf(fact)]
        : [];
    });
  },

  'a cut turn does not complete': ({ of, record: { lives, poisoned } }) =>
    poisoned
      ? []
      : of('turn_ended').flatMap(({ turn, outcome }) =>
          outcome === 'completed' && lives.some(({ cuts }) => cuts.has(turn)) ? [turn] : [],
        ),

  'a call that ran does not have the effect not_started': ({ of, record: { lives } }) =>
    of('tool_result').flatMap(({ node, effect }) =>
      effect === 'not_started' && lives.some(({ ran }) => ran.has(node)) ? [node] : [],
    ),

  'a call runs only after its start was written': ({ of, record: { lives } }) => {
    const started = new Set(of('tool_started').map(({ node }) => node));
    return lives.flatMap(({ ran }) => [...ran.keys()].filter((id) => !started.has(id)));
  },

  'turns of one lane do not overlap': ({ of, indexOf }) => {
    const began = (turn: string) => indexOf((fact) => fact.type === 'turn_started' && fact.turn === turn);
    const ended = (turn: string) => indexOf((fact) => fact.type === 'turn_ended' && fact.turn === turn);
    const turns = of('turn_opened').filter(({ kind }) => kind !== 'agent');
    return turns.flatMap((a) =>
      turns.flatMap((b) =>
        a !== b &&
        a.lane === b.lane &&
        began(a.turn) >= 0 &&
        began(b.turn) > began(a.turn) &&
        began(b.turn) < ended(a.turn)
          ? [`${a.turn} ${b.turn}`]
          : [],
      ),
    );
  },

  'no turn starts in a lane between an acceptance that stops a turn there and its receipt': (view) => {
    const turns = view.of('turn_opened').filter(({ kind }) => kind !== 'agent');
    return view.of('cancel_accepted').flatMap(({ cancel, stopping, pending }) => {
      const listed = [...stopping, ...pending];
      const lanes = new Set(turns.filter(({ turn }) => listed.includes(turn)).map(({ lane }) => lane));
      const from = view.seqOf((fact) => fact.type === 'cancel_accepted' && fact.cancel === cancel);
      const to = view.seqOf((fact) => fact.type === 'cancel_settled' && fact.cancel === cancel);
      return turns.flatMap(({ turn, lane }) => {
        const start = view.seqOf((fact) => fact.type === 'turn_started' && fact.turn === turn);
        return lanes.has(lane) && start > from && start < to ? [`${turn} in ${cancel}`] : [];
      });
    });
  },

  // the time counts from the last plan with a node at or below one of this plan, and stands still while the host is suspended
  'a stop settles within its budget': ({ of, pathOf, record: { poisoned, killed, gaps, shieldMs } }) => {
    if (poisoned || killed || shieldMs === 0) return [];
    return of('cancel_accepted').flatMap((accepted) => {
      const settled = of('cancel_settled').find(({ cancel }) => cancel === accepted.cancel);
      if (!settled) return [];
      const listed = [...accepted.stopping, ...accepted.pending];
      const touching = of('cancel_accepted').filter(
        ({ at, stopping, pending, refused }) =>
          at <= settled.at &&
          [...stopping, ...pending, ...refused.map(({ node }) => node)].some((id) =>
            pathOf(id).some((above) => listed.includes(above)),
          ),
      );
      const last = Math.max(...touching.map(({ at }) => at));
      const suspended = gaps.map(({ from, to }) => Math.max(0, Math.min(to, settled.at) - Math.max(from, last)));
      const mayTake = 1_500 + 250 + (shieldMs ?? 0) + suspended.reduce((sum, ms) => sum + ms, 0);
      return settled.at > last + mayTake ? [`${accepted.cancel} took ${settled.at - last} ms`] : [];
    });
  },

  'every request pairs its calls and results': ({ record: { lives } }) =>
    lives.flatMap(({ requests }) => requests.flatMap(({ messages }) => pairingProblems(messages))),

  'recovery appends nothing to a log whose turns have all ended': ({ log }) => recover(log).map(({ type }) => type),
};
