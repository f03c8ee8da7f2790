// The code of an embedder in the world of a scenario: it screens calls, works on requests, and attributes calls to other speakers.
import type { OutsideAgents } from '../../../src/core/contracts/outside-agents.ts';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import type { RuntimeConfig } from '../../../src/core/runtime/config.ts';
import { pause } from '../../../src/core/sources/pause.ts';
import type { Clock } from '../../../src/core/sources/sources.ts';
import type { Scenario } from './scenario.ts';

/** The time of an interceptor, in milliseconds. */
const screeningMs = 10;

type Extensions = Pick<RuntimeConfig, 'interceptors' | 'ownerOfCall' | 'buildContext'>;

/** Returns the extensions of a scenario. `clock`: of the embedder's work. */
export function extensionsOf({ screening, owners, contextMs, unwindMs = 0 }: Scenario, clock: Clock): Extensions {
  const work = async (ms: number, signal: AbortSignal) => {
    await pause(clock, ms, signal);
    if (signal.aborted && unwindMs > 0) await pause(clock, unwindMs, new AbortController().signal);
  };
  return {
    ...(screening && {
      interceptors: [
        {
          beforeTool: async (_, signal) => {
            await work(screeningMs, signal);
            return screening;
          },
        },
      ],
    }),
    ...(owners && { ownerOfCall: ({ name, turnOwner }) => owners[name] ?? turnOwner }),
    ...(contextMs !== undefined && {
      buildContext: async ({ messages, signal }) => {
        await work(contextMs, signal);
        return messages;
      },
    }),
  };
}

/** Returns outside agents whose tasks `tool` runs. */
export const simulateOutsideAgents = (tool: Tool): OutsideAgents => ({
  checkAgents: () => ({ createTool: () => tool }),
  forgetSession() {},
});
