// Checks what the schema of the settings cannot: folders that exist, limits that fit each other, names of tools that there can be.
import { existsSync } from 'node:fs';
import { gatewayLimitsFrom } from '../gateway/gateway-limits.ts';
import { defaultMcpLimits } from '../mcp/mcp-limits.ts';
import { stopMsOf } from '../mcp/server-config.ts';
import { errorText } from '../text/error-text.ts';
import { builtinLimitsFrom } from '../tools/builtin/builtin-limits.ts';
import { builtinNames } from '../tools/builtin/builtin-tools.ts';
import { matchesPattern } from '../tools/require-approval.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import { defaultLimits, limitsFrom } from '../workers/session-limits.ts';
import { ConfigError } from './config-error.ts';
import type { Config } from './settings.ts';

/** Throws `ConfigError`, which names the setting. */
export function assertConfig(config: Config): void {
  assertFolders(config);
  assertLimits(config);
  assertToolNames(config);
}

function assertFolders({ roots, allow }: Config): void {
  for (const root of roots) {
    if (!existsSync(root)) throw new ConfigError(`The setting roots is not good: there is no folder ${root}.`);
  }
  const needFolder = roots.length === 0 ? allow.filter((name) => name !== 'browse') : [];
  if (needFolder.length > 0) {
    throw new ConfigError(
      `The setting allow is not good: ${needFolder.join(' and ')} needs a folder to work in (roots).`,
    );
  }
}

/** How the limits nest, among others: termGraceMs < toolCancelMs < shutdownMs. */
function assertLimits(config: Config): void {
  try {
    limitsFrom(config.limits);
    builtinLimitsFrom(config.builtin);
    gatewayLimitsFrom(config.gateway);
    assertMcpServers(config);
  } catch (error) {
    throw new ConfigError(`The setting ${errorText(error)}.`, { cause: error });
  }
}

/** A call must be able to outlive the stop of its server. Checked before a server is started. */
function assertMcpServers({ mcpServers, limits }: Config): void {
  const { termGraceMs, toolCancelMs } = { ...defaultLimits, ...limits };
  for (const [name, server] of Object.entries(mcpServers)) {
    const stopMs = stopMsOf(server, defaultMcpLimits, termGraceMs);
    if (stopMs < toolCancelMs) continue;
    const { cancelGraceMs, closeMs } = defaultMcpLimits;
    const end = 'command' in server ? `limits.termGraceMs (${termGraceMs})` : `${closeMs} to end its session`;
    throw new RangeError(
      `limits.toolCancelMs (${toolCancelMs}) must be more than the ${stopMs} ms that the MCP server ${name} may take to stop: ${cancelGraceMs} to answer, and then ${end}`,
    );
  }
}

/** A tool that is off, or one of an MCP server that is away, may be named; a name that no tool can have is a mistake. */
function assertToolNames({ toolTimeouts, approve, mcpServers }: Config): void {
  const timeouts = Object.keys(toolTimeouts);
  if (timeouts.length === 0 && approve.length === 0) return;
  const prefixes = Object.keys(mcpServers).map((server) => `${server}__`);
  const builtin = builtinNames();
  assertPatterns('toolTimeouts.', timeouts, [...builtin, spawnAgent.name], prefixes);
  assertPatterns('approve: ', approve, builtin, prefixes);
}

function assertPatterns(
  setting: string,
  patterns: readonly string[],
  names: readonly string[],
  prefixes: readonly string[],
): void {
  const canMatch = (pattern: string) =>
    names.some((name) => matchesPattern(pattern, name)) ||
    prefixes.some((prefix) => pattern.startsWith(prefix) || matchesPattern(pattern, prefix));
  const mistake = patterns.find((pattern) => !canMatch(pattern));
  if (mistake === undefined) return;
  const known = [...names, ...prefixes.map((prefix) => `${prefix}…`)].join(', ');
  throw new ConfigError(
    `The setting ${setting}${mistake} is not good: there is no tool of that name: there are ${known}.`,
  );
}
