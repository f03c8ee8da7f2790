// Isolated code that fills the memory of its host: in a separate host, which may die of it.
import { expect, test } from 'vitest';
import type { IsolationKind } from '../../../../src/adapters/tools/isolate/isolated-tool.ts';
import { startChild } from '../../../support/child.ts';

const liveChars = 262_144 + '\n[… the rest is not shown live …]\n'.length;

async function endIn(kind: IsolationKind, name: string, memoryMb = 32) {
  const host = startChild('test/children/isolating-host.ts', { args: [kind, name, String(memoryMb)] });
  const code = await host.ended(30_000);
  const [, report = 'null'] = host.stdout().match(/^ended (.*)$/m) ?? [];
  return { code, ...(JSON.parse(report) as { kind: string; forced: boolean; outputChars: number } | null) };
}

for (const kind of ['thread', 'process'] as const) {
  test.each(['logsForEver', 'printsForEver'])(
    `a loop in a ${kind} that %s leaves its host alive, has limited live output, and ends [cancel.bounded]`,
    async (name) => {
      const { outputChars, ...end } = await endIn(kind, name);
      expect(end).toMatchObject({ code: 0, kind: 'stopped', ...(kind === 'thread' && { forced: true }) });
      expect(outputChars).toBeLessThanOrEqual(liveChars);
    },
  );
}

test('native code that fills its heap ends a process, and not its host [cancel.bounded]', async () => {
  expect(await endIn('process', 'parsesTooMuch')).toMatchObject({ code: 0 });
});

test('in a thread it may end the host, as documented: by V8, never with a wrong result', async () => {
  const { code, kind } = await endIn('thread', 'parsesTooMuch');
  expect(['0 failed', 'SIGABRT undefined', 'SIGTRAP undefined', '134 undefined']).toContain(`${code} ${kind}`);
});
