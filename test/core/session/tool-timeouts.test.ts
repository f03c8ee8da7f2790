// SET_TIMEOUT in the core: it has effect for every tool, its ref is a key, and it may name a tool that is away.
import { describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import { callerOf, callsOnce, type Harness, startHarness, toolOf } from '../../support/harness.ts';

/** A tool that reads its timeout from the arguments, and waits for its signal. */
const asking = defineTool({
  name: 'asking',
  description: 'waits for its signal',
  input: { type: 'object' },
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  timeoutMs: (input, setMs) => (input as { readonly ms?: number }).ms ?? setMs ?? 10_000,
  run: (_, { signal }) =>
    new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }), { once: true }),
    ),
});

const set = (harness: Harness, ms: number | null, ref?: string, speaker = 'ann') =>
  harness.runtime.setToolTimeout('s', callerOf(speaker, ['moderator']), { tool: 'asking', ms, ref });

describe('a timeout that was set', () => {
  test.each([
    ['longer, for a call that asks for none', 50_000, {}, 50_000],
    ['shorter, for a call that asks for none', 2_000, {}, 2_000],
    ['longer than a call asks for', 50_000, { ms: 5_000 }, 5_000],
    ['shorter than a call asks for', 2_000, { ms: 5_000 }, 2_000],
    ['longer than the hint of the model', 50_000, { _meta: { timeout: 3_000 } }, 3_000],
    ['to nothing', null, {}, 10_000],
  ])('%s [tool.timeouts]', async (_, ms, input, expected) => {
    const harness = await startHarness({ tools: [asking], respond: callsOnce(['asking', input]) });
    await set(harness, ms);
    await harness.say('words');
    await harness.clock.advance(100_000);
    expect(harness.recorder.of('tool_timeout').map((fact) => fact.ms)).toEqual([expected]);
  });
});

describe('the ref of a SET_TIMEOUT', () => {
  const facts = ({ recorder }: Harness) => recorder.of('tool_timeout_set').map(({ ms }) => ms);

  test('again gets the same reply and writes nothing, whatever was set since and after a restart; with another timeout it is refused [tool.timeouts.key]', async () => {
    const log = createMemoryLog();
    const harness = await startHarness({ tools: [asking], log });
    const first = await set(harness, 2_000, 'k');
    expect(first).toMatchObject({ type: 'tool_timeout_set', repeated: false });
    await set(harness, 3_000, 'other');
    expect(await set(harness, 2_000, 'k')).toEqual({ ...first, repeated: true });
    expect(await set(harness, 4_000, 'k')).toEqual({ type: 'ref_reused' });
    expect(facts(harness)).toEqual([2_000, 3_000]);
    await harness.runtime.close();
    const next = await startHarness({ tools: [asking], log, life: 2 });
    expect(await set(next, 2_000, 'k')).toEqual({ ...first, repeated: true });
    expect(facts(next)).toEqual([2_000, 3_000]);
    expect(await set(next, 2_000, 'k', 'bob')).toMatchObject({ repeated: false });
  });
});

test('the timeout of a tool of a source that is away may be set, and that of an unknown tool may not [tool.timeouts]', async () => {
  const source = {
    tools: () => [],
    mayHave: (name: string) => name.startsWith('docs__'),
    instructions: () => [],
    absenceOf: (name: string) => (name.startsWith('docs__') ? 'the MCP server docs has not started' : null),
  };
  const harness = await startHarness({ tools: [toolOf('here', async () => '')], toolSources: [source] });
  const by = callerOf('ann', ['moderator']);
  const reply = (tool: string) => harness.runtime.setToolTimeout('s', by, { tool, ms: 2_000 });
  expect(await reply('docs__find')).toMatchObject({ type: 'tool_timeout_set', set: { tool: 'docs__find', ms: 2_000 } });
  expect(await reply('spawn_agent')).toMatchObject({ type: 'tool_timeout_set' });
  expect(await reply('other__find')).toEqual({ type: 'no_such_tool' });
});
