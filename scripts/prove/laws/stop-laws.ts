// Laws of stops: who stops what, how long it takes, and that nothing goes on below a cut. They share no code with the runtime.
import type { FactOf, RecordedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { LogLaw } from './log-laws.ts';
import { type LogView, subjectOf } from './log-view.ts';

/** Causes that need standing. */
const judgedSources = ['client', 'http', 'phrase', 'disconnect', 'model', 'superseded'];

/** Whether a question of the node was for the speaker, who may stop it while the question is open. */
const wasAsked = ({ of }: LogView, by: string | null, id: string) =>
  [...of('approval_requested'), ...of('question_asked')].some(({ node, to }) => node === id && to === by);

/** Whether the owner of the node had named the speaker to stop it when a decision was made: the newest DELEGATE of each target counts. */
function isDelegated(view: LogView, { by, at, decision }: Decided, id: string): boolean {
  const owner = view.owners.get(id);
  const before = view.log.slice(0, view.log.indexOf(decision));
  return ['mine', ...view.pathOf(id)].some((target) => {
    const newest = before.findLast(
      (fact) => fact.type === 'stop_delegated' && fact.by === owner && fact.to === by && fact.target === target,
    );
    return newest?.type === 'stop_delegated' && (newest.until === null || newest.until > at);
  });
}

interface Decided {
  readonly by: string | null;
  readonly source: string;
  readonly at: number;
  /** The fact of the decision. */
  readonly decision: RecordedFact;
}

/** An oracle of its own: the owner of a node, whoever the owner has named, a moderator, and the speaker whose turn has detached it may stop it. */
function hasStanding(view: LogView, decided: Decided, id: string): boolean {
  const { by, source } = decided;
  const hasDetached = () =>
    view
      .of('turn_opened')
      .some(
        ({ turn, from, owner }) =>
          from !== undefined &&
          owner === view.owners.get(id) &&
          view.pathOf(id).includes(turn) &&
          view.owners.get(view.pathOf(turn).at(-1) ?? '') === by,
      );
  return (
    !judgedSources.includes(source) ||
    view.moderators.includes(by ?? '') ||
    view.owners.get(id) === by ||
    hasDetached() ||
    isDelegated(view, decided, id)
  );
}

/** A CANCEL is refused to a speaker who has standing over none of its nodes. */
const wronglyRefused: LogLaw = (view) =>
  view
    .of('cancel_refused')
    .flatMap((decision) =>
      decision.refused.flatMap(({ node }) =>
        hasStanding(view, { ...decision, decision }, node)
          ? [`${decision.target} was refused to ${decision.by}, who may stop ${node}`]
          : [],
      ),
    );

/** The law of standing, where each owner may stop their own work only: no other speaker stops a node, and none with standing is refused. */
export const standingLaw: LogLaw = (view) => {
  const stopped = new Set<string>();
  const accepted = view.of('cancel_accepted').flatMap((decision) => {
    const { cancel, by, stopping, pending, refused } = decision;
    // a node that started below a turn that is stopped when its shield ends is in later plans too
    const isStopped = (id: string) => view.pathOf(id).some((at) => stopped.has(at));
    const may = (id: string) => hasStanding(view, { ...decision, decision }, id);
    const planned = [...stopping, ...pending];
    const wrong = [
      ...planned.filter((id) => !may(id) && !isStopped(id) && !wasAsked(view, by, id)),
      ...refused.flatMap(({ node }) => (may(node) || stopped.has(node) ? node : [])),
    ];
    for (const id of planned) stopped.add(id);
    return wrong.map((id) => `${cancel} by ${by}: ${id}`);
  });
  return [...accepted, ...wronglyRefused(view)];
};

/** A node that was stopped is in the plan of an acceptance. */
export const listedLaw: LogLaw = (view) => {
  const touched = new Set<string | null>(view.of('cancel_accepted').flatMap(({ stopping }) => stopping));
  const deferred = new Set(view.of('cancel_accepted').flatMap(({ pending }) => pending));
  const recovered = new Set(view.of('session_recovered').flatMap(({ turns }) => turns));
  // a sub-agent has the outcome of its turn
  for (const { turn, parent } of view.of('turn_started'))
    if (touched.has(turn) || deferred.has(turn)) touched.add(parent);
  return view.log.flatMap((fact) => {
    if (fact.type !== 'turn_ended' && fact.type !== 'tool_result' && fact.type !== 'late_result') return [];
    // a call that had no node yet; after a crash it is not known whether it had one
    const mayBeNew = fact.type === 'tool_result' && (fact.effect === 'not_started' || recovered.has(fact.turn));
    const under = mayBeNew && touched.has(fact.turn);
    // all that a turn has started since then is stopped when its shield ends
    const isDeferred = view.pathOf(subjectOf(fact)).some((id) => deferred.has(id));
    return ['cancelled', 'abandoned'].includes(fact.outcome) && !touched.has(subjectOf(fact)) && !under && !isDeferred
      ? [subjectOf(fact)]
      : [];
  });
};

/** A CANCEL of tools stops nodes below the turns that it names, and not these turns: none of them is `cancelled` unless another CANCEL stops it. */
export const toolsLaw: LogLaw = (view) => {
  const listedByOthers = (own: string) =>
    new Set(
      view
        .of('cancel_accepted')
        .flatMap(({ cancel, stopping, pending }) => (cancel === own ? [] : [...stopping, ...pending])),
    );
  return view.of('cancel_accepted').flatMap(({ cancel, target, by, stopping, pending, queue = [] }) => {
    if (!target.startsWith('tools:')) return [];
    const named = target.slice('tools:'.length);
    const isTurn = (id: string) => (named === 'mine' ? view.owners.get(id) === by : id === named);
    const made = new Set<string>(view.of('tool_call').map(({ node }) => node));
    const turns = view.of('turn_started').map(({ turn }) => turn);
    // a call that was never written is known by its id alone
    const known = [...stopping, ...pending].filter((id) => made.has(id) || turns.includes(id));
    const wrong = known.filter(
      (id) =>
        !view
          .pathOf(id)
          .slice(1)
          .some((at) => turns.includes(at) && isTurn(at)),
    );
    // what a turn starts while a CANCEL of it is pending is stopped with it
    const listed = listedByOthers(cancel);
    const isListed = (id: string) => view.pathOf(id).some((at) => listed.has(at));
    const dead = view
      .of('turn_ended')
      .filter(({ turn, outcome }) => turn === named && outcome === 'cancelled' && !isListed(turn));
    return [
      ...wrong.map((id) => `${cancel} of ${target} stops ${id}`),
      ...dead.map(({ turn }) => `${cancel} ends ${turn}`),
      ...queue.map(({ input }) => `${cancel} of ${target} has a fate for ${input}`),
    ];
  });
};

/** The CANCEL that has stopped each node first. */
const firstStops = (view: LogView): ReadonlyMap<NodeId, FactOf<'cancel_accepted'>> => {
  const stops = new Map<NodeId, FactOf<'cancel_accepted'>>();
  for (const fact of view.of('cancel_accepted'))
    for (const id of [...fact.stopping, ...fact.pending]) if (!stops.has(id)) stops.set(id, fact);
  return stops;
};

/**
 * After a CANCEL of tools the model of a turn that completes is asked again, and reads in the results who has stopped its calls. Not for calls that the provider
 * ran in the middle of a response: that response goes on; nor for the call of a bridge, whose turn calls no model. `requests`: the texts of all requests.
 */
export const toolsGoOnLaw = (view: LogView, requests: readonly string[]): readonly string[] => {
  const stops = firstStops(view);
  const ranElsewhere = new Set([
    ...view.of('tool_call').flatMap(({ node, ranBy }) => (ranBy === 'provider' ? node : [])),
    ...view.of('turn_opened').flatMap(({ call }) => call ?? []),
  ]);
  const completed = new Set(
    view.of('turn_ended').flatMap(({ turn, outcome }) => (outcome === 'completed' ? turn : [])),
  );
  return view.of('tool_result').flatMap((result) => {
    const { node, turn, outcome } = result;
    const isOfTools = stops.get(node)?.target.startsWith('tools:') === true;
    if (!isOfTools || ranElsewhere.has(node) || !completed.has(turn) || !['cancelled', 'abandoned'].includes(outcome))
      return [];
    const later = view.log.slice(view.log.indexOf(result));
    const isAsked = later.some((fact) => fact.type === 'model_started' && fact.turn === turn);
    const isTold = requests.some((text) => text.includes('has stopped the tools') && text.includes(`(${node})`));
    return [
      ...(isAsked ? [] : [`the model of ${turn} is not asked after ${node}`]),
      ...(isTold ? [] : [`the model of ${turn} is not told who has stopped ${node}`]),
    ];
  });
};
/** A CANCEL of a lane stops the turn that it names and those that were said after it in its lane, and no other root turn; none of these that waits is left out. */
export const laneLaw: LogLaw = (view) =>
  view.of('cancel_accepted').flatMap((accepted) => {
    const { cancel, target, stopping, pending, refused, running = [] } = accepted;
    if (!target.startsWith('lane:')) return [];
    const named = target.slice('lane:'.length);
    const before: readonly RecordedFact[] = view.log.slice(0, view.log.indexOf(accepted));
    const opened = before.flatMap((fact) => (fact.type === 'turn_opened' ? [fact] : []));
    const lane = opened.find(({ turn }) => turn === named)?.lane;
    // words that were said to a turn count from then on
    const placeOf = (turn: NodeId) =>
      before.findIndex(
        (fact) =>
          (fact.type === 'input_deferred' && fact.input === turn) ||
          (fact.type === 'turn_opened' && fact.turn === turn),
      );
    const behind = opened
      .filter((fact) => fact.kind === 'say' && fact.lane === lane && placeOf(fact.turn) > placeOf(named))
      .map(({ turn }) => turn);
    const reached = [...stopping, ...pending];
    const roots = new Set(opened.map(({ turn }) => turn));
    const wrong = reached.filter((id) => {
      const path = view.pathOf(id);
      const root = path.at(-1) ?? id;
      return roots.has(root) && id !== named && !path.includes(named) && !behind.includes(root);
    });
    const listed = new Set([...reached, ...refused.map(({ node }) => node), ...running]);
    const over = new Set(
      before.flatMap((fact) => {
        if (fact.type === 'turn_started' || fact.type === 'turn_ended') return [fact.turn];
        return fact.type === 'cancel_accepted' ? [...fact.stopping, ...fact.pending] : [];
      }),
    );
    const missed = behind.filter((turn) => !listed.has(turn) && !over.has(turn));
    return [
      ...wrong.map((id) => `${cancel} of ${target} stops ${id}`),
      ...missed.map((turn) => `${cancel} of ${target} leaves ${turn} waiting`),
    ];
  });

export interface StopTimes {
  /** The longest that a stop may take, its shields included, in milliseconds. */
  readonly mayTakeMs: number;
  /** When the host was suspended. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

/** A stop settles within its budget. The time counts from the last plan with a node at or below one of this plan, and stands still while the host is suspended. */
export const budgetLaw = ({ of, pathOf }: LogView, { mayTakeMs, gaps }: StopTimes): readonly string[] =>
  of('cancel_accepted').flatMap((accepted) => {
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
    const last = Math.max(accepted.at, ...touching.map(({ at }) => at)); // the time of day may have been set back meanwhile
    const suspended = gaps.map(({ from, to }) => Math.max(0, Math.min(to, settled.at) - Math.max(from, last)));
    const limitMs = mayTakeMs + suspended.reduce((sum, ms) => sum + ms, 0);
    return settled.at > last + limitMs ? [`${accepted.cancel} took ${settled.at - last} ms of ${limitMs} ms`] : [];
  });

/** The node at or below which a fact starts something; undefined: it starts nothing. */
function startedBy(fact: RecordedFact): NodeId | undefined {
  if (fact.type === 'turn_started' || fact.type === 'model_started') return fact.turn;
  if (fact.type === 'tool_started') return fact.node;
  if (fact.type === 'speech_queued' || fact.type === 'speech_started') return fact.speech;
  return fact.type === 'turn_opened' ? fact.from : undefined;
}

/** Nothing starts at or below a node that is cut: no turn, no model call, no tool, no speech. What a plan has refused, left detached or deferred by a shield runs on, until another one stops it. */
export const nothingStartsLaw: LogLaw = (view) => {
  const verdicts = new Map<NodeId, 'cut' | 'runs on'>();
  return view.log.flatMap((fact) => {
    if (fact.type === 'cancel_accepted') {
      const sparedBy = [...fact.refused.map(({ node }) => node), ...fact.detached, ...fact.pending];
      for (const id of sparedBy) if (!verdicts.has(id)) verdicts.set(id, 'runs on');
      for (const id of fact.stopping) verdicts.set(id, 'cut');
    }
    const started = startedBy(fact);
    const judged = started === undefined ? undefined : view.pathOf(started).find((id) => verdicts.has(id));
    return judged !== undefined && verdicts.get(judged) === 'cut' ? [`${fact.type} of ${started} below ${judged}`] : [];
  });
};

/** Facts of a turn that may come after its end: what waited for it, its acknowledgement, what was heard of it. */
const afterEnd = ['input_settled', 'acknowledged', 'speech_queued', 'speech_started', 'speech_ended', 'speech_cut'];

/** After the end of a turn its facts are over: what follows are late ends, and words that had waited for it. */
export const afterEndLaw: LogLaw = (view) => {
  const ended = new Set<string>();
  const continuing = new Set<string>();
  return view.log.flatMap((fact) => {
    if (fact.type === 'tool_result' && fact.outcome === 'continues') continuing.add(fact.node);
    if (fact.type === 'turn_ended') {
      const isAgain = ended.has(fact.turn);
      ended.add(fact.turn);
      return isAgain ? [`${fact.turn} has ended twice`] : [];
    }
    if (!('turn' in fact) || !ended.has(fact.turn)) return [];
    if ('node' in fact && continuing.has(fact.node)) return [];
    return afterEnd.includes(fact.type) ? [] : [`${fact.type} of ${fact.turn}`];
  });
};

/** Returns the abandoned work whose end was not recorded; a shutdown does not wait for it. `died`: calls that have ended with their process. */
export const abandonedLaw = ({ log }: LogView, died: ReadonlySet<string> = new Set()): readonly string[] =>
  log.flatMap((fact, i) => {
    if ((fact.type !== 'tool_result' && fact.type !== 'late_result') || fact.outcome !== 'abandoned') return [];
    if (died.has(fact.node)) return [];
    const hasEnd = log.slice(i).some((other) => other.type === 'abandoned_ended' && other.node === fact.node);
    return hasEnd ? [] : [`${fact.node} has no end`];
  });

/** The usage of a model call that has streamed text is unknown, or more than nothing. */
export const usageLaw: LogLaw = ({ of }) =>
  of('model_ended').flatMap(({ turn, index, text, usage }) =>
    text !== '' && usage.output === 0 ? [`${turn}/${index} has streamed, and used nothing`] : [],
  );
