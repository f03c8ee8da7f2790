// Writes the table of metrics in docs/observability.md (npm run metrics).
import { readFileSync, writeFileSync } from 'node:fs';
import { withMetrics } from '../test/adapters/telemetry/metrics-page.ts';

const page = new URL('../docs/observability.md', import.meta.url);
writeFileSync(page, withMetrics(readFileSync(page, 'utf8')));
