// Checks the settings beyond their schema: that folders exist, that limits fit together, and that tool names can match a tool.
import { existsSync } from 'node:fs';
import { defaultMcpLimits } from '../adapters/mcp/mcp-limits.ts';
import { stopMsOf } from '../adapters/mcp/server-config.ts';
import { findCommandUser } from '../adapters/processes/command-user.ts';
import { isWithoutSandbox } from '../adapters/tools/browser/chromium.ts';
import { hasPlaywright, playwrightMissing } from '../adapters/tools/browser/playwright.ts';
import { builtinLimitsFrom } from '../adapters/tools/builtin/builtin-limits.ts';
import { builtinNames } from '../adapters/tools/builtin/builtin-tools.ts';
import { assertShield } from '../core/session/session-spec.ts';
import { parseSubnet } from '../core/text/address-ranges.ts';
import { errorText } from '../core/text/error-text.ts';
import { matchesPattern } from '../core/tools/require-approval.ts';
import { spawnAgent } from '../core/tools/spawn-agent.ts';
import { defaultLimits, limitsFrom, sessionLimitsFrom } from '../core/workers/session-limits.ts';
import { gatewayLimitsFrom } from '../gateway/gateway-limits.ts';
import { ConfigError } from './config-error.ts';
import { aiSdkApiOf } from './model-provider.ts';
import { defaultModel } from './model-settings.ts';
import type { SessionSettings } from './session-settings.ts';
import type { Config } from './settings.ts';
import { parseStoreAddress } from './store-address.ts';

/** Throws a `ConfigError` that names the setting. */
export function assertConfig(config: Config): void {
  parseStoreAddress(config.store); // throws
  assertModelName(config);
  assertFolders(config);
  assertTokens(config);
  assertModelKey(config);
  assertProxies(config);
  assertToolsUser(config);
  assertLimits(config);
  assertServerNames(config);
  assertToolNames(config);
}

/** The model that is named by default is one of OpenAI's. */
function assertModelName({ model }: Config): void {
  const api = aiSdkApiOf(model);
  if (api !== null && model.name === defaultModel)
    throw new ConfigError(`The setting model.name is missing: name a model of the API ${api}, or set BELAY_MODEL.`);
}

function assertFolders({ roots, allow, sessions }: Config): void {
  assertExisting('roots', roots);
  for (const [pattern, settings] of Object.entries(sessions))
    assertExisting(`sessions.${pattern}.roots`, settings.roots ?? []);
  const withoutFolder = roots.length === 0 ? allow.filter((name) => name !== 'browse') : [];
  if (withoutFolder.length > 0) {
    throw new ConfigError(
      `The setting allow is invalid: no folder is set for ${withoutFolder.join(' and ')} to work in. Add one with --root or roots.`,
    );
  }
}

function assertExisting(setting: string, folders: readonly string[]): void {
  const missing = folders.find((folder) => !existsSync(folder));
  if (missing !== undefined)
    throw new ConfigError(
      `The setting ${setting} is invalid: there is no folder ${missing}. Create it, or remove it from roots.`,
    );
}

function assertTokens({ tokens }: Config): void {
  const set = (['file', 'jwtSecret', 'jwtSecretFile', 'jwtKeyFile'] as const).filter(
    (name) => tokens[name] !== undefined,
  );
  if (set.length > 1)
    throw new ConfigError(
      `The setting tokens is invalid: ${set.join(' and ')} are set, and only one of them may be. Remove the others, also from the environment.`,
    );
}

function assertProxies({ trustedProxies }: Config): void {
  try {
    trustedProxies.forEach(parseSubnet);
  } catch (error) {
    throw new ConfigError(`The setting trustedProxies is invalid: ${errorText(error)}.`, { cause: error });
  }
}

function assertModelKey({ model }: Config): void {
  if (model.apiKey !== undefined && model.apiKeyFile !== undefined)
    throw new ConfigError(
      'The setting model is invalid: apiKey and apiKeyFile are set, and only one of them may be. Remove the other, also from the environment.',
    );
}

/** Commands that cannot be stopped must not run, and neither may a browser that any page could break out of. */
function assertToolsUser({ allow, tools: { user, browserSandbox } }: Config): void {
  try {
    if (user !== undefined) findCommandUser(user);
  } catch (error) {
    throw new ConfigError(`The setting tools.user is invalid: ${errorText(error)}.`, { cause: error });
  }
  if (allow.includes('browse') && !hasPlaywright())
    throw new ConfigError(`The setting allow is invalid: browse is in it. ${playwrightMissing}`);
  if (allow.includes('browse') && browserSandbox && user === undefined && isWithoutSandbox()) {
    throw new ConfigError(
      'The setting allow is invalid: browse is in it, and Belay runs as root, where Chromium has no sandbox. Run Belay as another user, set tools.user, or set tools.browserSandbox to false.',
    );
  }
}

/** Asserts, among others, that termGraceMs < toolCancelMs < shutdownMs. */
function assertLimits(config: Config): void {
  try {
    limitsFrom(config.limits);
    builtinLimitsFrom(config.builtin);
    gatewayLimitsFrom(config.gateway);
    assertMcpServers(config.mcpServers, config);
    assertShieldMs('shieldMs', config.shieldMs, config);
    for (const [pattern, settings] of Object.entries(config.sessions)) assertSession(pattern, settings, config);
  } catch (error) {
    throw new ConfigError(`The setting ${errorText(error)}.`, { cause: error });
  }
}

/** The limits and the shield of a session fit those of the gateway. */
function assertSession(
  pattern: string,
  { mcpServers = {}, limits = {}, shieldMs }: SessionSettings,
  config: Config,
): void {
  assertMcpServers(mcpServers, config);
  sessionLimitsFrom(limits, limitsFrom(config.limits), `sessions.${pattern}.limits`);
  assertShieldMs(`sessions.${pattern}.shieldMs`, shieldMs, config);
}

function assertShieldMs(setting: string, shieldMs: number | undefined, { limits, agents }: Config): void {
  try {
    assertShield(shieldMs, limitsFrom(limits), Object.keys(agents).length > 0);
  } catch (error) {
    throw new RangeError(`${setting} is invalid: ${errorText(error)}`, { cause: error });
  }
}

/** Stopping a server must take less than `toolCancelMs`: otherwise a stopped call could settle while its server still works. */
function assertMcpServers(mcpServers: Config['mcpServers'], { limits }: Config): void {
  const { termGraceMs, toolCancelMs } = { ...defaultLimits, ...limits };
  for (const [name, server] of Object.entries(mcpServers)) {
    const stopMs = stopMsOf(server, defaultMcpLimits, termGraceMs);
    if (stopMs < toolCancelMs) continue;
    const { cancelGraceMs, closeMs } = defaultMcpLimits;
    const rest = 'command' in server ? `limits.termGraceMs (${termGraceMs})` : `${closeMs} ms to close its session`;
    throw new RangeError(
      `limits.toolCancelMs (${toolCancelMs}) must be more than the ${stopMs} ms that the MCP server ${name} may take to stop: ${cancelGraceMs} ms to respond, and then ${rest}`,
    );
  }
}

/** A name belongs to one server: a session has those of the gateway, too. */
function assertServerNames({ mcpServers, sessions }: Config): void {
  for (const [pattern, { mcpServers: own = {} }] of Object.entries(sessions)) {
    const twice = Object.keys(own).find((name) => Object.hasOwn(mcpServers, name));
    if (twice !== undefined)
      throw new ConfigError(
        `The setting sessions.${pattern}.mcpServers.${twice} is invalid: mcpServers has a server of this name. Give it another one.`,
      );
  }
}

/** Names of tools that are off, and of tools of an MCP server that is not running, are accepted. */
function assertToolNames({ toolTimeouts, approve, mcpServers, sessions }: Config): void {
  const isSilent = [toolTimeouts, approve, sessions].every((setting) => Object.keys(setting).length === 0);
  if (isSilent) return; // the usual case, in which no tool has to be made
  const prefixesOf = (servers: object) => Object.keys(servers).map((server) => `${server}__`);
  const common = prefixesOf(mcpServers);
  const ofSessions = Object.values(sessions).flatMap(({ mcpServers: own = {} }) => prefixesOf(own));
  const builtin = builtinNames();
  const timeouts = Object.keys(toolTimeouts);
  assertPatterns((name) => `toolTimeouts.${name}`, timeouts, [...builtin, spawnAgent.name], common);
  assertPatterns((name) => `approve: ${name}`, approve, builtin, [...common, ...ofSessions]);
  for (const [pattern, { tools = [], approve: asked = [], mcpServers: own = {} }] of Object.entries(sessions)) {
    const prefixes = [...common, ...prefixesOf(own)];
    assertPatterns((name) => `sessions.${pattern}.tools: ${name}`, tools, builtin, prefixes);
    assertPatterns((name) => `sessions.${pattern}.approve: ${name}`, asked, builtin, prefixes);
  }
}

function assertPatterns(
  settingOf: (pattern: string) => string,
  patterns: readonly string[],
  names: readonly string[],
  prefixes: readonly string[],
): void {
  const canMatch = (pattern: string) =>
    names.some((name) => matchesPattern(pattern, name)) ||
    prefixes.some((prefix) => pattern.startsWith(prefix) || matchesPattern(pattern, prefix));
  const unknown = patterns.find((pattern) => !canMatch(pattern));
  if (unknown === undefined) return;
  const known = [...names, ...prefixes.map((prefix) => `${prefix}…`)].join(', ');
  throw new ConfigError(
    `The setting ${settingOf(unknown)} is invalid: there is no tool of that name. There are ${known}.`,
  );
}
