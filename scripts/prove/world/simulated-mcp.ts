// A server of MCP tools within the process, called by the shipped tool and the shipped elicitation: it asks for a value in the middle of a call.
import { createListedTool } from '../../../src/adapters/mcp/listed-tool.ts';
import { defaultMcpLimits } from '../../../src/adapters/mcp/mcp-limits.ts';
import type { ToolServer } from '../../../src/adapters/mcp/restarting-server.ts';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import { pause } from '../../../src/core/sources/pause.ts';
import type { Clock } from '../../../src/core/sources/sources.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const workMs = 20;
/** From a cancel to the response that proves that the work has stopped. */
const unwindMs = 5;

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

/** Returns the tool `travel__book`. `clock`: of the server. */
export function simulatedMcpTool(clock: Clock): Tool {
  const server: Pick<ToolServer, 'call'> = {
    async call(_, { signal, elicit }) {
      const asked = await elicit({ message: 'Where to?', schema, signal });
      if (!signal.aborted && asked.action !== 'accept') return { kind: 'completed', result: text('not booked') };
      await pause(clock, workMs, signal);
      if (!signal.aborted) return { kind: 'completed', result: text('booked') };
      await pause(clock, unwindMs, new AbortController().signal);
      return { kind: 'stopped', forced: false, isSeen: true };
    },
  };
  return createListedTool(
    { name: 'book', inputSchema: { type: 'object' } },
    {
      serverName: 'travel',
      server: server as ToolServer, // a call is all that is asked of it
      timeoutMs: 0,
      stopMs: unwindMs,
      limits: defaultMcpLimits,
      hasHeaderArguments: false,
    },
  );
}
