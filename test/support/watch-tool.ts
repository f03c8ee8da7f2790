// A tool that waits to be stopped.
import { z } from 'zod';
import { defineTool } from '../../src/core/tools/define-tool.ts';

/** Runs until it is stopped. */
export const watch = defineTool({
  name: 'watch',
  description: 'Watches.',
  input: z.object({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  timeoutMs: 0,
  run: (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: 'stopped' }));
    }),
});
