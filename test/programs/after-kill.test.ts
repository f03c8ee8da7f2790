// `npm start`, killed in the middle of its tour and started again: the script says what it has left undone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectChecked } from '../support/checked-client.ts';
import { startChild } from '../support/child.ts';
import { until } from '../support/until.ts';

async function startTour(cwd: string) {
  const serve = startChild('src/programs/serve.ts', { args: ['--demo', '--port', '0'], cwd });
  const [, url = ''] = await serve.untilPrinted(/listens at (\S+)/, 30_000);
  const client = await connectChecked({ url, reconnect: false });
  onTestFinished(() => client.close());
  return { serve, session: client.session('main') };
}

test('after kill -9 the script names the calls that were cut off, and neither starts them again nor plays another scene [recover.model]', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'belay-kill-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const before = await startTour(cwd);
  const started: string[] = [];
  before.session.on('tool_started', ({ node }) => started.push(node));
  before.session.say('research this and run the build').ended.catch(() => {}); // its connection breaks
  await until(() => started.length >= 4, { ms: 30_000, what: 'the tools of the tour' });
  before.serve.signal('SIGKILL');
  await before.serve.ended();

  const { serve, session } = await startTour(cwd);
  let text = '';
  session.on('text_delta', (delta) => {
    text += delta.text;
  });
  const turn = session.say('hello again');
  expect(await turn.ended).toMatchObject({ outcome: 'completed' });
  expect(text).toContain('You had said "research this and run the build".');
  expect(text).toMatch(
    /shell, run_code, shell(?: and spawn_agent)? were cut off while they ran and may have had effects/,
  );
  expect(text).not.toContain('Hello!');
  serve.signal('SIGTERM');
  expect(await serve.ended(20_000)).toBe(0);
});
