// acpx, a client of the Agent Client Protocol for scripts, with `belay acp`: a turn, and Ctrl-C while a command runs in a terminal of it. Left out where it is not installed (`npm run agents`).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { officialClients } from '../../scripts/install-agents.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { newWorkspace, writeConfig } from '../support/belay.ts';
import { requestEnds, shellCall, untilAllEnded, untilRunning, useEndpoint } from '../support/journey.ts';
import { storedFacts } from '../support/stored-facts.ts';
import { until } from '../support/until.ts';

const acpx = officialClients.find(({ name }) => name === 'acpx');
const isMissing = !acpx || !existsSync(acpx.path);
const belay = join(import.meta.dirname, '..', '..', 'src', 'programs', 'belay.ts');

describe.skipIf(isMissing && process.env['REAL_AGENTS'] !== 'required')(`acpx ${acpx?.version}`, () => {
  const endpoint = useEndpoint();

  test('a turn, then Ctrl-C in the next: nothing is left [doors.acp]', async () => {
    const workspace = newWorkspace();
    const { path, store } = workspace;
    const token = newToken();
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'It says hello.' } },
      { when: { user: 'build' }, reply: { calls: [shellCall(`sleep ${token}`, '.')] } },
      { reply: { calls: [shellCall('echo hello', '.')] } },
    ]);
    const agent = `${process.execPath} ${belay} acp --config ${writeConfig(endpoint, workspace, { roots: [path] })}`;
    const start = (prompt: string) => {
      const flags = ['--cwd', path, '--approve-all'];
      const child = spawn(process.execPath, [acpx?.path ?? '', ...flags, '--agent', agent, 'exec', prompt], {
        env: { PATH: process.env['PATH'] ?? '', HOME: path, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] ?? '' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let out = '';
      child.stdout.on('data', (data) => {
        out += data;
      });
      return { child, text: () => out };
    };
    const first = start('greet');
    expect(await once(first.child, 'exit')).toEqual([0, null]);
    expect(first.text()).toContain('It says hello.');

    const second = start('build');
    await untilRunning(token);
    second.child.kill('SIGINT');
    await once(second.child, 'exit');
    await until(() => living(token).length === 0, { what: 'the command to end' });
    await untilAllEnded({ endpoint });
    expect(requestEnds(await endpoint.requests()).at(-1)).toBe('200 finished');
    const settled = await until(() => storedFacts(store).find(({ type }) => type === 'cancel_settled'), {
      what: 'the receipt',
    });
    expect(settled).toMatchObject({ cause: { source: 'client', door: 'acp' } });
    await until(() => living(path).length === 0, { what: 'belay acp to end' });
  });
});
