// The numbers of one node of a wave, and the ways from there to its machine.
import { routeHref } from '../../page-state/routing.ts';
import { KindIcon } from './kind-icon.tsx';
import type { WaveRow } from './wave-model.ts';
import { numbersOf, rowEndText, toneOf } from './wave-words.ts';

interface WaveNodeProps {
  /** The row whose numbers are shown; null: the wave has none. */
  readonly row: WaveRow | null;
  readonly session: string;
  readonly hasActors: boolean;
  readonly acceptedAt: number;
}

/** Shows the numbers of the node that is pointed at. */
export function WaveNode({ row, session, hasActors, acceptedAt }: WaveNodeProps) {
  if (!row) return null;
  const { actor, kind, name, detail, node, owner, code } = row;
  return (
    <section className="wave-node-panel" data-tone={toneOf(row)} aria-label={`Numbers of ${name}`}>
      <p className="wave-node-title">
        <KindIcon kind={kind} />
        <b>{name}</b> <span className="soft">{detail}</span>
      </p>
      <p className="small soft">
        {[node, owner === null ? null : `of ${owner}`, rowEndText(row), code]
          .filter((part) => part !== null)
          .join(' · ')}
        {hasActors && actor !== null && (
          <>
            {' · '}
            <a href={routeHref({ view: 'inspector', session, place: ['actor', actor] })}>Its machine</a>
          </>
        )}
      </p>
      <dl className="wave-node-numbers">
        {numbersOf(row, acceptedAt).map(({ name: what, text }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{text === '' ? <span title="Neither the records nor the log have it">–</span> : text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
