// The alerts of docs/ops/alerts.yml: promtool accepts them, each fires for a gateway in trouble and none for a healthy one, and each says what it means and what to do.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type MetricRow, metricTable } from '../../src/adapters/telemetry/metric-table.ts';
import { read } from '../house/tree.ts';

const root = join(import.meta.dirname, '..', '..');
const rules = read('docs/ops/alerts.yml');
const alerts = rules.split(/^ {6}- alert: /m).slice(1);

describe('each alert [ops.alerts]', () => {
  test('says in one sentence what it means, and in another what to do first', () => {
    expect(alerts.length).toBeGreaterThan(10);
    for (const alert of alerts) expect(alert).toMatch(/annotations:\n {10}means: '?[A-Z{].*\n {10}first: .*[.]'?\n/);
  });

  test('queries metrics and labels that exist', () => {
    const table: readonly MetricRow[] = Object.values(metricTable);
    for (const alert of alerts) {
      const [, expr = ''] = /expr: (.*)/.exec(alert) ?? [];
      const queried = [...expr.matchAll(/\b(belay_\w+|tool_\w+|up)\{([^}]*)\}/g)];
      expect(queried.length, expr).toBeGreaterThan(0);
      for (const [, name = '', matchers = ''] of queried) {
        if (name === 'up') continue;
        const row = table.find(
          (one) => one.name === name || (one.kind === 'histogram' && `${one.name}_bucket` === name),
        );
        const labels = [...matchers.matchAll(/(\w+)=/g)].map(([, label = '']) => label);
        expect(row, name).toBeDefined();
        expect(
          labels.filter((label) => label !== 'job' && !row?.labels.includes(label)),
          expr,
        ).toEqual([]);
      }
    }
  });
});

const promtool = (...args: readonly string[]) => spawnSync('promtool', args, { cwd: root, encoding: 'utf8' });
const hasPromtool = promtool('--version').status === 0;
if (!hasPromtool && process.env['CI'])
  throw new Error('promtool is not installed, and CI is set. Run .ci/promtool, which installs it.');

describe.skipIf(!hasPromtool)('promtool [ops.alerts]', () => {
  test('accepts the rules', () => {
    const { status, stdout, stderr } = promtool('check', 'rules', 'docs/ops/alerts.yml');
    expect(status, stderr).toBe(0);
    expect(stdout).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  test('finds that each alert fires for a gateway in trouble, and none for a healthy one', () => {
    const { status, stdout, stderr } = promtool('test', 'rules', 'test/ops/alerts.yml');
    expect(status, stdout + stderr).toBe(0);
    for (const alert of alerts) expect(read('test/ops/alerts.yml')).toContain(`alertname="${alert.split('\n')[0]}"`);
  });
});
