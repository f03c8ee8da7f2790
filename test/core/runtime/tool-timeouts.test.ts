// The configured timeouts of tools are validated before the runtime starts.
import { expect, test } from 'vitest';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import type { Limits } from '../../../src/core/workers/session-limits.ts';
import { callsOnce, startHarness, toolOf } from '../../support/harness.ts';

test.each([Number.NaN, -5, 1.5, 2 ** 31, Number.POSITIVE_INFINITY, '300'])(
  'a timeout of %s is rejected, with the field and the limit [tool.timeout]',
  async (ms) => {
    const made = startHarness({ toolTimeouts: { wait: ms as number } });
    await expect(made).rejects.toThrow(`toolTimeouts.wait must be a whole number from 0 to 2147483647, not ${ms}`);
    await expect(made).rejects.toBeInstanceOf(RangeError);
  },
);

test('a timeout of an unknown tool is rejected, with the names of the tools that exist [tool.timeout]', async () => {
  await expect(startHarness({ toolTimeouts: { wiat: 5 } })).rejects.toThrow(
    /toolTimeouts\.wiat: no tool has this name\. The tools are wait, .*spawn_agent$/,
  );
  await startHarness({ toolTimeouts: { wait: 0, note: 2 ** 31 - 1, spawn_agent: 5 } });
});

test('a tool with the name of a property of every object has its own timeout [tool.timeout]', async () => {
  const never = toolOf('constructor', () => new Promise(() => {}), { timeoutMs: 300 });
  const harness = await startHarness({ tools: [never], toolTimeouts: {}, respond: callsOnce(['constructor']) });
  await harness.say('words');
  await harness.clock.advance(3_000);
  expect(harness.recorder.of('tool_timeout')).toMatchObject([{ ms: 300 }]);
});

test('a tool that declares no timeout has the one of the limits; 0: none [tool.timeout]', async () => {
  const never = defineTool({
    name: 'never',
    description: 'Never ends.',
    input: { type: 'object' },
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: () => new Promise(() => {}),
  });
  const timeoutsWith = async (limits: Partial<Limits>) => {
    const harness = await startHarness({ tools: [never], limits, respond: callsOnce(['never']) });
    await harness.say('words');
    await harness.clock.advance(200_000);
    return harness.recorder.of('tool_timeout').map(({ ms }) => ms);
  };
  expect(await timeoutsWith({})).toEqual([120_000]);
  expect(await timeoutsWith({ toolTimeoutMs: 700 })).toEqual([700]);
  expect(await timeoutsWith({ toolTimeoutMs: 0 })).toEqual([]);
});
