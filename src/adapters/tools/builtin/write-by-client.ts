// Writes a file by the session's client: an editor shows the change, and keeps what is not saved.
import { join } from 'node:path';
import type { ClientMachine } from '../../../core/contracts/client-machine.ts';
import type { ToolContext } from '../../../core/contracts/tool.ts';
import { errorText } from '../../../core/text/error-text.ts';
import { openFolder } from './open-in-roots.ts';
import { resolveFile } from './path-guard.ts';

/**
 * Creates or replaces a file, in a shielded region: a write that the client has started is completed. Missing folders are made first.
 * @returns Rejects with the client's refusal, and, with nothing written, if the signal has fired before the region.
 */
export async function writeByClient(
  client: ClientMachine,
  path: string,
  content: string,
  context: Pick<ToolContext, 'session' | 'roots' | 'protectedPaths' | 'signal' | 'shield'>,
): Promise<void> {
  const { root, existing, missing } = resolveFile(context, path);
  if (missing.length > 1)
    await (await openFolder({ root, existing, missing: missing.slice(0, -1) }, context))[Symbol.asyncDispose]();
  context.signal.throwIfAborted();
  await context.shield(() =>
    client.writeTextFile(context.session, join(existing, ...missing), content).catch((error: unknown) => {
      throw new Error(`The client has not written it: ${errorText(error)}`, { cause: error });
    }),
  );
}
