// Agents of other people in a runtime: through the contract, which the core does not implement.
import { expect, test } from 'vitest';
import type { AcpAgent, OutsideAgents } from '../../../src/core/contracts/outside-agents.ts';
import { spawnAgent } from '../../../src/core/tools/spawn-agent.ts';
import { callsOnce, startHarness, toolOf } from '../../support/harness.ts';

const agents = { coder: { description: 'codes', acp: { command: 'coder' } } };

test('an outside agent in a runtime that runs none is refused by name, with what to pass', async () => {
  const refused = await startHarness({ agents }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RangeError);
  expect(refused).toMatchObject({
    message:
      'agents.coder.acp: this runtime runs no outside agents. Pass `outsideAgents: new AcpAgents()` (src/adapters/acp/acp-agents.ts).',
  });
});

test('the agents are checked at the start, and their tool gets the task', async () => {
  const checked: [string, AcpAgent][] = [];
  const tools: unknown[] = [];
  const outsideAgents: OutsideAgents = {
    checkAgents(configured) {
      checked.push(...configured);
      return {
        createTool(names, defaultName) {
          tools.push({ names, defaultName });
          return toolOf(spawnAgent.name, async ({ task }) => `did ${task}`);
        },
      };
    },
    forgetSession() {},
  };
  const respond = callsOnce(['spawn_agent', { task: 'the work' }]);
  const harness = await startHarness({ agents, outsideAgents, respond });
  expect(checked).toEqual([['coder', agents.coder.acp]]);
  expect(tools).toEqual([{ names: ['coder'], defaultName: 'coder' }]);
  await harness.say('words');
  await harness.clock.advance(100);
  expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', output: 'did the work' }]);
});
