// The core alone: without the rest of the sources its types are right, and an import of an adapter is an error.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyCore, typeErrorsOfCore } from '../../scripts/core-alone.ts';

test('in a folder without adapters the types of the core are right, and only planted imports are errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-core-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyCore(folder);
  const planted = [
    "import type { KeptSessions } from '../../adapters/acp/kept-sessions.ts';",
    "export const load = () => import('../../adapters/processes/running-families.ts');",
    "export { WebSocket } from 'ws';",
    'export type { KeptSessions };',
  ];
  writeFileSync(join(folder, 'src/core/runtime/planted.ts'), planted.join('\n'));
  const places = (await typeErrorsOfCore(folder)).map((line) => /^(.*)\(\d+,\d+\): error (TS\d+)/.exec(line)?.slice(1));
  const notFound = ['src/core/runtime/planted.ts', 'TS2307'];
  expect(places).toEqual([notFound, notFound, notFound]);
}, 120_000);
