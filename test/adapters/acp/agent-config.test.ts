// The configuration of an outside agent: every field is checked by name, and its two graces must fit in the stop budget of a call.
import { expect, test } from 'vitest';
import { readAcpAgent } from '../../../src/adapters/acp/agent-config.ts';
import type { AcpAgent } from '../../../src/core/contracts/outside-agents.ts';

const read = (agent: AcpAgent, roots: readonly string[] = ['/work'], agentCancelMs = 4_000) =>
  readAcpAgent(agent, { path: 'agents.coder.acp', roots, limits: { agentCancelMs, shutdownMs: 10_000 } });

test('what is left out has a default', () => {
  expect(read({ command: 'coder' })).toEqual({
    command: 'coder',
    args: [],
    cwd: '/work',
    env: {},
    passEnvironment: [],
    mcpServers: {},
    keepSession: true,
    startMs: 60_000,
    cancelMs: 2_000,
    exitMs: 500,
    termGraceMs: 500,
  });
  expect(read({ command: 'coder', cwd: '/elsewhere' }, []).cwd).toBe('/elsewhere');
});

test.each([
  [{}, 'agents.coder.acp.command'],
  [{ command: '' }, 'agents.coder.acp.command'],
  [{ command: 'coder', args: ['a\0b'] }, 'agents.coder.acp.args[0]: must not contain a NUL'],
  [{ command: 'coder', cwd: 'here' }, 'agents.coder.acp.cwd: must be an absolute path'],
  [{ command: 'coder', env: { 'A=B': 'c' } }, 'agents.coder.acp.env'],
  [{ command: 'coder', cancelMs: 0 }, 'agents.coder.acp.cancelMs'],
  [
    { command: 'coder', instructions: 'Be quick.' },
    'agents.coder.acp.instructions: there is no such field. There are command, ',
  ],
] as [AcpAgent, string][])('%j is refused by name', (agent, named) => {
  expect(() => read(agent)).toThrow(named);
});

test('a folder is needed where there are no roots', () => {
  expect(() => read({ command: 'coder' }, [])).toThrow('agents.coder.acp.cwd');
});

test('both graces must fit in the stop budget of a call [cancel.bounded]', () => {
  expect(read({ command: 'coder', cancelMs: 3_499, termGraceMs: 500 })).toMatchObject({ cancelMs: 3_499 });
  expect(() => read({ command: 'coder', cancelMs: 3_500, termGraceMs: 500 })).toThrow(
    'agents.coder.acp.cancelMs + agents.coder.acp.termGraceMs (3500 + 500) must be less than limits.agentCancelMs (4000)',
  );
  expect(() => read({ command: 'coder' }, ['/work'], 1_000)).toThrow('limits.agentCancelMs (1000)');
});

test('the stop budget of an agent must fit in a shutdown [cancel.bounded]', () => {
  expect(() => read({ command: 'coder' }, ['/work'], 10_000)).toThrow(
    'limits.agentCancelMs (10000) must be less than limits.shutdownMs (10000)',
  );
});
