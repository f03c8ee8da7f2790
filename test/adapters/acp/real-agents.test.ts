// Real outside agents, on a stand-in of their model: tasks with a long command, cancelled in every way; nothing of them is left.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { realAgents } from '../../../scripts/install-agents.ts';
import { callsResponse, textResponse } from '../../support/harness.ts';
import { markedProcesses } from '../../support/marked-processes.ts';
import { scaled } from '../../support/time-scale.ts';
import { until } from '../../support/until.ts';
import { living, livingInGroup, newToken, zombies } from '../processes/processes.ts';
import { spawn, stage } from './delegating.ts';
import { type AgentOnStandIn, type Permission, startAgentModel } from './real-agents.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
/** A machine that is busy with other tests: what is tested here is the order of the steps, and not their time. */
const limits = { forceCancelMs: 5_000, agentCancelMs: 20_000, shutdownMs: 40_000 };
const slow = { timeout: scaled(60_000) };

for (const real of realAgents) {
  const { name, version, path } = real;
  const isMissing = !existsSync(path);
  if (isMissing) console.warn(`${name} ${version} is not installed, and not tested: npm run test:agents installs it.`);

  describe.skipIf(isMissing && process.env['REAL_AGENTS'] !== 'required')(name, slow, () => {
    let onStandIn: AgentOnStandIn;
    const token = newToken();
    const serverToken = newToken();
    const calls: string[] = [];
    const longCommand = `task: run sleep ${token}`;

    beforeAll(async () => {
      expect(existsSync(path), `npm run test:agents installs ${name} ${version}`).toBe(true);
      onStandIn = await startAgentModel(real);
    });

    afterEach(() => {
      expect([...living(token), ...living(serverToken)]).toEqual([]);
      expect(markedProcesses(calls)).toEqual([]);
      expect(zombies()).toEqual([]);
    });

    /** A session that hands on whatever is said as the agent's task. */
    async function withAgent(permission: Permission, more: object = {}) {
      const acp = { ...onStandIn.agent(permission), cancelMs: 10_000, ...more };
      const staged = await stage({
        agents: { coder: { description: 'codes', acp } },
        limits,
        waitMs: 40_000,
        respond: (_n, { messages }) => {
          const last = messages.at(-1);
          return last?.role === 'user' ? callsResponse(spawn(String(last.content))) : textResponse('done');
        },
      });
      const { fact } = staged;
      const runs = async (n = 0) => {
        const { node, group } = await fact('process_started', n);
        calls.push(node);
        return { node, group };
      };
      const commandRuns = async () => {
        const run = await runs();
        await until(() => living(token).length > 0, { ms: 40_000, what: 'the command of the agent' });
        return run;
      };
      return { ...staged, runs, commandRuns };
    }

    test('is stopped in the middle of a long command, and its next task goes on in the session, in another process [agent.acp] [cancel.tool]', async () => {
      const mcpServers = { every: { command: process.execPath, args: [everything, 'stdio', serverToken] } };
      const { say, fact, result, commandRuns, runs, cancel } = await withAgent('runs', { mcpServers });
      await say(longCommand);
      const { node, group } = await commandRuns();
      await until(() => living(serverToken).length > 0, { ms: 40_000, what: 'the MCP server of the agent' });
      const { settled } = await cancel({ target: node });
      expect(settled.nodes).toMatchObject([{ node, outcome: 'cancelled', effect: 'unknown' }]);
      expect([...living(token), ...living(serverToken)]).toEqual([]);
      expect(markedProcesses([node])).toEqual([]);
      expect(livingInGroup(group)).toEqual([]);

      await fact('turn_ended');
      await say('task: greet the sun');
      const next = await runs(1);
      expect(next.group).not.toBe(group);
      const { outcome, output } = await result(next.node);
      expect(outcome).toBe('completed');
      expect(output).toContain('Done: greet the sun');
      expect(output).not.toContain(token); // the agent repeats the history of the session that it loads
      const request = JSON.stringify(onStandIn.model.requests.findLast(({ body }) => body.tools)?.body);
      for (const known of [`sleep ${token}`, 'greet the sun']) expect(request).toContain(known);
    });

    test('that is cancelled while it asks gets no yes, and runs nothing [agent.acp]', async () => {
      const { say, fact, runs, answer, cancel } = await withAgent('asks');
      await say(longCommand);
      const { node } = await runs();
      const { turn, text } = await fact('approval_requested');
      expect(text).toContain(token);
      const { settled } = await cancel({ target: turn });
      expect(await fact('approval_closed')).toMatchObject({ node, answer: 'withdrawn' });
      expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled', effect: 'unknown' }));
      expect(await answer({ target: node, answer: 'approved' })).toMatchObject({ code: 'expired' });
    });

    test('that is cancelled twice has one receipt [cancel.idempotent]', async () => {
      const { say, fact, commandRuns, cancel, recorder } = await withAgent('runs');
      await say(longCommand);
      const { node } = await commandRuns();
      const { turn } = await fact('turn_opened');
      const [first, second] = await Promise.all([cancel({ target: turn }), cancel({ target: turn })]);
      expect(second.settled).toEqual(first.settled);
      expect(first.settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled' }));
      expect(recorder.of('cancel_settled')).toHaveLength(1);
    });

    test('that is forced is killed at once, with its command', async () => {
      const { say, fact, commandRuns, cancel } = await withAgent('runs');
      await say(longCommand);
      const { node } = await commandRuns();
      const { turn } = await fact('turn_opened');
      const { settled } = await cancel({ target: turn, force: true });
      expect(settled.nodes).toContainEqual(expect.objectContaining({ node, outcome: 'cancelled', forced: true }));
      expect(markedProcesses([node])).toEqual([]);
    });

    test('that is cancelled before it has its task has done nothing [cancel.fence]', async () => {
      const { say, runs, cancel } = await withAgent('runs');
      await say(longCommand);
      const { node } = await runs();
      const { settled } = await cancel({ target: node });
      expect(settled.nodes).toMatchObject([{ node, outcome: 'cancelled', effect: 'none' }]);
    });
  });
}
