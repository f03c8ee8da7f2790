// The settings of `belay serve` and `belay run`, as the configuration file has them. docs/configuration.md lists all of them.
import * as z from 'zod';
import { accessRules } from '../../machines/access.ts';
import { policies } from '../../machines/vocabulary.ts';
import { acpAgentSchema } from '../adapters/acp/agent-config.ts';
import { mcpServersSchema } from '../adapters/mcp/server-config.ts';
import { defaultBuiltinLimits } from '../adapters/tools/builtin/builtin-limits.ts';
import { namesOf } from '../core/collections/fields.ts';
import { folderKeyScopes, keyScopes } from '../core/contracts/tool.ts';
import { phraseProblem, stopLanguages } from '../core/intent/stop-phrase-options.ts';
import { defaultLimits } from '../core/workers/session-limits.ts';
import { defaultGatewayLimits as gatewayLimits } from '../gateway/gateway-limits.ts';
import { defaultPath } from '../wire/frame-limits.ts';
import { busSchema } from './bus-settings.ts';
import { defaultHost, defaultPort } from './default-address.ts';
import { acknowledgementSchema, modelSchema, pricesSchema } from './model-settings.ts';
import { logFormats } from './operations-log.ts';
import { disconnectRules, sessionRules, sessionsSchema } from './session-settings.ts';

/** Tools that change or run things: each is off until it is allowed by name. */
const powerTools = ['shell', 'run_code', 'write_file', 'browse'] as const;

/** A name or phrase with at least one word that the grammar can match. */
const phrase = z
  .string()
  .max(100)
  .refine((text) => phraseProblem(text) === null, { error: ({ input }) => phraseProblem(String(input)) ?? undefined });

const limit = z.int().min(0).max(2_147_483_647);
const nameSchema = <Table extends object>(table: Table) => z.enum(namesOf(table));

const doorPatterns = z.array(z.string().min(1)).max(256);

/** Doors that have the same settings: their profiles are what a client may choose. src/doors/door-turns/door-profiles.ts says what each field is. */
function doorSchema<const Door extends string, const OnAsk extends string>(
  doors: readonly Door[],
  onAsk: readonly [OnAsk, ...OnAsk[]],
) {
  const profile = z.strictObject({
    description: z.string().min(1).max(1_024).optional(),
    speakers: doorPatterns.optional(),
    tools: doorPatterns.optional(),
    approve: doorPatterns.optional(),
    policy: z.enum(policies).optional(),
    roots: z.array(z.string().startsWith('/', 'must be absolute')).min(1).optional(),
    onAsk: z.enum(onAsk).prefault(onAsk[0]),
  });
  const name = z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, _ . and -');
  return z.strictObject({
    door: z.enum(doors),
    profiles: z
      .record(name, profile)
      .refine((profiles) => Object.keys(profiles).length <= 64, 'must be 64 profiles at most')
      .prefault({ belay: {} }),
    onDisconnect: z.enum(disconnectRules).default('cancel'),
    graceMs: z.int().min(0).max(600_000).default(0),
  });
}

const doorsSchema = z
  .array(
    z.discriminatedUnion('door', [
      doorSchema(['openai', 'mcp'], ['deny', 'allow']),
      doorSchema(['ui-stream', 'ag-ui'], ['ask', 'deny', 'allow']),
    ]),
  )
  .refine((doors) => new Set(doors.map(({ door }) => door)).size === doors.length, 'must name each door once');

export const configSchema = z.strictObject({
  host: z.string().min(1).default(defaultHost),
  port: z.int().min(0).max(65_535).default(defaultPort),
  path: z
    .string()
    .regex(/^\/\S*$/, 'must begin with /')
    .default(defaultPath),
  /** The processes that serve the clients of `belay serve`. */
  workers: z.int().min(1).max(256).default(1),
  /** Origins of browser pages that may connect. */
  origins: z.array(z.url()).default([]),
  /** Proxies whose `X-Forwarded-For` says who the client is: addresses and ranges, like `10.0.0.0/8`. */
  trustedProxies: z.array(z.string().min(1)).default([]),
  /** The SQLite file, or `postgres://user@host:port/database`; `memory` keeps nothing. */
  store: z.string().min(1).default('.belay/belay.sqlite'),
  /** The bus to the other hosts of a cluster. Left out: this host is in none. */
  bus: busSchema.optional(),
  /** Sessions in which nothing has happened for more than so many days are deleted; 0: all are kept. */
  retentionDays: z.int().min(0).max(36_500).default(0),
  /** How the log of a gateway is written. */
  log: z.enum(logFormats).default('pretty'),
  /** Whether clients have to show a key where there are no `tokens`; it is another at each start. Inspectors (`stately`) have to show it too. */
  key: z.boolean().default(true),
  tokens: z
    .strictObject({
      /** { "<token>": { "speaker": "ann", "roles": ["member"] } } */
      file: z.string().min(1).optional(),
      /** Signed tokens: a shared secret, or a file with a public key or a key set. */
      jwtSecret: z.string().optional(),
      /** A file with that secret. */
      jwtSecretFile: z.string().min(1).optional(),
      jwtKeyFile: z.string().min(1).optional(),
      jwtIssuer: z.string().min(1).optional(),
      jwtAudience: z.string().min(1).optional(),
    })
    .default({}),
  /** A file with the token that opens `/metrics`. Left out: every process of this machine may read it, and with `tokens` nobody. */
  metricsTokenFile: z.string().min(1).optional(),
  model: modelSchema.prefault({}),
  /** Prices of models by name, for the limits of cost. */
  prices: pricesSchema.default({}),
  instructions: z.string().min(1).optional(),
  /** Which of the tools that change or run things are on. */
  allow: z.array(z.enum(powerTools)).default([]),
  /** Tools of which each call needs approval first: names, or the start of names followed by `*`. */
  approve: z.array(z.string().min(1)).default([]),
  /** Folders that tools may touch. */
  roots: z.array(z.string().min(1)).default([]),
  /** The exclusive keys of folders: by the folder of a call or by its root, and for the calls of a session or of all. A text is `reach` alone. */
  keys: z.preprocess(
    (keys) => (typeof keys === 'string' ? { reach: keys } : keys),
    z
      .strictObject({ scope: z.enum(folderKeyScopes).default('path'), reach: z.enum(keyScopes).default('session') })
      .prefault({}),
  ),
  tools: z
    .strictObject({
      /** Another user of this machine that `shell`, `run_code` and `browse` run as. */
      user: z.string().min(1).optional(),
      /** Whether the browser of `browse` needs its sandbox. False: as root, and without `user`, it runs without. */
      browserSandbox: z.boolean().default(true),
    })
    .prefault({}),
  /** Outside agents; each is a process with all rights of the user that runs Belay. */
  agents: z
    .record(
      z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, _ and -'),
      z.strictObject({ description: z.string().min(1), acp: acpAgentSchema }),
    )
    .default({}),
  /** MCP servers by name, whose tools the model may call. */
  mcpServers: mcpServersSchema.default({}),
  /** How long the start waits for MCP servers to list their tools, in milliseconds. A slower one is ready later. */
  mcpReadyMs: limit.default(3_000),
  /** MCP servers of sessions (`sessions`) that run at once. */
  mcpSessionServers: limit.default(64),
  /** Addresses and networks beyond the public internet that `fetch_url` and `browse` may reach, like `10.0.0.0/8`. */
  addresses: z.array(z.string().min(1)).default([]),
  ...sessionRules,
  /** The model call that acknowledges a stop, and the emoji in its place. */
  acknowledgement: acknowledgementSchema.default({}),
  /** Rules, folders, tools and MCP servers of single sessions, before those of all. */
  sessions: sessionsSchema.default({}),
  /** Doors with a protocol of their own, beside the socket and HTTP. */
  doors: doorsSchema.default([]),
  /** `belay acp`: what its client may bring beside folders below `roots`, and what it learns of the model. */
  acp: z
    .strictObject({
      /** Patterns of the names of MCP servers that the client may have started for its sessions. */
      mcpServers: z.array(z.string().min(1)).max(256).default([]),
      /** The tokens that the model can read at once: left out, clients get no usage. */
      contextTokens: z.int().min(1).optional(),
    })
    .prefault({}),
  /** Which words count as a stop phrase. */
  stopPhrases: z
    .strictObject({
      languages: z.array(z.enum(stopLanguages)).optional(),
      /** Names of the bot. */
      names: z.array(phrase).max(64).optional(),
      /** Further phrases that stop. */
      extra: z.array(phrase).max(256).optional(),
    })
    .default({}),
  /** The rule for who may open and read sessions. Left out: `members` with tokens, `open` without. */
  access: z.enum(accessRules).optional(),
  onDisconnect: z.enum(disconnectRules).default('continue'),
  /** Whether a CANCEL stops a turn at once. False: it is answered with `pending`, and takes effect when the turn has ended, or `limits.shieldMs` are over. */
  interruptible: z.boolean().default(true),
  /** The shield of a turn that is not interruptible, in milliseconds; 0: until it ends. Left out: `limits.shieldMs`. */
  shieldMs: limit.optional(),
  /** A script plays the model, also where one is configured. */
  demo: z.boolean().default(false),
  /** The port at which inspectors may connect, on this machine only; 0: any that is free. Left out: none may. */
  stately: z.int().min(0).max(65_535).optional(),
  /** Limits of a session, by the names of src/core/workers/session-limits.ts. */
  limits: z.partialRecord(nameSchema(defaultLimits), limit).default({}),
  /** Timeouts by tool, in milliseconds, instead of the tools' own; 0: none. */
  toolTimeouts: z.record(z.string(), limit).default({}),
  /** Limits of the tools built in, by the names of src/adapters/tools/builtin/builtin-limits.ts. */
  builtin: z.partialRecord(nameSchema(defaultBuiltinLimits), limit).default({}),
  /** Limits of the gateway, by the names of src/gateway/gateway-limits.ts. */
  gateway: z.partialRecord(nameSchema(gatewayLimits), limit).default({}),
});

/** The settings, with the secrets that were read from files. */
export type Config = z.output<typeof configSchema> & {
  /** The configuration file; null: there is none. */
  readonly file: string | null;
  /** What opens `/metrics`; null: there is no such token. */
  readonly metricsToken: string | null;
};
