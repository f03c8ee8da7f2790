// Tools that come and go while a runtime runs: each model request has those of its moment.
import { expect, test } from 'vitest';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import type { ToolInstructions, ToolSource } from '../../../src/core/contracts/tool-source.ts';
import { callsOnce, startHarness, textResponse, toolOf } from '../../support/harness.ts';

interface ChangingSource extends ToolSource {
  change(tools: readonly Tool[], instructions?: readonly ToolInstructions[]): void;
}

function changingSource(): ChangingSource {
  let now: readonly Tool[] = [];
  let said: readonly ToolInstructions[] = [];
  return {
    tools: () => now,
    instructions: () => said,
    mayHave: (name) => name.startsWith('late__'),
    change(tools, instructions = []) {
      now = tools;
      said = instructions;
    },
  };
}

const late = (name: string) => toolOf(`late__${name}`, async () => `done by ${name}`);

test('a model is shown the tools that there are at its request, with what their source says about them [tool.mcp]', async () => {
  const source = changingSource();
  const harness = await startHarness({
    toolSources: [source],
    instructions: 'Be brief.',
    respond: () => textResponse('hello'),
  });
  const shown = async () => {
    await harness.say('words');
    await harness.clock.advance(1_000);
    const { tools, messages } = harness.provider.requests.at(-1) ?? {};
    const names = tools?.map(({ name }) => name).filter((name) => name.startsWith('late__'));
    return { names, system: messages?.[0]?.content };
  };
  expect(await shown()).toEqual({ names: [], system: expect.stringMatching(/^Be brief\./) });
  source.change([late('one'), late('two')], [{ tools: ['late__one'], text: 'One comes before two.' }]);
  expect(await shown()).toEqual({
    names: ['late__one', 'late__two'],
    system: expect.stringMatching(/^Be brief\.\n\n.*time limit.*\n\nOne comes before two\.$/s),
  });
  source.change([late('two')], [{ tools: ['late__one'], text: 'One comes before two.' }]);
  expect(await shown()).toMatchObject({ names: ['late__two'], system: expect.not.stringContaining('One comes') });
});

test('a tool that has come later is called; one that has gone is unknown [tool.mcp]', async () => {
  const source = changingSource();
  const calls = callsOnce(['late__one']);
  const harness = await startHarness({ toolSources: [source], respond: (request, n) => calls(request, n % 2) });
  source.change([late('one')]);
  await harness.say('words');
  await harness.clock.advance(1_000);
  source.change([]);
  await harness.say('words');
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('tool_result')).toMatchObject([
    { outcome: 'completed', output: 'done by one' },
    { outcome: 'failed', code: 'unknown_tool' },
  ]);
});

test('one that cannot be used is reported once, and harms no other [tool.contract]', async () => {
  const source = changingSource();
  const harness = await startHarness({ toolSources: [source], respond: () => textResponse('hello') });
  const bad = { ...late('bad'), stopMs: 60_000 };
  for (const other of ['one', 'two']) {
    source.change([bad, late(other), toolOf('note', async () => 'not mine')]);
    await harness.say('words');
    await harness.clock.advance(1_000);
    const names = harness.provider.requests.at(-1)?.tools.map(({ name }) => name);
    expect(names).toContain(`late__${other}`);
    expect(names).not.toContain('late__bad');
  }
  expect(harness.warnings).toEqual([
    expect.stringMatching(/late__bad.*`stopMs`/),
    expect.stringMatching(/note is there twice/),
  ]);
});

test('names of tools that may come are accepted for agents and timeouts, others are not [tool.timeout]', async () => {
  const toolSources = [changingSource()];
  const agents = { helper: { description: 'Helps.', instructions: 'Help.', tools: ['late__one'] } };
  await startHarness({ toolSources, agents, toolTimeouts: { late__one: 5 } });
  await expect(startHarness({ toolSources, toolTimeouts: { early__one: 5 } })).rejects.toThrow(/no tool has this name/);
  const wrong = { helper: { ...agents.helper, tools: ['early__one'] } };
  await expect(startHarness({ toolSources, agents: wrong })).rejects.toThrow(/there is no tool named early__one/);
});
