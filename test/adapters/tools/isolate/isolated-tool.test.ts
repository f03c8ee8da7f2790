// Isolated code in a thread or a process: whatever it does, its host continues, and it is ended within the grace.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Isolation,
  type IsolationKind,
  isolatedTool,
} from '../../../../src/adapters/tools/isolate/isolated-tool.ts';
import type { Tool, ToolEnd } from '../../../../src/core/contracts/tool.ts';
import { ToolDeclarationError } from '../../../../src/core/tools/declaration-rules.ts';
import { clientCause, recordingContext } from '../../../../src/testing/recording-context.ts';
import { testToolContract } from '../../../contract/tool.ts';
import { until } from '../../../support/until.ts';
import { living, newToken, programs, zombies } from '../../processes/processes.ts';

const token = newToken();
const module = join(programs, 'isolated.ts');

/** For code that ends by itself once it is stopped: longer than any machine needs. */
const patient: Partial<Isolation> = { termGraceMs: 60_000 };

const toolOf = (kind: IsolationKind, name?: string, more: Partial<Isolation> = {}): Tool =>
  isolatedTool({
    name: 'isolated',
    description: 'Runs its module.',
    input: z.object({ token: z.string().default(token) }),
    access: 'parallel',
    effect: 'some',
    isolate: { kind, module, termGraceMs: 300, ...(name !== undefined && { export: name }), ...more },
  });

afterEach(() => {
  expect(living(token)).toEqual([]);
  expect(zombies()).toEqual([]);
});

/** Runs the tool to its own end, or stops it once it runs. */
async function endOf(tool: Tool, { stops = false, forces = false, isReady = (): boolean => true } = {}) {
  const recorded = recordingContext({});
  const run = tool.run({ token }, recorded.context) as Promise<ToolEnd>;
  if (stops) {
    await until(() => recorded.outputs.join('').includes('entered') && isReady(), { what: 'its start' });
    recorded.stopCall();
    if (forces) recorded.kill.abort(clientCause);
  }
  return { end: await run, outputs: recorded.outputs.join(''), recorded };
}

for (const kind of ['thread', 'process'] as const) {
  describe(`in a ${kind}`, () => {
    testToolContract('code that obeys its signal', () => ({
      tool: toolOf(kind, 'obeys', patient),
      good: {},
      endless: { token: 'wait' },
      bad: [{ input: { token: 7 }, names: 'token' }],
    }));

    testToolContract('code that ignores its signal', () => ({
      tool: toolOf(kind, 'obeysOrSpins'),
      good: {},
      endless: { token: 'spin' },
    }));

    test('it has its arguments, its identity and the marker, and returns its result [tool.signal]', async () => {
      const { end, outputs, recorded } = await endOf(toolOf(kind));
      expect(end).toEqual({ kind: 'completed', output: `${token} in session_1 of ada, marked true` });
      expect(outputs).toBe('entered\n');
      expect(recorded.processes).toHaveLength(kind === 'process' ? 1 : 0);
    });

    test('images of its result keep their bytes, up to a limit [model.parts]', async () => {
      const { end } = await endOf(toolOf(kind, 'shows'));
      const [image, and, words] = end.parts ?? [];
      expect(end).toMatchObject({ kind: 'completed', output: 'see' });
      expect(image).toMatchObject({ type: 'image', mediaType: 'image/png', name: 'a.png' });
      if (image?.type !== 'image') return;
      expect(image.data.length).toBe(500_000);
      expect(image.data.every((byte) => byte === 7)).toBe(true);
      expect(and).toEqual({ type: 'text', text: 'and' });
      expect(words).toMatchObject({ type: 'text', text: expect.stringContaining('left out') });
    });

    test('an image without bytes is not the end of a call [model.parts]', async () => {
      const { end } = await endOf(toolOf(kind, 'showsText'));
      expect(end).toMatchObject({ kind: 'failed', code: 'tool_failed', output: expect.stringContaining('neither') });
    });

    test('it receives its signal, with its cause [tool.signal]', async () => {
      const { end } = await endOf(toolOf(kind, 'waits', patient), { stops: true });
      expect(end).toEqual({ kind: 'stopped', output: 'stopped by ada' });
      const thrown = await endOf(toolOf(kind, 'throws', patient), { stops: true });
      expect(thrown.end).toEqual({ kind: 'stopped', output: '' });
    });

    test('a call that completes within the grace has completed [cancel.boundaries]', async () => {
      const { end } = await endOf(toolOf(kind, 'completes', patient), { stops: true });
      expect(end).toEqual({ kind: 'completed', output: 'done all the same' });
    });

    test.each(['spins', 'sleeps', 'microtasks'])(
      'one that %s is ended after its grace, and the host continues meanwhile [cancel.bounded]',
      async (name) => {
        let beats = 0;
        const heart = setInterval(() => beats++, 10);
        const { end } = await endOf(toolOf(kind, name), { stops: true });
        clearInterval(heart);
        expect(end).toEqual({ kind: 'stopped', output: '', forced: true });
        expect(beats).toBeGreaterThan(5);
      },
    );

    test('force skips the grace [cancel.idempotent]', async () => {
      const { end } = await endOf(toolOf(kind, 'spins', patient), { stops: true, forces: true });
      expect(end).toMatchObject({ kind: 'stopped', forced: true });
    });

    test.each<[string, RegExp]>([
      ['crashes', /out of nowhere/],
      ['exits', /code 3/],
      ['fails', /^no such luck$/],
      ['lies', /neither output nor the end of a call/],
      ['sendsNonsense', /neither output nor the end of a call/],
      ['notAFunction', /exports no function `notAFunction`/],
    ])('one that %s is a failed call, and the host goes on [cancel.bounded]', async (name, message) => {
      const { end } = await endOf(toolOf(kind, name));
      expect(end).toMatchObject({ kind: 'failed', code: 'tool_failed', output: expect.stringMatching(message) });
    });

    test('its memory is bounded [cancel.bounded]', async () => {
      const { end } = await endOf(toolOf(kind, 'eats', { memoryMb: 32 }));
      expect(end).toMatchObject({ kind: 'failed', output: expect.stringMatching(/memory|SIGABRT|SIGTRAP|code 134/i) });
    });

    test('a flood is limited, and does not delay a stop [cancel.bounded]', async () => {
      const recorded = recordingContext({});
      const run = toolOf(kind, 'floods').run({ token }, recorded.context);
      await until(() => recorded.outputs.length > 3, { what: 'the flood' });
      recorded.stopCall();
      expect(await run).toMatchObject({ kind: 'stopped', forced: true });
      expect(recorded.outputs.join('').length).toBeLessThanOrEqual(262_144);
    });

    test.each(['sendsForEver', 'sendsEmptyForEver'])(
      'one that %s, past its own limit, is ended by the limit of the host [cancel.bounded]',
      async (name) => {
        const { end, outputs } = await endOf(toolOf(kind, name));
        expect(end).toMatchObject({
          kind: 'failed',
          message: expect.stringMatching(/neither output nor|more output than/),
        });
        expect(outputs.length).toBeLessThanOrEqual(262_144);
      },
    );

    test('its live output ends at a limit with a line that says so, and its end is the end of the call [history.bounded]', async () => {
      const { end, outputs } = await endOf(toolOf(kind, 'sendsMuch'));
      expect(end).toEqual({ kind: 'completed', output: 'sent' });
      expect(outputs.length).toBeLessThanOrEqual(262_144);
      expect(outputs.split('the rest is not shown')).toHaveLength(2);
      expect(outputs.endsWith('\n[… the rest is not shown live …]\n')).toBe(true);
    });

    test('its log is published up to a limit, and its end is the end of the call', async () => {
      const logged = await endOf(toolOf(kind, 'logs'));
      expect(logged.end).toEqual({ kind: 'completed', output: 'logged' });
      expect(logged.outputs.length).toBeLessThanOrEqual(262_144);
      const { end, outputs } = await endOf(toolOf(kind, 'prints'));
      expect(end).toEqual({
        kind: 'failed',
        output: 'failed',
        code: 'command_failed',
        message: 'as it reports',
        effect: 'none',
      });
      expect(outputs.split('\n').sort()).toEqual(['', 'to stderr', 'to stdout']);
    });

    test('code that waits for each line to be written is not delayed, and ends', async () => {
      const { end, outputs } = await endOf(toolOf(kind, 'waitsForItsLog'));
      expect(end).toEqual({ kind: 'completed', output: 'all written' });
      expect(outputs.length).toBeLessThanOrEqual(262_144 + '\n[… the rest is not shown live …]\n'.length);
      const notes = outputs.split('the rest is not shown live').length - 1;
      // a thread is terminated with its result: what it printed last may not have reached the host by then
      if (kind === 'process') expect(notes).toBe(1);
      else expect(notes).toBeLessThanOrEqual(1);
    });

    test('a result that is too long is cut, and counted [history.bounded]', async () => {
      const { end } = await endOf(toolOf(kind, 'returnsTooMuch'));
      expect(end).toMatchObject({ kind: 'completed', omitted: expect.any(Number) });
      expect(end.output.length).toBeLessThanOrEqual(32_768);
    });

    test('nothing starts after a signal that has fired, or fires right after the start [cancel.fence]', async () => {
      const recorded = recordingContext({});
      const run = toolOf(kind, 'spins').run({ token }, recorded.context);
      recorded.stopCall();
      expect(await run).toMatchObject({ kind: 'stopped' });
      await pause(20);
    });
  });
}

test('processes that a process has started are ended with it, also while it waits for them [tool.process] [cancel.clean]', async () => {
  expect((await endOf(toolOf('process', 'leaves'))).end).toEqual({ kind: 'completed', output: 'left' });
  expect(living(token)).toEqual([]);
  const isReady = () => living(token).length > 0;
  const { end } = await endOf(toolOf('process', 'blocks', patient), { stops: true, isReady });
  expect(end).toEqual({ kind: 'completed', output: 'awake' }); // its command got TERM, and it went on
});

test.each(['leaves', 'blocks'])(
  'a thread starts no processes, because nothing could reap them: %s [tool.process]',
  async (name) => {
    const { end } = await endOf(toolOf('thread', name));
    expect(end).toMatchObject({ kind: 'failed', output: expect.stringContaining('must not start processes') });
  },
);

test('it is a process by default: its memory is its own [tool.process]', async () => {
  const parts = { name: 'isolated', description: 'Runs its module.', input: z.object({ token: z.string() }) };
  const tool = isolatedTool({ ...parts, access: 'parallel', effect: 'some', isolate: { module } });
  expect((await endOf(tool)).recorded.processes).toHaveLength(1);
});

test('a result that cannot be sent out of a thread is a failed call', async () => {
  const { end } = await endOf(toolOf('thread', 'returnsFunction'));
  expect(end).toMatchObject({ kind: 'failed', output: expect.stringContaining('could not be cloned') });
});

test('an isolated tool is killable, and its error names the part that is wrong [tool.contract]', () => {
  expect(toolOf('thread').cancel).toBe('killable');
  const isolate = (more: object) => () => toolOf('thread', undefined, more as Partial<Isolation>);
  const wrong: readonly [object, RegExp][] = [
    [{ kind: 'fiber' }, /`kind`/],
    [{ module: './isolated.ts' }, /`module`/],
    [{ module: 'https://example.com/a.js' }, /`module`/],
    [{ module: '/no/such/module.js' }, /does not exist/],
    [{ memoryMb: 1 }, /`memoryMb`/],
    [{ termGraceMs: -1 }, /`termGraceMs`/],
  ];
  for (const [more, message] of wrong) {
    expect(isolate(more)).toThrow(message);
    expect(isolate(more)).toThrow(ToolDeclarationError);
  }
  expect(isolate({ module: pathToFileURL(module) })).not.toThrow();
});
