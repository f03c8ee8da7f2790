// Runs the one call of an isolate, inside the isolate, and reports to the host.

import type { ToolEnd } from '../../../core/contracts/tool.ts';
import { errorText } from '../../../core/text/error-text.ts';
import {
  boundedEnd,
  type IsolatedCall,
  type IsolatedContext,
  type IsolatedRun,
  type IsolateMessage,
} from './isolate-messages.ts';
import { IsolateLiveOutput } from './live-output-limit.ts';
import { loadFunction } from './load-module.ts';

/**
 * Runs a call. An exception of the call is reported as its end.
 * @param send Sends a message to the host. If it throws, that is reported instead.
 */
export async function serveCall(
  { module, exportName, input, identity }: IsolatedCall,
  signal: AbortSignal,
  send: (message: IsolateMessage) => void,
): Promise<void> {
  const live = new IsolateLiveOutput(); // limits a flood before it reaches the host
  const context: IsolatedContext = {
    ...identity,
    signal,
    output(text) {
      const shown = live.cut(String(text));
      if (shown !== '') send({ output: shown });
    },
  };
  try {
    const run = (await loadFunction(module, exportName)) as IsolatedRun<unknown>; // the author of the tool declares it so
    send({ end: boundedEnd(await run(input, context)) });
  } catch (error) {
    const message = errorText(error);
    const end: ToolEnd = signal.aborted
      ? { kind: 'stopped', output: '' } // most code obeys its signal by throwing
      : { kind: 'failed', code: 'tool_failed', message, output: message };
    send({ end });
  }
}
