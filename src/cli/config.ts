// What `belay serve` and `belay run` run with: defaults, a JSON file, the environment and flags, the later ones before the earlier; checked by name.
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { gatewayLimitsFrom } from '../gateway/gateway-limits.ts';
import { defaultMcpLimits } from '../mcp/mcp-limits.ts';
import { stopMsOf } from '../mcp/server-config.ts';
import { flawOf, nearest, pathOf } from '../protocol/schema-issue.ts';
import { builtinLimitsFrom } from '../tools/builtin/builtin-limits.ts';
import { builtinNames } from '../tools/builtin/builtin-tools.ts';
import { matchesPattern } from '../tools/require-approval.ts';
import { spawnAgent } from '../tools/spawn-agent.ts';
import { defaultLimits, limitsFrom } from '../workers/session-limits.ts';
import { defaultStatelyPort } from './default-address.ts';
import { type Config, configSchema } from './settings.ts';

export type { Config } from './settings.ts';

/** Names the field, and the limit where one was passed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export const usage = `belay serve            starts a gateway

  --host HOST        where to listen (127.0.0.1); elsewhere than on loopback it needs tokens
  --port PORT        0: any that is free (7077)
  --store FILE       the SQLite file of the transcripts (.belay/belay.sqlite); memory: keep nothing
  --allow TOOL       switch on shell, run_code, write_file or browse; may be repeated
  --approve TOOL     ask before each call of it, files__* for all that begin so; may be repeated
  --root FOLDER      a folder that tools may touch; may be repeated
  --policy POLICY    who may stop what: anyone, or each owner only what is theirs
  --stately[=PORT]   let Stately's inspector connect, on this machine only (8080)
  --config FILE      a JSON file with all settings
  --help

environment: OPENAI_API_KEY, OPENAI_BASE_URL, BELAY_MODEL, BELAY_HOST, BELAY_PORT, BELAY_STORE, BELAY_ALLOW, BELAY_APPROVE,
             BELAY_ROOTS, BELAY_POLICY, BELAY_STATELY, BELAY_TOKEN_FILE, BELAY_JWT_SECRET, BELAY_JWT_KEY_FILE, BELAY_CONFIG
`;

type Environment = Readonly<Record<string, string | undefined>>;
type Loose = Readonly<Record<string, unknown>>;

/** Throws `ConfigError`. Null: help was asked for. */
export function readConfig(args: readonly string[], environment: Environment): Config | null {
  const { values } = readFlags(args, configFlags);
  return values['help'] ? null : configFrom(values, environment);
}

/** `defaults`: where nothing else is said, instead of the usual ones. Throws `ConfigError`. */
export function configFrom(flags: Loose, environment: Environment, defaults: Loose = {}): Config {
  const file = flags['config'] ?? environment['BELAY_CONFIG'];
  const fromFile = typeof file === 'string' ? readFile(file) : {};
  const given = merge(defaults, fromFile, fromEnvironment(environment), fromFlags(flags));
  const parsed = configSchema.safeParse(given);
  if (!parsed.success) throw new ConfigError(sentenceOf(given, parsed.error.issues));
  checkFolders(parsed.data);
  checkLimits(parsed.data);
  checkNames(parsed.data);
  return { ...parsed.data, roots: parsed.data.roots.map((root) => resolve(root)) };
}

export const configFlags = {
  host: { type: 'string' },
  port: { type: 'string' },
  store: { type: 'string' },
  allow: { type: 'string', multiple: true },
  approve: { type: 'string', multiple: true },
  root: { type: 'string', multiple: true },
  policy: { type: 'string' },
  stately: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

/** Throws `ConfigError` for a flag that is not in the table. */
export function readFlags(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
  allowPositionals = false,
): { readonly values: Loose; readonly positionals: readonly string[] } {
  try {
    const said = args.map((arg) => (arg === '--stately' ? `--stately=${defaultStatelyPort}` : arg));
    return parseArgs({ args: said, options, allowPositionals });
  } catch (error) {
    throw new ConfigError(flagSentence(error, Object.keys(options)), { cause: error });
  }
}

function flagSentence(error: unknown, known: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const flag = /^Unknown option '(-+)([^']*)'/.exec(message);
  if (!flag) return message;
  const [, dashes, name = ''] = flag;
  const meant = nearest(name, known);
  const there =
    meant === null ? `There are ${known.map((each) => `--${each}`).join(', ')}.` : `Did you mean --${meant}?`;
  return `There is no flag ${dashes}${name}. ${there}`;
}

function readFile(path: string): Loose {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it holds no JSON object');
    return value as Loose;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The configuration file ${path} cannot be used: ${why}`, { cause: error });
  }
}

const fromFlags = ({ host, port, store, allow, approve, root, policy, stately }: Loose): Loose =>
  given({ host, port: asNumber(port), store, allow, approve, roots: root, policy, stately: asNumber(stately) });

function fromEnvironment(env: Environment): Loose {
  const list = (text: string | undefined, separator: string) => text?.split(separator).filter((part) => part !== '');
  return given({
    host: env['BELAY_HOST'],
    port: asNumber(env['BELAY_PORT']),
    store: env['BELAY_STORE'],
    allow: list(env['BELAY_ALLOW'], ','),
    approve: list(env['BELAY_APPROVE'], ','),
    roots: list(env['BELAY_ROOTS'], delimiter),
    policy: env['BELAY_POLICY'],
    stately: asNumber(env['BELAY_STATELY']),
    model: section({ baseUrl: env['OPENAI_BASE_URL'], apiKey: env['OPENAI_API_KEY'], name: env['BELAY_MODEL'] }),
    tokens: section({
      file: env['BELAY_TOKEN_FILE'],
      jwtSecret: env['BELAY_JWT_SECRET'],
      jwtKeyFile: env['BELAY_JWT_KEY_FILE'],
    }),
  });
}

/** An empty variable is one that is not set. */
const given = (fields: Loose): Loose =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));

/** One without a field says nothing, and nothing is to hide behind it. */
function section(fields: Loose): Loose | undefined {
  const set = given(fields);
  return Object.keys(set).length > 0 ? set : undefined;
}

const asNumber = (value: unknown) =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value === '' ? undefined : value;

/** The later before the earlier; sections field by field. */
function merge(...layers: readonly Loose[]): Loose {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of layers.flatMap((layer) => Object.entries(layer))) {
    const before = merged[name];
    merged[name] = isSection(before) && isSection(value) ? { ...before, ...value } : value;
  }
  return merged;
}

const isSection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function sentenceOf(given: Loose, issues: Parameters<typeof flawOf>[2]): string {
  const { at, kind, says } = flawOf(configSchema, given, issues);
  const field = pathOf(at);
  if (kind === 'unknown') return `There is no setting ${field}. ${says}`;
  return `The setting ${field} is not good: ${kind === 'key' ? 'its name' : 'it'} ${says}.`;
}

function checkFolders({ roots, allow }: Config): void {
  for (const root of roots) {
    if (!existsSync(root)) throw new ConfigError(`The setting roots is not good: there is no folder ${root}.`);
  }
  const homeless = roots.length === 0 ? allow.filter((name) => name !== 'browse') : [];
  if (homeless.length > 0) {
    throw new ConfigError(
      `The setting allow is not good: ${homeless.join(' and ')} needs a folder to work in (roots).`,
    );
  }
}

/** Before a server is started. */
function checkMcpServers({ mcpServers, limits }: Config): void {
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

/** How the bounds nest, among others: termGraceMs < toolCancelMs < shutdownMs. */
function checkLimits(config: Config): void {
  try {
    limitsFrom(config.limits);
    builtinLimitsFrom(config.builtin);
    gatewayLimitsFrom(config.gateway);
    checkMcpServers(config);
  } catch (error) {
    throw new ConfigError(`The setting ${error instanceof Error ? error.message : String(error)}.`, { cause: error });
  }
}

/** A tool that is off, or one of an MCP server that is not there today, may be named; one that can never be is a slip of the pen. */
function checkNames({ toolTimeouts, approve, mcpServers }: Config): void {
  const prefixes = Object.keys(mcpServers).map((server) => `${server}__`);
  const check = (setting: string, patterns: readonly string[], known: readonly string[]) => {
    const mayMatch = (pattern: string) =>
      known.some((name) => matchesPattern(pattern, name)) ||
      prefixes.some((prefix) => pattern.startsWith(prefix) || matchesPattern(pattern, prefix));
    const slip = patterns.find((pattern) => !mayMatch(pattern));
    if (slip === undefined) return;
    const there = [...known, ...prefixes.map((prefix) => `${prefix}…`)].join(', ');
    throw new ConfigError(
      `The setting ${setting}${slip} is not good: there is no tool of that name: there are ${there}.`,
    );
  };
  if (Object.keys(toolTimeouts).length === 0 && approve.length === 0) return;
  const builtin = builtinNames();
  check('toolTimeouts.', Object.keys(toolTimeouts), [...builtin, spawnAgent.name]);
  check('approve: ', approve, builtin);
}
