// A host that exits without a shutdown.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startChild } from '../../support/child.ts';
import { until } from '../../support/until.ts';
import { living, newToken, programs } from './processes.ts';

test.each([
  { how: 'exit', code: 3, program: 'ignores-term.sh' },
  { how: 'throw', code: 1, program: 'ignores-term.sh' },
  { how: 'exit', code: 3, program: 'leaves-group.sh' },
])('kills what runs: $how, $program [tool.process] [ops.shutdown.endings]', async ({ how, code, program }) => {
  const token = newToken();
  const host = startChild('test/children/exiting-host.ts', { args: [how, join(programs, program), token] });
  expect(await host.ended()).toBe(code);
  await until(() => living(token).length === 0, { what: 'the end of the command' });
});
