// The inside of an isolate: runs the one call that it was made for, and tells the host what comes of it.
import type { ToolEnd } from '../tool.ts';
import {
  boundedEnd,
  type IsolatedCall,
  type IsolatedContext,
  type IsolatedRun,
  type IsolateMessage,
} from './isolate-messages.ts';
import { createLiveMeter } from './live-output-limit.ts';
import { loadFunction } from './load-module.ts';

/** Never rejects. `tell` may throw for what cannot be sent; that is told instead. */
export async function serveCall(
  { module, name, input, place }: IsolatedCall,
  signal: AbortSignal,
  tell: (said: IsolateMessage) => void,
): Promise<void> {
  const take = createLiveMeter(); // a flood ends here, and not in the host
  const context: IsolatedContext = {
    ...place,
    signal,
    output(text) {
      const shown = String(text).slice(0, take(String(text).length));
      if (shown !== '') tell({ output: shown });
    },
  };
  try {
    const run = (await loadFunction(module, name)) as IsolatedRun<unknown>;
    tell({ end: boundedEnd(await run(input, context)) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const end: ToolEnd = signal.aborted
      ? { kind: 'stopped', output: '' } // an exception after the signal is how most code obeys it
      : { kind: 'failed', code: 'tool_failed', message, output: message };
    tell({ end });
  }
}
