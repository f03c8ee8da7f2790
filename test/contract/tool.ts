// What every tool keeps, whatever it does: a suite for its author to run. `toolContract(title, () => theCase)`.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, test } from 'vitest';
import type { Cause } from '../../machines/vocabulary.ts';
import type { Clock } from '../../src/sources/sources.ts';
import { systemSources } from '../../src/sources/system.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { Tool, ToolContext, ToolEnd } from '../../src/tools/tool.ts';

export interface ToolCase {
  readonly tool: Tool;
  /** Arguments of a call that ends as completed. */
  readonly good: object;
  /** Arguments that are refused, and what the refusal must name: the field, or the limit. */
  readonly bad: readonly { readonly input: unknown; readonly names: string }[];
  /** Arguments of a call that goes on until it is stopped, where there is one. */
  readonly endless?: object;
  readonly roots?: readonly string[];
  /** How soon a call has to end after its signal, in milliseconds; 5 000 by default. */
  readonly endsWithinMs?: number;
}

/** A call's context that is watched: what the tool has said, and both its signals. */
export interface Watched {
  readonly context: ToolContext;
  readonly stop: AbortController;
  readonly kill: AbortController;
  readonly clock: CountedClock;
  readonly outputs: readonly string[];
  readonly processes: readonly { readonly group: number; readonly startTime: string }[];
}

/** The real clock, and how many of its timers are waiting. */
export interface CountedClock extends Clock {
  readonly pending: number;
}

export function countedClock(): CountedClock {
  const { now, after } = systemSources.clock;
  const waiting = new Set<object>();
  return {
    now,
    after(ms, fn) {
      const timer = {};
      waiting.add(timer);
      const disarm = after(ms, () => {
        waiting.delete(timer);
        fn();
      });
      return () => {
        waiting.delete(timer);
        disarm();
      };
    },
    get pending() {
      return waiting.size;
    },
  };
}

export const byClient: Cause = { source: 'client', by: 'ada', reason: 'changed my mind', target: 'turn_1' };

export function watchedContext(given: Partial<ToolContext> = {}): Watched {
  const stop = new AbortController();
  const kill = new AbortController();
  const clock = countedClock();
  const outputs: string[] = [];
  const processes: { readonly group: number; readonly startTime: string }[] = [];
  const context: ToolContext = {
    signal: stop.signal,
    kill: kill.signal,
    session: 'session_1',
    turn: 'turn_1',
    call: systemSources.ids('call'),
    speaker: 'ada',
    roots: [],
    depth: 0,
    clock,
    output: (text) => void outputs.push(text),
    processStarted: (process) => void processes.push(process),
    shield: (work) => (stop.signal.aborted ? Promise.reject(new Error('the call is being stopped')) : work()),
    ask: () => Promise.reject(new Error('there is nobody to ask')),
    status: () => ({ calls: [], modelCalls: 0, timeouts: 0, running: [], health: { lagMs: 0, worstLagMs: 0 } }),
    cancelAgent: async () => 'not_yours',
    ...given,
  };
  return { context, stop, kill, clock, outputs, processes };
}

type End = ToolEnd | { readonly kind: 'rejected'; readonly output: string };

/** Runs a call to its end, and holds what follows the end against the contract: silence, no timer, no listener. */
async function callOf(
  { tool, roots = [], endsWithinMs = 5_000 }: ToolCase,
  args: object,
  act: (watched: Watched) => unknown,
) {
  const watched = watchedContext({ roots });
  const parsed = tool.parse(args);
  assert.ok(parsed.ok, `the arguments ${JSON.stringify(args)} are refused`);
  const run = Promise.resolve(tool.run(parsed.input, watched.context)).then(
    (end): End => (typeof end === 'string' ? { kind: 'completed', output: end } : end),
    (error): End => ({ kind: 'rejected', output: String(error) }),
  );
  const first = await Promise.race([act(watched), run.then(() => 'ended by itself')]);
  const bound = new AbortController();
  const tooLate = pause(endsWithinMs, null, { signal: bound.signal });
  const end = await Promise.race([run, tooLate]).finally(() => bound.abort());
  assert.ok(end, `it has not ended ${endsWithinMs} ms after its signal`);
  const said = () => watched.outputs.length + watched.processes.length;
  const saidAtTheEnd = said();
  await pause(20);
  assert.equal(said(), saidAtTheEnd, 'it says something after its end');
  assert.equal(watched.clock.pending, 0, 'it leaves a timer');
  for (const signal of [watched.context.signal, watched.context.kill]) {
    assert.equal(getEventListeners(signal, 'abort').length, 0, 'it leaves a listener on its signal');
  }
  return { end, first, processes: watched.processes };
}

const never = () => new Promise<never>(() => {});

export interface ToolCheck {
  readonly title: string;
  check(theCase: ToolCase): unknown;
}

export const toolChecks: readonly ToolCheck[] = [
  {
    title: 'its declaration is whole [tool.contract]',
    check({ tool }) {
      const [declared] = createRegistry([tool]).declarations();
      assert.equal(declared?.name, tool.name);
      assert.equal(declared?.parameters['type'], 'object');
    },
  },
  {
    title: 'it takes good arguments, and gives them the same key each time [tool.contract]',
    check({ tool, good, roots = [] }) {
      const parsed = tool.parse(good);
      assert.ok(parsed.ok, 'good arguments are refused');
      if (tool.access === 'parallel') return;
      const context = { session: 'session_1', roots };
      assert.deepEqual(tool.access(parsed.input, context), tool.access(parsed.input, context));
    },
  },
  {
    title: 'it refuses wrong arguments by the name of what is wrong [tool.contract]',
    check({ tool, bad }) {
      for (const wrong of [...bad, { input: null, names: 'object' }, { input: 'text', names: 'object' }]) {
        const parsed = tool.parse(wrong.input);
        assert.ok(!parsed.ok, `it takes ${JSON.stringify(wrong.input)}`);
        assert.ok(parsed.message.includes(wrong.names), `"${parsed.message}" does not name ${wrong.names}`);
      }
    },
  },
  {
    title: 'a call completes, and is silent from then on [tool.signal] [cancel.clean]',
    async check(theCase) {
      const { end } = await callOf(theCase, theCase.good, never);
      assert.equal(end.kind, 'completed', `it ends as ${end.kind}: ${end.output}`);
    },
  },
  {
    title: 'a signal that has fired before it starts lets it do nothing [tool.signal] [cancel.fence]',
    async check(theCase) {
      const fired = AbortSignal.abort(byClient);
      const watched = watchedContext({ roots: theCase.roots ?? [], signal: fired });
      const parsed = theCase.tool.parse(theCase.good);
      assert.ok(parsed.ok);
      const end = await Promise.resolve(theCase.tool.run(parsed.input, watched.context)).catch(() => 'rejected');
      assert.ok(end === 'rejected' || (typeof end === 'object' && end.kind === 'stopped'), 'it ran');
      assert.equal(watched.processes.length, 0);
      assert.equal(getEventListeners(fired, 'abort').length, 0, 'it leaves a listener on its signal');
    },
  },
  {
    title: 'a signal right behind its start ends it, one way or the other [tool.signal]',
    check: (theCase) => callOf(theCase, theCase.good, ({ stop }) => stop.abort(byClient)),
  },
  {
    title: 'a call that would go on for ever ends with its signal [tool.signal] [cancel.bounded]',
    async check(theCase) {
      if (!theCase.endless) return;
      const { end, first } = await callOf(theCase, theCase.endless, async ({ stop }) => {
        await pause(100);
        stop.abort(byClient);
      });
      assert.equal(first, undefined, 'it ended before it was stopped');
      assert.ok(end.kind === 'stopped' || end.kind === 'rejected', `it ends as ${end.kind}`);
    },
  },
];

/** `make` is called for each test anew. */
export function toolContract(title: string, make: () => ToolCase | Promise<ToolCase>): void {
  describe(`${title} keeps the contract of a tool`, () => {
    for (const { title: promise, check } of toolChecks) test(promise, async () => void (await check(await make())));
  });
}
