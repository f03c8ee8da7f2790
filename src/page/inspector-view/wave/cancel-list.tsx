// CANCELs of a session or of all, the newest first: who, what, when, how long it took, and what was refused.

import { countText } from '../../../core/words/count-text.ts';
import { measuredText } from '../../../core/words/durations.ts';
import { outcomeLabel, refusalText } from '../../../core/words/receipt-words.ts';
import { routeHref } from '../../page-state/routing.ts';
import { dateText } from '../../page-state/time-text.ts';
import type { RefusedCancel } from './fact-cancels.ts';
import type { Wave } from './wave-model.ts';
import { countsOf, sourceText, targetText, waveResultText, whoText } from './wave-words.ts';

interface CancelListProps {
  readonly cancels: readonly ListedCancel[];
  readonly refusals: readonly RefusedCancel[];
  /** Whether the list is of all sessions: each entry names its own. */
  readonly isOfAll?: boolean;
}

interface ListedCancel {
  readonly session: string;
  readonly wave: Wave;
}

/** Lists CANCELs, each with a link to its wave. A refused one has no wave: it stopped nothing. */
export function CancelList({ cancels, refusals, isOfAll = false }: CancelListProps) {
  const entries = [
    ...cancels.map(({ session, wave }) => ({
      at: wave.acceptedAt,
      key: wave.cancel,
      item: <Accepted session={session} wave={wave} isOfAll={isOfAll} />,
    })),
    ...refusals.map((refusal, n) => ({ at: refusal.at, key: `refused ${n}`, item: <Refused refusal={refusal} /> })),
  ].toSorted((a, b) => b.at - a.at);
  return (
    <ol className="cancel-list">
      {entries.map(({ key, item }) => (
        <li key={key}>{item}</li>
      ))}
    </ol>
  );
}

function Accepted({ session, wave, isOfAll }: ListedCancel & { readonly isOfAll: boolean }) {
  const { toStop, late, refused, detached, newer, ms } = countsOf(wave);
  const runOn = refused + detached + newer;
  const place = ['cancel', wave.cancel];
  return (
    <a className="cancel-item" href={routeHref({ view: 'inspector', session, place })} title={waveResultText(wave)}>
      <span className="cancel-what">
        <b>{whoText(wave)}</b> stopped {targetText(wave)}
        {isOfAll && ` in ${session}`}
        {wave.reason !== null && <span className="soft"> “{wave.reason}”</span>}
      </span>
      <span className="cancel-result">
        {countText(toStop, 'node')}
        {ms === null ? ', stopping…' : ` in ${measuredText(ms)}`}
        {late > 0 && (
          <span className="cancel-late">
            {' '}
            · {late} {outcomeLabel('abandoned')}
          </span>
        )}
        {runOn > 0 && ` · ${runOn} ${runOn === 1 ? 'runs' : 'run'} on`}
      </span>
      <When at={wave.acceptedAt} source={wave.source} />
    </a>
  );
}

function Refused({ refusal }: { readonly refusal: RefusedCancel }) {
  const { at, target, reason, source } = refusal;
  return (
    <div className="cancel-item cancel-item-refused">
      <span className="cancel-what">
        <b>{whoText(refusal)}</b> asked to stop {target}
      </span>
      <span className="cancel-result">refused: {refusalText(reason ?? 'not_allowed', null)}</span>
      <When at={at} source={source} />
    </div>
  );
}

const When = ({ at, source }: { readonly at: number; readonly source: Wave['source'] }) => (
  <span className="cancel-when">
    {sourceText(source)} <time dateTime={new Date(at).toISOString()}>{dateText(at)}</time>
  </span>
);
