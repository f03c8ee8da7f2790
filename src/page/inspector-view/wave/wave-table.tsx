// The numbers of a wave as a table: what its picture shows, for those who read it otherwise.
import { effectLabel } from '../../../core/words/receipt-words.ts';
import type { Wave } from './wave-model.ts';
import { numbersOf, rowEndText, titleOfRow } from './wave-words.ts';

/** A table with a row for each node. A number that is not known is blank. */
export function WaveTable({ wave }: { readonly wave: Wave }) {
  const { rows, acceptedAt } = wave;
  const names = rows[0] ? numbersOf(rows[0], acceptedAt).map(({ name }) => name) : [];
  return (
    <details className="wave-numbers">
      <summary>All numbers as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach what is hidden */}
      <section className="wave-table-frame" aria-label="Numbers of the wave" tabIndex={0}>
        <table className="wave-table">
          <caption className="visually-hidden">Times since the acceptance of the CANCEL</caption>
          <thead>
            <tr>
              {['Node', 'Owner', 'Verdict', 'Outcome', 'Effect', ...names.map(columnName)].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.node}>
                <th scope="row" title={titleOfRow(row)}>
                  {`${'· '.repeat(row.depth)}${row.name}`}
                </th>
                <td>{row.owner}</td>
                <td>{row.verdict}</td>
                <td>{rowEndText(row)}</td>
                <td>{row.effect === null ? '' : effectLabel(row.effect)}</td>
                {numbersOf(row, acceptedAt).map(({ name, text }) => (
                  <td key={name}>{text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

const columnName = (name: string): string => (name === 'Ended' ? 'Settled' : name);
