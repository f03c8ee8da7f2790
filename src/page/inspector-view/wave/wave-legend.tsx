// The legend of a wave: the marks and colors that it has, and no others.
import type { Wave } from './wave-model.ts';
import { toneOf, type WaveTone } from './wave-words.ts';

const tones: Readonly<Record<WaveTone, string>> = {
  stopping: 'stopping',
  stopped: 'stopped',
  'timed-out': 'timed out',
  late: 'not stopped in time',
  completed: 'completed before it',
  failed: 'failed or denied',
  'runs-on': 'runs on',
};

/** Explains the marks of a wave. */
export function WaveLegend({ wave: { rows } }: { readonly wave: Wave }) {
  const present = new Set(rows.map(toneOf));
  const marks = [
    { mark: 'cut', text: 'cut', is: rows.some(({ cutAt }) => cutAt !== null) },
    { mark: 'got', text: 'its machine got the CANCEL', is: rows.some(({ cancelAt }) => cancelAt !== null) },
    { mark: 'settled', text: 'settled', is: rows.some(({ settledAt, forced }) => settledAt !== null && !forced) },
    { mark: 'forced', text: 'settled after a kill', is: rows.some(({ forced }) => forced) },
    {
      mark: 'exited',
      text: 'its work seen ended',
      is: rows.some(({ exitedAt, outcome }) => exitedAt !== null && outcome === 'abandoned'),
    },
  ].filter(({ is }) => is);
  const hasBudgets = rows.some(({ budgetMs }) => budgetMs !== null);
  const isStored = rows.every(({ cutAt, cancelAt }) => cutAt === null && cancelAt === null);
  return (
    <footer className="wave-legend small soft">
      <ul>
        {marks.map(({ mark, text }) => (
          <li key={mark}>
            <span className="wave-key">
              <span className="wave-mark" data-mark={mark} />
            </span>
            {text}
          </li>
        ))}
        {[...present].map((tone) => (
          <li key={tone}>
            <span className="wave-key" data-tone={tone}>
              <span className={tone === 'runs-on' ? 'wave-bar wave-bar-open' : 'wave-bar'} />
            </span>
            {tones[tone]}
          </li>
        ))}
        {hasBudgets && (
          <li>
            <span className="wave-key">
              <span className="wave-budget" />
            </span>
            its budget, to the limit
          </li>
        )}
      </ul>
      {isStored && (
        <p>
          From the stored log. It does not have when a node was cut and when its machine got the CANCEL, nor the
          budgets: those are blank.
        </p>
      )}
    </footer>
  );
}
