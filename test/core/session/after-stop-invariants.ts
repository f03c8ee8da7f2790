// Invariants of what follows a stop in a random conversation: its acknowledgement, and the turns that take stopped ones up again.
import type { CauseSource } from '../../../machines/vocabulary.ts';
import type { Invariants, RecordView } from '../../support/conversation-view.ts';

const people: readonly CauseSource[] = ['client', 'phrase', 'http'];

const acknowledgementsIn = (view: RecordView) =>
  view.of('turn_opened').filter(({ kind }) => kind === 'acknowledgement');

const signsIn = (view: RecordView) => [...view.of('acknowledged'), ...view.of('reaction'), ...view.of('earcon')];

export const afterStopInvariants: Invariants = {
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

  'an acknowledgement calls no tool, and has a sign unless it was stopped or the process died': (view) =>
    acknowledgementsIn(view).flatMap(({ turn, cancel }) => {
      if (view.of('tool_call').some((call) => call.turn === turn)) return [`${turn} has called a tool`];
      const outcome = view.of('turn_ended').find((end) => end.turn === turn)?.outcome ?? '';
      const isSigned = signsIn(view).some((sign) => sign.cancel === cancel);
      const { poisoned, killed } = view.record;
      return ['completed', 'failed', 'timed_out'].includes(outcome) && !isSigned && !poisoned && !killed
        ? [`${turn}, ${outcome}, has no sign`]
        : [];
    }),

  'acknowledgements come only where they are configured, and not too often': (view) => {
    const { acknowledge, acknowledgeEveryMs, killed } = view.record;
    const opened = acknowledgementsIn(view);
    if (acknowledge !== 'on' && opened.length > 0) return [`${opened[0]?.turn} with ${acknowledge}`];
    if (acknowledge === 'off' && signsIn(view).length > 0) return [`${signsIn(view)[0]?.type} with off`];
    if (killed) return [];
    return opened.flatMap(({ turn, lane, at }, i) =>
      opened.slice(0, i).some((before) => before.lane === lane && at - before.at < acknowledgeEveryMs)
        ? [`${turn} in ${lane}`]
        : [],
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
      const mayResume = owner === 'carol' || view.owners.get(resumes) === owner;
      const isSaid = view.of('turn_opened').some((other) => other.turn === resumes && other.kind === 'say');
      return isAgain || !isInterrupted || !mayResume || !isSaid ? [`${turn} of ${owner} resumes ${resumes}`] : [];
    });
  },
};
