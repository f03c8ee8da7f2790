// The tools, folders and MCP servers of a session, as the setting `sessions` has them.
import { resolve } from 'node:path';
import type { ServerSlots } from '../mcp/server-slots.ts';
import { mcpServersOnDemand } from '../mcp/servers-on-demand.ts';
import type { SessionSpec } from '../session/session-spec.ts';
import { systemSources } from '../sources/system.ts';
import { printWarning } from '../text/print-warning.ts';
import { onlyTools, onlyToolsOf } from '../tools/only-tools.ts';
import { requireApprovalsOf } from '../tools/require-approval.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import { mcpTokenFile } from './mcp-token-file.ts';
import { settingsOfSession } from './session-settings.ts';
import type { Config } from './settings.ts';

export interface GatewayTools {
  readonly tools: readonly Tool[];
  readonly toolSources: readonly ToolSource[];
  /** For the MCP servers of all sessions. */
  readonly slots: ServerSlots;
}

/** Returns what the session has instead of the gateway's own; nothing, if no pattern matches its id. Starts nothing. */
export function toolsOfSession(
  id: string,
  config: Config,
  gateway: GatewayTools,
): Pick<SessionSpec, 'tools' | 'toolSources' | 'roots'> {
  const settings = settingsOfSession(config.sessions, id);
  if (!settings?.roots && !settings?.tools && !settings?.mcpServers) return {};
  const { tools: patterns = ['*'], mcpServers = {} } = settings;
  const { limits, mcpReadyMs, approve } = config;
  const roots = settings.roots ?? config.roots;
  const ownServers = mcpServersOnDemand({
    ...systemSources,
    servers: mcpServers,
    termGraceMs: limits.termGraceMs,
    readyMs: mcpReadyMs,
    roots: roots.map((root) => resolve(root)),
    tokenFile: mcpTokenFile(config),
    slots: gateway.slots,
    warn: (message) => printWarning(`session ${id}: ${message}`),
  });
  const hasServers = Object.keys(mcpServers).length > 0;
  const toolSources = [...gateway.toolSources, ...(hasServers ? [requireApprovalsOf(ownServers, approve)] : [])];
  return {
    tools: onlyTools(gateway.tools, patterns),
    toolSources: toolSources.map((source) => onlyToolsOf(source, patterns)),
    roots,
  };
}
