// The numbers of one node of a wave, and the ways from there to its machine.
import { routeHref } from '../../page-state/routing.ts';
import { KindIcon } from './kind-icon.tsx';
import type { WaveRow } from './wave-model.ts';
import { endText, numbersOf, toneOf } from './wave-words.ts';

interface WaveNodeProps {
  /** Null: the wave has none. */
  readonly row: WaveRow | null;
  readonly session: string;
  readonly hasActors: boolean;
  readonly acceptedAt: number;
}

/** Shows the numbers of the node that is pointed at. */
export function WaveNode({ row, session, hasActors, acceptedAt }: WaveNodeProps) {
  if (!row) return null;
  const { actor, kind, name, detail, node, owner, effect, code } = row;
  return (
    <section className="wave-node-panel" data-tone={toneOf(row)} aria-label={`Numbers of ${name}`}>
      <p className="wave-node-title">
        <KindIcon kind={kind} />
        <b>{name}</b> <span className="soft">{detail}</span>
      </p>
      <p className="small soft">
        {[node, owner === null ? null : `of ${owner}`, endText(row), effectText(effect), code]
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

const effectText = (effect: WaveRow['effect']): string | null => {
  if (effect === 'unknown') return 'may have had effects';
  return effect === 'not_started' ? 'had not started' : null;
};
