// Chromium where Belay runs as root: not without its sandbox by default, and with it as the user for tools.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findChromium } from '../../../../src/adapters/tools/browser/chromium.ts';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { until } from '../../../support/until.ts';
import { programs } from '../../processes/processes.ts';
import { call, named } from '../builtin/folder.ts';
import { serveSite } from './site.ts';

const isRoot = process.getuid?.() === 0;
const hasChromium = findChromium() !== null;
const whyNot = isRoot ? '' : ' (skipped: only root has no sandbox)';

test.runIf(isRoot)(`no browser starts: it would have no sandbox${whyNot}`, async () => {
  const tools = builtinTools({ allowBrowser: { program: join(programs, 'silent-browser.sh') } });
  const end = await call(named(tools, 'browse'), { url: 'http://127.0.0.1:9/' });
  expect(end).toMatchObject({ kind: 'failed', effect: 'none', output: expect.stringContaining('no sandbox there') });
});

test.runIf(isRoot && hasChromium)(`it runs as the user for tools, with its sandbox${whyNot}`, async () => {
  const { url } = await serveSite((_, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>Hello</h1>'),
  );
  const tools = builtinTools({ allowBrowser: true, user: 'nobody', allowAddresses: ['127.0.0.1'] });
  let process = '';
  const recordProcess = ({ group }: { readonly group: number }) => {
    process = `/proc/${group}`;
  };
  const ended = call(named(tools, 'browse'), { url }, { recordProcess });
  await until(() => process !== '', { what: 'the browser' });
  const [command, status] = ['cmdline', 'status'].map((name) => readFileSync(join(process, name), 'utf8'));
  expect(command).not.toContain('--no-sandbox');
  expect(status).toMatch(/^Uid:\s+65534\s+65534/m);
  expect(await ended).toMatchObject({ kind: 'completed', output: expect.stringContaining('Hello') });
});
