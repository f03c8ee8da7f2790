// Makes the tools, folders and MCP servers of a session from the setting `sessions`.
import { resolve } from 'node:path';
import { ServerSlots } from '../adapters/mcp/server-slots.ts';
import type { McpOptions } from '../adapters/mcp/servers.ts';
import { mcpServersOnDemand } from '../adapters/mcp/servers-on-demand.ts';
import type { Tool } from '../core/contracts/tool.ts';
import type { ToolSource } from '../core/contracts/tool-source.ts';
import type { SessionServers } from '../core/runtime/config.ts';
import type { SessionSpec } from '../core/session/session-spec.ts';
import { systemSources } from '../core/sources/system.ts';
import { onlyTools, onlyToolsOf } from '../core/tools/only-tools.ts';
import { requireApprovals, requireApprovalsOf } from '../core/tools/require-approval.ts';
import { mcpTokenFile } from './mcp-token-file.ts';
import { hasOwnTools, settingsOfSession } from './session-settings.ts';
import type { Config } from './settings.ts';

/** The tools of the gateway, before any approval is required for them. */
export interface GatewayTools {
  readonly tools: readonly Tool[];
  readonly toolSources: readonly ToolSource[];
  readonly warn: (message: string) => void;
}

type OwnTools = Pick<SessionSpec, 'tools' | 'toolSources' | 'roots' | 'approve'>;

/** Returns a function that makes what a session has of its own by the session's id: an empty object if it has nothing. It starts no server. */
export function createSessionTools(config: Config, gateway: GatewayTools): (id: string) => OwnTools {
  const slots = new ServerSlots({ max: config.mcpSessionServers });
  return (id) => toolsOf(id, config, gateway, slots);
}

/** What the servers of all sessions share. */
export interface ServerParts {
  readonly config: Config;
  readonly slots: ServerSlots;
  readonly warn: GatewayTools['warn'];
}

/** Makes the MCP servers of one session. It starts none. */
export function serversOf(
  session: string,
  { servers, roots }: Pick<SessionServers, 'servers' | 'roots'>,
  { config: { limits, mcpReadyMs, ...config }, slots, warn }: ServerParts,
): ToolSource {
  return mcpServersOnDemand({
    ...systemSources,
    servers: servers as McpOptions['servers'], // checked by it
    termGraceMs: limits.termGraceMs,
    readyMs: mcpReadyMs,
    roots: roots.map((root) => resolve(root)),
    tokenFile: mcpTokenFile(config),
    slots,
    warn: (message) => warn(`session ${session}: ${message}`),
  });
}

function toolsOf(id: string, config: Config, gateway: GatewayTools, slots: ServerSlots): OwnTools {
  const settings = settingsOfSession(config.sessions, id);
  if (settings === null || !hasOwnTools(settings)) return {};
  const { tools: patterns = ['*'], mcpServers = {}, approve = config.approve } = settings;
  const roots = settings.roots ?? config.roots;
  const ownServers = serversOf(id, { servers: mcpServers, roots }, { config, slots, warn: gateway.warn });
  const hasServers = Object.keys(mcpServers).length > 0;
  const toolSources = [...gateway.toolSources, ...(hasServers ? [ownServers] : [])];
  return {
    tools: requireApprovals(onlyTools(gateway.tools, patterns), approve),
    toolSources: toolSources.map((source) => requireApprovalsOf(onlyToolsOf(source, patterns), approve)),
    approve,
    roots,
  };
}
