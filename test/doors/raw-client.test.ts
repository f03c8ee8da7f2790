// The network doors by raw HTTP from Python, whose program was written from docs/how-to alone: a turn with a tool, a stop in the middle of one by each way that the pages name, and the receipt.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { serveBelay, tokenOf } from '../support/belay.ts';
import { requestEnds, shellCall, untilAllEnded, useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';
import { addressOf } from './served-door.ts';

const isMissing = spawnSync('python3', ['--version']).status !== 0;
if (isMissing) console.warn('python3 is not installed, and the raw client is not tested.');
const isLeftOut = isMissing && process.env['REAL_AGENTS'] !== 'required';

const endpoint = useEndpoint();
const doors = ['openai', 'ui', 'ag-ui', 'mcp'];
const stops = doors.flatMap((door) => [`${door}-closed`, `${door}-stopped`]);

const shown = (door: string, name: string, fields: object) => ({ door, case: name, ...fields });
const stopped = {
  nodes: [
    ['tool-call', 'cancelled'],
    ['turn', 'cancelled'],
  ],
};
const done = { text: 'I look.It ran.', tool: 'shell' };
const calls = [['shell', 'completed']];
const closedBy = (door: string) => ({ source: 'disconnect', by: 'ann', name: door, ...stopped });
const stoppedBy = (door: string | null) => ({ source: 'http', by: 'ann', name: door, ...stopped });

test.skipIf(isLeftOut)(
  'a raw client in Python: turns, closed connections, stop routes and receipts [doors.openai] [doors.ui-stream] [doors.ag-ui] [doors.mcp]',
  { timeout: scaled(60_000) },
  async () => {
    const profiles = { belay: {} };
    const belay = await serveBelay(endpoint, {
      config: { doors: ['openai', 'ui-stream', 'ag-ui', 'mcp'].map((door) => ({ door, profiles })) },
    });
    const token = newToken();
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'It ran.' } },
      { when: { user: 'finish' }, reply: { text: 'I look.', calls: [shellCall('echo done', belay.folder.b)] } },
      ...stops.map((name) => ({
        when: { user: `hold ${name}` },
        reply: { text: 'I hold.', calls: [shellCall(`touch ${name}; sleep ${token}`, belay.folder.a)] },
      })),
    ]);
    const program = join(import.meta.dirname, 'raw-client.py');
    const child = spawn('python3', [program, addressOf(belay), tokenOf('ann'), belay.folder.a]);
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const lines: unknown[] = out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    expect(errors).toBe('');
    expect(lines).toHaveLength(16);
    expect(lines).toEqual(
      expect.arrayContaining([
        shown('openai', 'turn', { text: 'I look.\n\nIt ran.', calls, outcome: 'completed' }),
        shown('openai', 'stream', { text: 'I look.\n\nIt ran.' }),
        shown('openai', 'closed', closedBy('openai')),
        shown('openai', 'stopped', { ...stoppedBy('openai'), status: 'cancelled' }),
        shown('openai', 'retrieved', { status: 'cancelled' }),
        shown('ui', 'turn', { ...done, ended: ['tool-output-available'], last: 'finish' }),
        shown('ui', 'closed', closedBy('ui-stream')),
        shown('ui', 'stopped', stoppedBy('ui-stream')),
        shown('ui', 'ended', {
          ...stoppedBy('ui-stream'),
          text: 'I hold.',
          tool: 'shell',
          ended: ['tool-output-error', 'abort'],
          last: 'finish',
        }),
        shown('ag-ui', 'turn', { ...done, outcome: 'success', last: 'RUN_FINISHED' }),
        shown('ag-ui', 'closed', {
          ...closedBy('ag-ui'),
          text: 'I hold.',
          tool: 'shell',
          outcome: 'cancelled',
          last: 'RUN_FINISHED',
        }),
        shown('ag-ui', 'stopped', stoppedBy(null)),
        shown('ag-ui', 'ended', {
          ...stoppedBy(null),
          text: 'I hold.',
          tool: 'shell',
          outcome: 'cancelled',
          last: 'RUN_FINISHED',
        }),
        shown('mcp', 'turn', { tools: ['belay'], text: 'I look.\n\nIt ran.', calls, outcome: 'completed' }),
        shown('mcp', 'closed', { reason: 'The request was closed by its client.', ...stopped }),
        shown('mcp', 'stopped', { reason: 'not now', ...stopped, answers: [] }),
      ]),
    );
    expect(living(token), 'processes of calls').toEqual([]);
    await untilAllEnded(belay);
    expect(new Set(requestEnds(await endpoint.requests()))).toEqual(new Set(['200 finished']));
    expect(belay.child.process.exitCode, 'the gateway lives').toBeNull();
  },
);
