// Declaration of `spawn_agent` to a model, and its arguments.
import { expect, test } from 'vitest';
import { declareSpawnAgent, spawnAgent } from '../../../src/core/tools/spawn-agent.ts';

const agents = new Map([
  ['scout', 'looks things up'],
  ['smith', 'writes code'],
]);

test('the agents are declared by name, with the purpose of each [agent.tree]', () => {
  const { name, description, parameters } = declareSpawnAgent(agents);
  expect(name).toBe('spawn_agent');
  expect(description).toContain('scout: looks things up\nsmith: writes code');
  expect(parameters).toMatchObject({
    type: 'object',
    required: ['task'],
    properties: { agent: { enum: ['scout', 'smith'] }, detached: { type: 'boolean' } },
  });
});

test('a task is enough; a wrong field is named [agent.tree]', () => {
  expect(spawnAgent.parse({ task: 'find it' })).toEqual({ ok: true, input: { task: 'find it' } });
  const whole = { task: 'find it', agent: 'scout', detached: true };
  expect(spawnAgent.parse(whole)).toEqual({ ok: true, input: whole });
  expect(spawnAgent.parse({ agent: 'scout' })).toMatchObject({ ok: false, message: expect.stringContaining('task') });
  expect(spawnAgent.parse({ task: 'x', detached: 'yes' })).toMatchObject({
    message: expect.stringContaining('detached'),
  });
  expect(spawnAgent.parse({ task: 'x'.repeat(40_000) })).toMatchObject({
    message: expect.stringContaining('at most 32768'),
  });
});
