// The services of one session: those of its runtime, with the tools, the folders and the limits that its spec has of its own.

import type { ToolSource } from '../contracts/tool-source.ts';
import { assertShield, type SessionSpec } from '../session/session-spec.ts';
import { errorText } from '../text/error-text.ts';
import type { RuntimeServices } from '../workers/services.ts';
import { sessionLimitsFrom } from '../workers/session-limits.ts';
import { createProfiles } from './agent-profiles.ts';
import { AvailableTools } from './available-tools.ts';
import type { RuntimeConfig } from './config.ts';

/**
 * Returns the services; those of the runtime, if the spec has nothing of its own. Starts nothing.
 *
 * @throws `ToolDeclarationError` for a tool of the spec that is not declared well, RangeError if its shield is too long, a limit is wrong, or an outside agent
 * has no folder to work in.
 */
export function createSessionServices(
  config: RuntimeConfig,
  runtime: RuntimeServices,
  spec: SessionSpec,
): RuntimeServices {
  const hasOutsideAgents = Object.values(config.agents ?? {}).some((agent) => 'acp' in agent);
  assertShield(spec.shieldMs, runtime.limits, hasOutsideAgents);
  if (!spec.tools && !spec.toolSources && !spec.roots && !spec.limits && !spec.approve) return runtime;
  const { warn } = runtime;
  const limits = sessionLimitsFrom(spec.limits ?? {}, runtime.limits);
  const { tools: ownTools = config.tools ?? [], toolSources, roots = runtime.roots } = spec;
  const sources = toolSources ?? config.toolSources ?? [];
  const tools = new AvailableTools({ tools: ownTools, sources, limits, warn });
  return {
    ...runtime,
    roots,
    limits,
    approve: spec.approve ?? runtime.approve,
    timeoutOf: ({ name, timeoutMs }, askedMs) =>
      runtime.timeoutOf({ name, timeoutMs: timeoutMs === 'default' ? limits.toolTimeoutMs : timeoutMs }, askedMs),
    profileOf: createProfiles({ ...config, roots }, tools, limits),
    offers: tools,
    tools,
    closeTools: () => closeSources(toolSources ?? [], runtime),
  };
}

/** Resolves when all are closed, or after `limits.shutdownMs`. */
async function closeSources(
  sources: readonly ToolSource[],
  { sources: { clock }, limits, warn }: RuntimeServices,
): Promise<void> {
  const closing = sources.flatMap((source) => source.endSession?.() ?? []);
  if (closing.length === 0) return;
  const report = (error: unknown) => warn(`A source of tools was not closed: ${errorText(error)}.`, error);
  const overdue = Promise.withResolvers<void>();
  const disarm = clock.after(limits.shutdownMs, () => {
    report(new Error(`it took more than ${limits.shutdownMs} ms`));
    overdue.resolve();
  });
  await Promise.race([Promise.all(closing.map((end) => end.catch(report))), overdue.promise]);
  disarm();
}
