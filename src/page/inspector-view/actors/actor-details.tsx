// The chosen actor: its chart with the active states, its state, and the visible fields of its context.
import { useDistinctTitles } from '../../page-state/use-session-titles.ts';
import { actorOwner, actorTitle, kindNames, kindOf, screenTitle, stateText } from '../records/actor-titles.ts';
import type { ActorView, Picture } from '../records/picture.ts';
import { stepWords } from '../statechart/chart-words.ts';
import { Statechart } from '../statechart/statechart.tsx';

interface ActorDetailsProps {
  /** The chosen actor; null: there is none yet, or it is not known. */
  readonly actor: ActorView | null;
  /** The actor that the address names; null: none. */
  readonly named: string | null;
  readonly picture: Picture;
}

/** Shows the chosen actor, or says why there is none to show. */
export function ActorDetails({ actor, named, picture }: ActorDetailsProps) {
  const titles = useDistinctTitles();
  if (!actor)
    return (
      <section className="pane pane-chart" aria-label="Chart">
        <p className="pane-empty soft">
          {named === null
            ? 'No actor is chosen. The newest turn is shown here as soon as there is one.'
            : `There is no actor ${named} at this moment. Choose another one in the tree.`}
        </p>
      </section>
    );
  const owner = actorOwner(actor, picture.find);
  const kind = kindNames[kindOf(actor)];
  const title = actorTitle(actor, picture.find);
  return (
    <section className="pane pane-chart" aria-label="Chart">
      <header className="pane-head">
        <h2 className="head-title">{screenTitle(kindOf(actor), title, titles)}</h2>
        <span className="soft small">
          {[kind === title ? '' : kind, owner === null ? '' : `of ${owner}`].join(' ')}
        </span>
        <span className="head-space" />
        <strong className="actor-state">{actor.value === null ? actor.status : stateText(actor.value)}</strong>
      </header>
      <div className="chart-place">
        {actor.chart === null ? (
          <p className="pane-empty soft">A worker has no chart: it works until it is done or stopped.</p>
        ) : (
          <Statechart key={actor.id} chart={actor.chart} value={actor.value} last={actor.transition} />
        )}
      </div>
      <ContextFields actor={actor} />
    </section>
  );
}

function ContextFields({ actor: { id, node, context, transition } }: { readonly actor: ActorView }) {
  const fields = Object.entries(context).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  const step = transition ? [['last step', stepWords(transition)] as const] : [];
  const rows = [...step, ...(node === null ? [] : [['node', node] as const]), ['actor', id] as const, ...fields];
  return (
    <dl className="context-fields" tabIndex={0}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
