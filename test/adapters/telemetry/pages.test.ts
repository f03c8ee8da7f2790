// docs/observability.md lists every metric and every attribute of spans, and no other; the dashboard queries only metrics that there are.
import { expect, test } from 'vitest';
import { type MetricRow, metricTable } from '../../../src/adapters/telemetry/metric-table.ts';
import { createRuntimeMetrics } from '../../../src/adapters/telemetry/metrics.ts';
import { spanAttributes } from '../../../src/adapters/telemetry/span-attributes.ts';
import { read } from '../../house/tree.ts';
import { parseSeries } from '../../support/prometheus.ts';
import { withMetrics } from './metrics-page.ts';

const page = read('docs/observability.md');
const table: readonly MetricRow[] = Object.values(metricTable);

/** The cells of the table below a heading whose first column has this title. */
function rowsOf(title: string): readonly (readonly string[])[] {
  const [, after = ''] = page.split(`\n| ${title} |`);
  const [, ...rows] = (after.split('\n\n')[0] ?? '').split('\n').slice(1);
  return rows.map((row) => row.slice(2, -2).split(' | '));
}

test('the page has every metric, with its type, its labels and its meaning: `npm run metrics` writes them [ops.metrics]', () => {
  expect(rowsOf('metric')).toHaveLength(table.length);
  expect(page).toBe(withMetrics(page));
});

test('the page has every attribute of a span [ops.metrics.spans]', () => {
  const names = rowsOf('attribute').map(([name = '']) => name.slice(1, -1));
  expect(names.toSorted()).toEqual(Object.values(spanAttributes).toSorted());
});

test('names and labels follow the conventions of Prometheus [ops.metrics]', () => {
  for (const { name, kind, help } of table) {
    expect(name.endsWith('_total'), name).toBe(kind === 'counter');
    if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(help, name).toMatch(/\.$/);
  }
  expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
});

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

const suffixes = /_(bucket|sum|count)$/;

test('every metric and label of the dashboard exists, and every metric of the table is in it [ops.metrics]', async () => {
  const dashboard = JSON.parse(read('docs/ops/grafana.json')) as Dashboard; // the file of this repository
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const used = new Set(
    expressions.flatMap((expr) => [...expr.matchAll(/\b([a-z][a-z0-9_]*)\{/g)].map(([, name = '']) => name)),
  );
  const ofProcess = parseSeries(await createRuntimeMetrics({}, { after: () => () => {} }).text()).map(
    ({ name }) => name,
  );
  const known = new Set([...table.map(({ name }) => name), ...ofProcess]);
  const isKnown = (name: string) =>
    known.has(name) || table.some((row) => row.kind === 'histogram' && row.name === name.replace(suffixes, ''));
  expect([...used].filter((name) => !isKnown(name))).toEqual([]);
  const shown = [...used].map((name) => name.replace(/_bucket$/, ''));
  expect(table.map(({ name }) => name).filter((name) => !shown.includes(name))).toEqual([]);
  for (const expr of expressions) {
    const [, name = ''] = /\b([a-z][a-z0-9_]*)\{/.exec(expr) ?? [];
    const labels: readonly string[] = table.find((row) => row.name === name.replace(suffixes, ''))?.labels ?? [];
    const [, grouped = ''] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
    const unknown = grouped.split(', ').filter((label) => label !== '' && label !== 'le' && !labels.includes(label));
    expect(unknown, expr).toEqual([]);
  }
});
