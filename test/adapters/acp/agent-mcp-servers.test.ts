// The MCP servers of an outside agent: it gets them with its session.
import { describe, expect, test } from 'vitest';
import { KeptSessions } from '../../../src/adapters/acp/kept-sessions.ts';
import { startTask, wellBehaved } from './working.ts';

const files = { command: 'node', args: ['server.js'], env: { A: 'b' }, passEnvironment: ['BELAY_TEST_KEY', 'NOT_SET'] };
const web = { url: 'http://127.0.0.1:1/mcp', headers: { authorization: 'Bearer x' } };

describe('the MCP servers of an agent', () => {
  test('are handed on with its session, and again when it is loaded [agent.acp]', async () => {
    process.env['BELAY_TEST_KEY'] = 'key';
    try {
      const { agent, noted } = wellBehaved('load,http');
      const sessions = new KeptSessions();
      const start = (task: string) => startTask({ ...agent, mcpServers: { files, web } }, task, {}, sessions).end;
      await start('say hello');
      await start('say more');
      const [servers = '', again] = noted().filter((line) => line.startsWith('servers: '));
      expect(again).toBe(servers);
      expect(noted().filter((line) => line.startsWith('loading '))).toHaveLength(1);
      expect(JSON.parse(servers.slice('servers: '.length))).toEqual([
        {
          name: 'files',
          command: expect.stringMatching(/^\/.*\/node$/),
          args: ['server.js'],
          env: [
            { name: 'BELAY_TEST_KEY', value: 'key' },
            { name: 'A', value: 'b' },
          ],
        },
        { type: 'http', name: 'web', url: web.url, headers: [{ name: 'authorization', value: 'Bearer x' }] },
      ]);
    } finally {
      delete process.env['BELAY_TEST_KEY'];
    }
  });

  test('that it cannot use make the call fail before the task is handed over', async () => {
    const { agent, noted } = wellBehaved('http');
    const old = { ...web, transport: 'sse' as const };
    expect(await startTask({ ...agent, mcpServers: { old } }, 'say hello').end).toMatchObject({
      kind: 'failed',
      code: 'agent_unavailable',
      effect: 'none',
      message: 'coder gave no session: it cannot use the MCP server old: it has no transport `sse`.',
    });
    expect(noted().some((line) => line.startsWith('session in'))).toBe(false);
  });
});
