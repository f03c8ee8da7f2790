// The tools of the simulated world, and the record of what their calls did.
import type { Tool, ToolContext, ToolEnd } from '../../../src/core/contracts/tool.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import { spawnAgent } from '../../../src/core/tools/spawn-agent.ts';
import type { CallEvidence, Growing } from '../laws/evidence.ts';
import { simulatedMcpTool } from './simulated-mcp.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import { waitingTools } from './waiting-tools.ts';

interface Input {
  /** How long it works. */
  readonly ms?: number;
  /** How long it goes on after its signal. */
  readonly unwind?: number;
}

export interface WorldToolsOptions {
  /** The process that they work in: a call dies with it. */
  readonly process: SimulatedProcess;
  /** The longest that their work is late, in virtual milliseconds. */
  readonly jitterMs: number;
  /** The number of the next moment. */
  moment(): number;
  readonly calls: Growing<CallEvidence>[];
  /** Records a bug. */
  report(what: string): void;
}

const defaultMs = 30;
const defaultUnwindMs = 5;
const timeoutMs = 20;
const expiresMs = 400;
/** The longest shield of a call. */
export const longestCallShieldMs = 60;

type Run = (input: Input, context: ToolContext, call: Growing<CallEvidence>) => Promise<ToolEnd>;

/** Returns what makes a tool whose calls are recorded: when each is entered, acts and ends. */
function recordingTools({ process, jitterMs, moment, calls }: WorldToolsOptions) {
  const clock = process.workClock('tool', jitterMs);
  const record = async (
    tool: string,
    { call: node, signal }: ToolContext,
    work: (call: Growing<CallEvidence>) => Promise<ToolEnd>,
  ) => {
    if (process.isDead) return new Promise<never>(() => {});
    const at = { enteredAt: moment(), actedAt: null, endedAt: null, diedAt: null, abortedAt: null, abortedAtMs: null };
    const call: Growing<CallEvidence> = { node, tool, ...at, region: null };
    calls.push(call);
    const onAbort = () => {
      if (process.isDead) return;
      call.abortedAt = moment();
      call.abortedAtMs = clock.now();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await work(call);
    } finally {
      if (!process.isDead) call.endedAt = moment();
    }
  };
  /** Works for its time, then acts. */
  const work = (
    call: Growing<CallEvidence>,
    { ms = defaultMs, unwind = defaultUnwindMs }: Input,
    signal: AbortSignal | null,
  ) =>
    new Promise<ToolEnd>((resolve) => {
      const disarm = clock.after(ms, () => {
        signal?.removeEventListener('abort', stop);
        call.actedAt ??= moment();
        resolve({ kind: 'completed', output: 'done' });
      });
      const stop = () => {
        disarm();
        clock.after(unwind, () => resolve({ kind: 'stopped', output: 'stopped' }));
      };
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  const tool = (name: string, run: Run, more: Partial<Tool> = {}): Tool => ({
    ...defineTool({
      name,
      description: name,
      input: { type: 'object' },
      access: 'parallel',
      cancel: 'abortable',
      effect: 'some',
      timeoutMs: 0,
      run: (input, context) => record(name, context, (call) => run(input as Input, context, call)), // any object
    }),
    ...more,
  });
  /** Works in a region of a call. */
  const workInRegion = async (call: Growing<CallEvidence>, inside: () => Promise<ToolEnd>): Promise<ToolEnd> => {
    const region = { from: moment(), to: null, untilMs: clock.now() + longestCallShieldMs };
    call.region = region;
    const end = await inside();
    call.region = { ...region, to: moment() };
    return end;
  };
  return { tool, work, record, workInRegion };
}

/** Returns the tool that gives tasks to outside agents, which ask for a yes, then work, and say what their models have used. */
export function simulatedAgentTool(options: WorldToolsOptions): Tool {
  const { tool, work } = recordingTools(options);
  const run: Run = async (_, { signal, requestApproval, output }, call) => {
    output('reading');
    const mayGoOn = await requestApproval({ text: 'May I write?', expiresMs }).catch(() => false);
    if (!mayGoOn || signal.aborted) return { kind: 'stopped', output: 'nothing written' };
    const end = await work(call, {}, signal);
    return { ...end, usage: { kind: 'exact', input: 20, output: 5 } };
  };
  const { input, parse } = spawnAgent;
  return tool(spawnAgent.name, run, { input, parse, cancel: 'killable' });
}

/** Returns the tools of the world. */
export function worldTools(options: WorldToolsOptions): readonly Tool[] {
  const { moment, report } = options;
  const { tool, work, record, workInRegion } = recordingTools(options);
  const obedient = (input: Input, { signal }: ToolContext, call: Growing<CallEvidence>) => work(call, input, signal);
  const mcpTool = simulatedMcpTool(options.process.workClock('tool', options.jitterMs));
  return [
    ...waitingTools({ tool, work, workInRegion, report, shieldMaxMs: longestCallShieldMs, expiresMs }),
    {
      ...mcpTool,
      run: (input, context) =>
        record(mcpTool.name, context, async (call) => {
          const end = await mcpTool.run(input, context);
          if (typeof end === 'object' && end.kind === 'completed') call.actedAt = moment();
          return typeof end === 'object' ? end : { kind: 'completed', output: end };
        }),
    },
    tool('wait', obedient),
    tool('stubborn', (input, _, call) => work(call, input, null)),
    tool('keyed', obedient, { access: () => ({ scope: 'session', name: 'k' }) }),
    tool('latest', obedient, { supersedes: () => 'one' }),
    // acts, and has still to wait for the reply
    tool('sender', async (input, { signal }, call) => {
      await work(call, { ms: 10 }, signal);
      return signal.aborted ? { kind: 'stopped', output: 'stopped' } : work(call, input, signal);
    }),
    tool('short', obedient, { timeoutMs }),
    tool('risky', obedient, { approval: () => ({ text: 'May I?', expiresMs }) }),
    tool('asker', async (input, { ask, signal }, call) => {
      await ask({ text: 'Which one?', expiresMs }).catch(() => 'none');
      return work(call, input, signal);
    }),
    tool(
      'committing',
      async (input, { shield, signal }, call) => {
        await work(call, { ms: 10 }, signal);
        if (signal.aborted) return { kind: 'stopped', output: 'stopped' };
        return shield(() => workInRegion(call, () => work(call, input, null)));
      },
      { cancel: 'shielded', shieldMaxMs: longestCallShieldMs },
    ),
  ];
}
