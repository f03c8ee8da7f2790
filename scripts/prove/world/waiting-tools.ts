// Tools of the simulated world that wait for a person or for a key, have two regions, or replace calls under a word that another tool has, too.
import type { Tool, ToolContext, ToolEnd } from '../../../src/core/contracts/tool.ts';
import type { CallEvidence, Growing } from '../laws/evidence.ts';

/** The arguments of a call: how long it works. */
interface WorkInput {
  readonly ms?: number;
}

export interface WaitingToolsParts {
  tool(
    name: string,
    run: (input: WorkInput, context: ToolContext, call: Growing<CallEvidence>) => Promise<ToolEnd>,
    more?: Partial<Tool>,
  ): Tool;
  /** Works for its time, then acts. */
  work(call: Growing<CallEvidence>, input: WorkInput, signal: AbortSignal | null): Promise<ToolEnd>;
  /** Works in a region of a call. */
  workInRegion(call: Growing<CallEvidence>, inside: () => Promise<ToolEnd>): Promise<ToolEnd>;
  report(what: string): void;
  readonly shieldMaxMs: number;
  readonly expiresMs: number;
}

const patienceMs = 20;

export function waitingTools({
  tool,
  work,
  workInRegion,
  report,
  shieldMaxMs,
  expiresMs,
}: WaitingToolsParts): readonly Tool[] {
  return [
    // reports that it was asked to kill, which it cannot
    tool('unkillable', (input, { signal, kill }, call) => {
      kill.addEventListener('abort', () => report(`${call.node}, which is not killable, was asked to kill.`));
      return work(call, input, signal);
    }),
    tool('newest', (input, { signal }, call) => work(call, input, signal), { supersedes: () => 'one' }),
    tool(
      'patient',
      async (input, { ask, signal }, call) => {
        await ask({ text: 'Which one?', expiresMs }).catch(() => 'none');
        return work(call, input, signal);
      },
      { timeoutMs: patienceMs },
    ),
    tool('twice', async (input, { ask, signal }, call) => {
      await ask({ text: 'Which one?', expiresMs }).catch(() => 'none');
      await ask({ text: 'Are you sure?', expiresMs }).catch(() => 'none');
      return work(call, input, signal);
    }),
    tool(
      'nested',
      async (input, { shield, signal }, call) => {
        await work(call, { ms: 5 }, signal);
        if (signal.aborted) return { kind: 'stopped', output: 'stopped' };
        const inside = async () => {
          await shield(async () => work(call, { ms: 5 }, null)).catch(() => {});
          return work(call, input, null);
        };
        return shield(() => workInRegion(call, inside));
      },
      { cancel: 'shielded', shieldMaxMs },
    ),
  ];
}
