// Reads the configuration of `belay serve` and `belay run`: defaults, a JSON file, the environment and flags; each overrides the ones before it.
import { readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { openAIApis } from '../adapters/models/openai-apis.ts';
import { fieldsOf } from '../core/collections/fields.ts';
import { errorText } from '../core/text/error-text.ts';
import { describeIssue, pathText } from '../core/text/schema-issue.ts';
import { assertBus, busFlags } from './bus-settings.ts';
import { assertConfig } from './check-config.ts';
import { ConfigError } from './config-error.ts';
import { readFlags } from './flags.ts';
import { readSecretFile } from './secret-file.ts';
import { type Config, configSchema } from './settings.ts';

export const usage = `belay serve            starts a gateway

  --host HOST        where to listen (127.0.0.1); any host but loopback requires tokens
  --port PORT        0: any that is free (7077)
  --store FILE       the SQLite file of the transcripts (.belay/belay.sqlite); memory: keep nothing; or postgres://USER@HOST/DATABASE
  --bus ADDRESS      hosts of a cluster: a NATS server, like nats.example.org:4222; may be repeated. It needs a store in PostgreSQL
  --bus-key FILE     the key of the cluster, the same on all hosts
  --workers N        processes that serve the clients, for as many cores (1)
  --allow TOOL       switch on shell, run_code, write_file or browse; may be repeated
  --approve TOOL     ask before each call of it; files__* is every tool whose name starts with files__; may be repeated
  --root FOLDER      a folder that tools may touch; may be repeated
  --log FORMAT       pretty (for people, the default), json (a line of JSON for each event on standard output, and nothing else there) or off
  --no-key           without tokens: let every process of this machine connect, also those that tools start
  --policy POLICY    who may stop what: anyone, whoever has addressed the bot, or each owner only what is theirs
  --demo             a script plays the model, whatever else is set; its tools really run, in folders of their own
  --stately[=PORT]   let Stately's inspector connect, on this machine only (8080)
  --config FILE      a JSON file with all settings
  --help

environment: OPENAI_API_KEY, OPENAI_API_KEY_FILE, OPENAI_BASE_URL, BELAY_MODEL, BELAY_HOST, BELAY_PORT, BELAY_STORE, BELAY_BUS,
             BELAY_BUS_KEY_FILE, BELAY_WORKERS, BELAY_ALLOW, BELAY_APPROVE, BELAY_ROOTS, BELAY_POLICY, BELAY_LOG, BELAY_STATELY, BELAY_TOKEN_FILE,
             BELAY_JWT_SECRET, BELAY_JWT_SECRET_FILE, BELAY_JWT_KEY_FILE, BELAY_CONFIG
`;

export const configFlags = {
  host: { type: 'string' },
  port: { type: 'string' },
  store: { type: 'string' },
  workers: { type: 'string' },
  log: { type: 'string' },
  allow: { type: 'string', multiple: true },
  approve: { type: 'string', multiple: true },
  root: { type: 'string', multiple: true },
  'no-key': { type: 'boolean' },
  policy: { type: 'string' },
  demo: { type: 'boolean' },
  stately: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

type Environment = Readonly<Record<string, string | undefined>>;
/** Settings that have not been checked. */
type RawSettings = Readonly<Record<string, unknown>>;

/** Reads the configuration of `belay serve`. Returns null for `--help`. Throws `ConfigError`. */
export function readConfig(args: readonly string[], environment: Environment): Config | null {
  const { help, ...flags } = configFlags;
  const { values } = readFlags(args, { ...flags, ...busFlags, help });
  if (values['help']) return null;
  const config = configFrom(values, environment);
  assertBus(config);
  return config;
}

/** Reads the configuration with flags that are parsed already. `defaults` come before those of the schema. Throws `ConfigError`. */
export function configFrom(flags: RawSettings, environment: Environment, defaults: RawSettings = {}): Config {
  const file = flags['config'] ?? (environment['BELAY_CONFIG'] || undefined);
  const fromFile = typeof file === 'string' ? readFile(file) : {};
  const settings = merge(
    defaults,
    fromFile,
    fromEnvironment(environment, fieldsOf(fromFile['model'])['api']),
    fromFlags(flags),
  );
  const parsed = configSchema.safeParse(settings);
  if (!parsed.success) throw new ConfigError(issueMessage(settings, parsed.error.issues));
  const config = { ...parsed.data, file: typeof file === 'string' ? resolve(file) : null, metricsToken: null };
  assertConfig(config);
  return withAbsoluteRoots(withSecrets(config.demo ? withScript(config) : config));
}

function withAbsoluteRoots(config: Config): Config {
  const absolute = (roots: readonly string[]) => roots.map((root) => resolve(root));
  const sessions = Object.entries(config.sessions).map(([pattern, settings]) => [
    pattern,
    settings.roots ? { ...settings, roots: absolute(settings.roots) } : settings,
  ]);
  return { ...config, roots: absolute(config.roots), sessions: Object.fromEntries(sessions) };
}

/** Leaves out what names a model: a script plays it. */
const withScript = ({ model, ...config }: Config): Config => ({
  ...config,
  model: { ...model, api: undefined, baseUrl: undefined, apiKey: undefined, apiKeyFile: undefined },
});

/** Reads the secrets that the settings have in files. */
function withSecrets(config: Config): Config {
  const { model, tokens, metricsTokenFile } = config;
  const { apiKeyFile } = model;
  const { jwtSecretFile } = tokens;
  return {
    ...config,
    metricsToken: metricsTokenFile === undefined ? null : readMetricsToken(metricsTokenFile),
    model: apiKeyFile === undefined ? model : { ...model, apiKey: readSecretFile('model.apiKeyFile', apiKeyFile) },
    tokens:
      jwtSecretFile === undefined
        ? tokens
        : { ...tokens, jwtSecret: readSecretFile('tokens.jwtSecretFile', jwtSecretFile) },
  };
}

function readMetricsToken(path: string): string {
  const token = readSecretFile('metricsTokenFile', path);
  if (/^\S{16,}$/.test(token)) return token;
  throw new ConfigError(
    'The setting metricsTokenFile is invalid: the file must hold a token of at least 16 characters, without spaces.',
  );
}

function readFile(path: string): RawSettings {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isSection(value)) throw new Error('it must contain a JSON object');
    return value;
  } catch (error) {
    const why = error instanceof SyntaxError ? `it is not JSON${placeOf(error)}` : errorText(error);
    throw new ConfigError(`The configuration file ${path} cannot be used: ${why}`, { cause: error });
  }
}

/** The rest of the message repeats a part of the file, which may have secrets in it. */
const placeOf = ({ message }: SyntaxError) => / at position \d+ \(line \d+ column \d+\)/.exec(message)?.[0] ?? '';

const fromFlags = ({
  host,
  port,
  store,
  log,
  allow,
  approve,
  root,
  policy,
  stately,
  bus,
  workers,
  ...flags
}: RawSettings): RawSettings =>
  withoutEmpty({
    bus: section({ servers: bus, keyFile: flags['bus-key'] }),
    host,
    store,
    log,
    allow,
    approve,
    policy,
    roots: root,
    key: flags['no-key'] === true ? false : undefined,
    demo: flags['demo'],
    port: parseIfNumber(port),
    stately: parseIfNumber(stately),
    workers: parseIfNumber(workers),
  });

/** `api`: of the model. The variables of OpenAI are for its APIs alone. */
function fromEnvironment(environment: Environment, api: unknown): RawSettings {
  const isOpenAI = api === undefined || openAIApis.some((name) => name === api);
  const list = (text: string | undefined, separator: string) => text?.split(separator).filter((part) => part !== '');
  return withoutEmpty({
    host: environment['BELAY_HOST'],
    port: parseIfNumber(environment['BELAY_PORT']),
    store: environment['BELAY_STORE'],
    allow: list(environment['BELAY_ALLOW'], ','),
    approve: list(environment['BELAY_APPROVE'], ','),
    roots: list(environment['BELAY_ROOTS'], delimiter),
    policy: environment['BELAY_POLICY'],
    log: environment['BELAY_LOG'],
    bus: section({ servers: list(environment['BELAY_BUS'], ','), keyFile: environment['BELAY_BUS_KEY_FILE'] }),
    stately: parseIfNumber(environment['BELAY_STATELY']),
    workers: parseIfNumber(environment['BELAY_WORKERS']),
    model: section({
      baseUrl: isOpenAI ? environment['OPENAI_BASE_URL'] : undefined,
      apiKey: isOpenAI ? environment['OPENAI_API_KEY'] : undefined,
      apiKeyFile: isOpenAI ? environment['OPENAI_API_KEY_FILE'] : undefined,
      name: environment['BELAY_MODEL'],
    }),
    tokens: section({
      file: environment['BELAY_TOKEN_FILE'],
      jwtSecret: environment['BELAY_JWT_SECRET'],
      jwtSecretFile: environment['BELAY_JWT_SECRET_FILE'],
      jwtKeyFile: environment['BELAY_JWT_KEY_FILE'],
    }),
  });
}

/** An empty variable counts as one that is not set. */
const withoutEmpty = (fields: RawSettings): RawSettings =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));

/** Returns the fields as a section; undefined if none is set: an empty section would hide a value of the wrong type in the file. */
function section(fields: RawSettings): RawSettings | undefined {
  const set = withoutEmpty(fields);
  return Object.keys(set).length > 0 ? set : undefined;
}

/** Returns any other text unchanged, so that the schema rejects it. */
const parseIfNumber = (value: unknown) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value);

/** The later layer overrides the earlier; sections field by field. */
function merge(...layers: readonly RawSettings[]): RawSettings {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of layers.flatMap((layer) => Object.entries(layer))) {
    const earlier = merged[name];
    merged[name] = isSection(earlier) && isSection(value) ? { ...earlier, ...value } : value;
  }
  return merged;
}

const isSection = (value: unknown): value is RawSettings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function issueMessage(settings: RawSettings, issues: Parameters<typeof describeIssue>[2]): string {
  const { path, kind, text } = describeIssue(configSchema, settings, issues);
  const field = pathText(path);
  if (kind === 'unknown') return `There is no setting ${field}. ${text}`;
  return `The setting ${field} is invalid: ${kind === 'key' ? 'its name' : 'it'} ${text}.`;
}
