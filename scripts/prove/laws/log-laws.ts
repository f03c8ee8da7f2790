// Laws of a stored log: what is true of it whatever was said, stopped, refused or lost. They share no code with the runtime.
import type { FactType, RecordedFact } from '../../../machines/facts.ts';
import type { CauseSource } from '../../../machines/vocabulary.ts';
import { type LogView, subjectOf } from './log-view.ts';

/** Returns what is wrong, one line each. */
export type LogLaw = (view: LogView) => readonly string[];

const people: readonly CauseSource[] = ['client', 'phrase', 'http'];

export const acknowledgementsIn = (view: LogView) =>
  view.of('turn_opened').filter(({ kind }) => kind === 'acknowledgement');

export const signsIn = (view: LogView) => [...view.of('acknowledged'), ...view.of('reaction'), ...view.of('earcon')];

export const logLaws: Readonly<Record<string, LogLaw>> = {
  'each fact that may occur once occurs once': ({ log }) => {
    const once: FactType[] = [
      'turn_opened',
      'input_deferred',
      'input_settled',
      'speech_queued',
      'speech_started',
      'speech_ended',
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
      [({ type }) => type === 'speech_queued' || type === 'speech_started', 'speech_ended'],
      [({ type }) => type === 'tool_call', 'tool_result'],
      [({ type }) => type === 'model_started', 'model_ended'],
      [({ type }) => type === 'cancel_accepted', 'cancel_settled'],
      [({ type }) => type === 'approval_requested', 'approval_closed'],
      [({ type }) => type === 'question_asked', 'question_closed'],
      [(fact) => fact.type === 'tool_result' && fact.outcome === 'continues', 'late_result'],
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
    of('cancel_accepted').flatMap((accepted) => {
      const { cancel, stopping, pending } = accepted;
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
            (fact.type === 'speech_ended' && fact.speech === node) ||
            (fact.type === 'input_settled' && fact.input === node && fact.fate === 'cancelled'),
        );
        const found = log[endIndex];
        const isInput = found?.type === 'input_settled';
        // a call that was whole while the model wrote, and whose host died before the response had ended, was never written
        const isUnwritten =
          found === undefined && accepted.target.startsWith('tools:') && of('session_recovered').length > 0;
        const end = (isInput || isUnwritten ? { outcome: 'cancelled', effect: 'not_started' } : found) as
          | { outcome?: string; effect?: string } // of each type that was looked for
          | undefined;
        return endIndex > at || end?.outcome !== outcome || end.effect !== effect
          ? [`${cancel} gives ${outcome}/${effect} of ${node}, the log ${end?.outcome}/${end?.effect}`]
          : [];
      });
    }),

  'a receipt gives calls and sub-agents their kinds': ({ of }) => {
    const kinds = new Map(of('tool_call').map(({ node, kind }) => [node, kind]));
    return of('cancel_settled').flatMap(({ cancel, nodes }) =>
      nodes
        .filter(({ node, kind }) => (kinds.get(node) ?? kind) !== kind)
        .map(({ node, kind }) => `${cancel} says that ${node} is a ${kind}`),
    );
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

  'a receipt has one acknowledgement and one sign at most, and both are of a settled receipt of a person': (view) => {
    const seen = new Set<string>();
    return [...acknowledgementsIn(view), ...signsIn(view)].flatMap((fact) => {
      const key = `${fact.type === 'turn_opened' ? 'turn' : 'sign'} of ${fact.cancel}`;
      const isAgain = seen.has(key);
      seen.add(key);
      const accepted = view.of('cancel_accepted').find(({ cancel }) => cancel === fact.cancel);
      const settledAt = view.seqOf((other) => other.type === 'cancel_settled' && other.cancel === fact.cancel);
      const person = 'to' in fact ? fact.to : fact.owner;
      const isItsOwn = accepted?.by === person && people.includes(accepted.source);
      const isAfter = view.log.indexOf(fact) >= settledAt;
      return isAgain || !isItsOwn || !isAfter ? [`${key} for ${person}`] : [];
    });
  },

  'a stop of nothing but acknowledgements is silent': (view) => {
    const acknowledgements = new Set(acknowledgementsIn(view).map(({ turn }) => turn));
    const silent = view
      .of('cancel_accepted')
      .filter(({ stopping, pending }) => [...stopping, ...pending].every((node) => acknowledgements.has(node)))
      .map(({ cancel }) => cancel);
    return [...acknowledgementsIn(view), ...signsIn(view)].flatMap((fact) =>
      silent.includes(fact.cancel ?? '') ? [`${fact.type} of ${fact.cancel}`] : [],
    );
  },

  'a turn is resumed once, after its interruption, by its owner or a moderator': (view) => {
    const seen = new Set<string>();
    return view.of('turn_opened').flatMap((opened) => {
      const { turn, owner, resumes } = opened;
      if (resumes === undefined) return [];
      const isAgain = seen.has(resumes);
      seen.add(resumes);
      const end = view.of('turn_ended').find((ended) => ended.turn === resumes);
      const isInterrupted = end && end.outcome !== 'completed' && view.log.indexOf(end) < view.log.indexOf(opened);
      const mayResume = view.moderators.includes(owner) || view.owners.get(resumes) === owner;
      const isSaid = view.of('turn_opened').some((other) => other.turn === resumes && other.kind === 'say');
      return isAgain || !isInterrupted || !mayResume || !isSaid ? [`${turn} of ${owner} resumes ${resumes}`] : [];
    });
  },
};
