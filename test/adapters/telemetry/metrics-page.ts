// The table of metrics in docs/observability.md, from the one in the code: `npm run metrics` writes it, and a test compares it.
import { type MetricRow, metricTable } from '../../../src/adapters/telemetry/metric-table.ts';

const head = '| metric | type | labels | meaning |\n|---|---|---|---|\n';

/** Says what a metric means: its help without the period, and without the capital letter unless the word has more of them. */
const meaningOf = ({ help }: MetricRow): string =>
  help.replace(/\.$/, '').replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

const rowOf = (row: MetricRow): string => {
  const labels = row.labels.map((label) => `\`${label}\``).join(', ') || 'none';
  return `| \`${row.name}\` | ${row.kind} | ${labels} | ${meaningOf(row)} |\n`;
};

/** Returns the page with the table of this moment. */
export function withMetrics(page: string): string {
  const [before = '', after = ''] = page.split(head);
  const rest = after.slice(after.indexOf('\n\n') + 1);
  return `${before}${head}${Object.values(metricTable).map(rowOf).join('')}${rest}`;
}
