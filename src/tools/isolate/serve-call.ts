// Runs the one call of an isolate, inside it, and reports to the host.
import { errorText } from '../../text/error-text.ts';
import type { ToolEnd } from '../tool.ts';
import {
  boundedEnd,
  type IsolatedCall,
  type IsolatedContext,
  type IsolatedRun,
  type IsolateMessage,
} from './isolate-messages.ts';
import { LiveOutputBudget } from './live-output-limit.ts';
import { loadFunction } from './load-module.ts';

/**
 * Runs a call.
 * @param send Throws for what cannot be sent; that is reported instead.
 * @returns Never rejects for what the call does.
 */
export async function serveCall(
  { module, exportName, input, identity }: IsolatedCall,
  signal: AbortSignal,
  send: (message: IsolateMessage) => void,
): Promise<void> {
  const budget = new LiveOutputBudget(); // a flood ends here, and not in the host
  const context: IsolatedContext = {
    ...identity,
    signal,
    output(text) {
      const allowed = String(text).slice(0, budget.spend(String(text).length));
      if (allowed !== '') send({ output: allowed });
    },
  };
  try {
    const run = (await loadFunction(module, exportName)) as IsolatedRun<unknown>; // what the author of the tool exports
    send({ end: boundedEnd(await run(input, context)) });
  } catch (error) {
    const message = errorText(error);
    const end: ToolEnd = signal.aborted
      ? { kind: 'stopped', output: '' } // most code obeys its signal by an exception
      : { kind: 'failed', code: 'tool_failed', message, output: message };
    send({ end });
  }
}
