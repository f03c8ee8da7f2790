// Lists the floors: what each folder may import and which words it may not use. biome.floors.jsonc is written from this table; the house tests read it too.
// Long because it is one table.

/** One row for each folder; a row for a file takes that file out of its folder's row. */
export interface Row {
  readonly at: string;
  /** What it may import beside its own folder: folders and files, relative to the root. */
  readonly may: readonly string[];
  /** npm packages. */
  readonly packages: readonly string[];
  /** Whether parts of Node may be imported (clocks and timers never). */
  readonly node: boolean;
  /** Folders inside. */
  readonly inner?: readonly string[];
  /** Globals, each with the reason why not. */
  readonly denied: Readonly<Record<string, string>>;
  /** Properties, each with the reason why not. */
  readonly properties: readonly DeniedProperty[];
}

export interface DeniedProperty {
  /** Left out: of whatever object. */
  readonly object?: string;
  readonly property: string;
  readonly message: string;
}

/** Files that only some rows may import, whatever else the others may. */
export interface Hidden {
  readonly files: readonly string[];
  readonly from: readonly string[];
  readonly message: string;
}

export const fromSources = 'Time, ids and random numbers come from src/sources.';

const deny = <const Names extends readonly string[]>(message: string, ...names: Names) =>
  Object.fromEntries(names.map((name) => [name, message]));

const time = deny(fromSources, 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'performance', 'crypto');
/** A client is a program of its own: it makes its refs where nothing is injected. */
const { crypto: _, ...timeOfClient } = time;
const abort = deny('Above src/workers a CANCEL is an event.', 'AbortController', 'AbortSignal');
/** The caller of a client may abort: the client makes a CANCEL of it. */
const { AbortSignal: __, ...abortOfClient } = abort;
const anywhere = deny('This floor knows no Node.', 'process', 'Buffer', 'setImmediate', '__dirname');
const pure = deny('A machine is pure.', 'Date', 'console', 'fetch', 'queueMicrotask', 'globalThis', 'WebSocket');

const now: DeniedProperty = { object: 'Date', property: 'now', message: fromSources };
const randomness: DeniedProperty = { object: 'Math', property: 'random', message: fromSources };
const timer: DeniedProperty = {
  object: 'AbortSignal',
  property: 'timeout',
  message: 'A timeout is a CANCEL with cause `deadline`, armed at the injected clock.',
};
const provide: DeniedProperty = {
  property: 'provide',
  message: 'Only src/runtime/provide.ts and src/gateway tie machines.',
};

const below = ['src/sources', 'src/text', 'src/collections', 'src/intent', 'machines'];
const sides = ['src/model', 'src/transcript', 'src/bus', 'src/live', 'src/process'];
const servers = ['src/mcp', 'src/acp'];
const shared = [
  'machines/vocabulary.ts',
  'machines/facts.ts',
  'machines/live-view.ts',
  'machines/codes.ts',
  'machines/content.ts',
];

const leaf = { may: below, node: true, denied: { ...time }, properties: [now, randomness, timer, provide] };
const session: Row = {
  at: 'src/session',
  may: ['src/workers', 'src/tools', ...sides, ...below],
  packages: ['xstate'],
  node: true,
  denied: { ...time, ...abort },
  properties: [now, randomness, provide],
};
const runtime: Row = {
  at: 'src/runtime',
  may: ['src/session', 'src/workers', ...servers, 'src/tools', ...sides, ...below],
  packages: ['xstate'],
  node: true,
  denied: { ...time, ...abort },
  properties: [now, randomness, provide],
};
const gateway: Row = {
  at: 'src/gateway',
  may: [
    'src/session/api.ts',
    'src/session/member-api.ts',
    'src/session/directory-api.ts',
    'src/session/caller.ts',
    'src/protocol',
    'src/servers',
    ...below,
  ],
  packages: ['ws', 'jose', 'zod', 'xstate', 'fastify'],
  node: true,
  inner: ['auth', 'http'],
  denied: { ...time, ...abort },
  properties: [now, randomness],
};
const machines: Row = {
  at: 'machines',
  may: [],
  packages: ['xstate'],
  node: false,
  denied: { ...time, ...abort, ...anywhere, ...pure },
  properties: [now, randomness, provide],
};
const client: Row = {
  at: 'src/client',
  may: ['src/protocol', 'src/collections', 'src/intent'],
  packages: [],
  node: false,
  inner: ['view'],
  denied: { ...timeOfClient, ...abortOfClient, ...anywhere },
  properties: [now, randomness, provide],
};
const cli: Row = {
  at: 'src/cli',
  may: [
    'src/embed',
    'src/gateway',
    'src/inspector',
    'src/runtime',
    'src/session',
    'src/workers',
    ...servers,
    'src/tools',
    ...sides,
    'src/protocol',
    'src/client',
    'src/web',
    'src/telemetry',
    'src/reports',
    'src/cli/terminal',
    ...below,
  ],
  packages: ['zod'],
  node: true,
  denied: { ...time, ...abort },
  properties: [now, randomness, provide],
};

export const floors: readonly Row[] = [
  machines,
  { ...machines, at: 'machines/index.ts' },
  {
    at: 'src/sources',
    may: [],
    packages: [],
    node: false,
    denied: { ...time, ...abort },
    properties: [now, randomness],
  },
  {
    at: 'src/sources/pause.ts',
    may: ['src/sources/sources.ts'],
    packages: [],
    node: true,
    denied: time,
    properties: [now],
  },
  { at: 'src/sources/on-abort.ts', may: [], packages: [], node: true, denied: time, properties: [now] },
  { at: 'src/sources/race-abort.ts', may: [], packages: [], node: true, denied: time, properties: [now] },
  { at: 'src/sources/machine-clock.ts', may: [], packages: [], node: true, denied: time, properties: [] },
  { at: 'src/sources/system.ts', may: [], packages: [], node: true, denied: {}, properties: [] },
  {
    at: 'src/text',
    may: [],
    packages: ['zod', 'fast-string-truncated-width'],
    node: true,
    denied: { ...time },
    properties: [now, randomness],
  },
  {
    at: 'src/collections',
    may: [],
    packages: [],
    node: false,
    denied: { ...time, ...anywhere },
    properties: [now, randomness],
  },
  // Servers: what every server of Belay does with a port and with upgrades.
  {
    at: 'src/servers',
    may: [],
    packages: [],
    node: true,
    denied: { ...time, ...abort },
    properties: [now, randomness],
  },
  // Reports: facts folded into answers; pure, for servers and browsers.
  {
    at: 'src/reports',
    may: ['src/collections', 'src/text', ...shared],
    packages: [],
    node: false,
    denied: { ...time, ...abort, ...anywhere },
    properties: [now, randomness, provide],
  },
  // Stop phrases: pure, for servers and browsers.
  {
    at: 'src/intent',
    may: [],
    packages: [],
    node: false,
    inner: ['lexicons'],
    denied: { ...time, ...abort, ...anywhere, ...pure },
    properties: [now, randomness, provide],
  },
  {
    at: 'src/model',
    ...leaf,
    packages: ['openai', '@ai-sdk/provider'],
    inner: ['ai-sdk', 'chat', 'check', 'responses', 'transport'],
  },
  {
    at: 'src/tools',
    ...leaf,
    may: ['src/process', 'src/servers', ...below],
    packages: ['zod', 'playwright-core'],
    inner: ['builtin', 'isolate', 'browser'],
  },
  { at: 'src/process', ...leaf, packages: ['@lydell/node-pty'] },
  {
    at: 'src/mcp',
    ...leaf,
    may: ['src/tools', 'src/process', 'src/servers', 'src/model/transport', ...below],
    packages: ['@modelcontextprotocol/client', 'zod'],
  },
  {
    at: 'src/acp',
    ...leaf,
    may: ['src/tools', 'src/process', ...below],
    packages: ['@agentclientprotocol/sdk', 'zod'],
  },
  { at: 'src/transcript', ...leaf, packages: [] },
  { at: 'src/bus', ...leaf, packages: [] },
  { at: 'src/live', ...leaf, packages: [] },
  { at: 'src/workers', ...leaf, may: ['src/tools', ...sides, ...below], packages: ['xstate'] },
  session,
  runtime,
  { ...runtime, at: 'src/runtime/provide.ts', properties: [now, randomness] },
  {
    at: 'src/protocol',
    may: [...shared, 'src/collections', 'src/text/schema-issue.ts', 'src/text/printable.ts'],
    packages: ['zod'],
    node: false,
    denied: { ...time, ...abort, ...anywhere },
    properties: [now, randomness, provide],
  },
  // Metrics and spans: observers of a runtime, loaded with its first session.
  {
    at: 'src/telemetry',
    may: ['src/runtime/config.ts', 'src/session/session-spec.ts', 'src/workers/extensions.ts', ...below],
    packages: ['prom-client', '@opentelemetry/api'],
    node: false,
    denied: { ...time, ...abort, ...anywhere },
    properties: [now, randomness, provide],
  },
  gateway,
  {
    at: 'src/inspector',
    may: [
      'src/servers',
      'src/runtime',
      'src/session',
      'src/workers',
      'src/live',
      'src/protocol/inspection.ts',
      'src/protocol/inspection-source.ts',
      ...below,
    ],
    packages: ['xstate', '@xstate/inspect', 'ws'],
    node: true,
    denied: { ...time, ...abort },
    properties: [now, randomness, provide],
  },
  client,
  // in Node it reads a file, by what the platform offers: it imports nothing of Node
  { ...client, at: 'src/client/known-key.ts', denied: { ...timeOfClient, ...abortOfClient } },
  { ...client, at: 'src/client/client-sources.ts', denied: { ...abort, ...anywhere }, properties: [provide] },
  {
    at: 'src/web',
    may: [
      'src/client',
      'src/protocol',
      'src/collections',
      'src/reports',
      'src/text/decode-entities.ts',
      'machines/facts.ts',
      'machines/vocabulary.ts',
    ],
    packages: ['react', 'react-dom', 'marked'],
    node: false,
    inner: ['chat-view', 'inspector-view', 'page-state', 'actors', 'events', 'lists', 'records', 'statechart', 'wave'],
    denied: { ...timeOfClient, ...abort, ...anywhere },
    properties: [now, randomness, provide],
  },
  // the clock of the page, which is a program of its own
  {
    at: 'src/web/page-state/page-clock.ts',
    may: [],
    packages: [],
    node: false,
    denied: { ...abort, ...anywhere },
    properties: [randomness, provide],
  },
  // The library: a runtime, the sessions of its speakers, and doors on existing servers.
  {
    at: 'src/embed',
    may: [
      'src/runtime',
      'src/session',
      'src/gateway',
      'src/client',
      'src/protocol',
      'src/model',
      'src/transcript',
      'src/acp/kept-sessions.ts',
      'src/telemetry',
      ...below,
    ],
    packages: [],
    node: true,
    denied: { ...time, ...abort },
    properties: [now, randomness, provide],
  },
  {
    at: 'src/testing',
    may: ['src/runtime', 'src/session', 'src/model', 'src/tools', 'src/process', ...below],
    packages: [],
    node: true,
    denied: { ...time },
    properties: [now, randomness, provide],
  },
  { at: 'src/index.ts', may: ['machines'], packages: [], node: false, denied: { ...time, ...abort }, properties: [] },
  cli,
  // The live region and the keys of a terminal: knows no session.
  {
    at: 'src/cli/terminal',
    may: ['src/sources', 'src/text'],
    packages: [],
    node: true,
    denied: { ...time, ...abort },
    properties: [now, randomness, provide],
  },
  { ...cli, at: 'src/cli/log-writer.ts', packages: ['pino'] },
  { ...cli, at: 'src/cli/runtime-parts.ts' },
  { ...cli, at: 'src/cli/model-provider.ts' },
  { ...cli, at: 'src/cli/model-settings.ts' },
  { ...cli, at: 'src/cli/start-gateway.ts' },
  { ...cli, at: 'src/cli/tour.ts' },
  // What a chat shows at a terminal: pure functions of a snapshot, which know neither the terminal nor the time.
  {
    at: 'src/cli/chat-lines',
    may: ['src/client', 'src/protocol', 'src/text', ...shared],
    packages: ['marked'],
    node: false,
    denied: { ...time, ...abort, ...anywhere, ...pure },
    properties: [now, randomness, provide],
  },
  // The scripted endpoint: a server in a process of its own, which knows Belay as little as a provider does.
  {
    at: 'src/cli/scripted',
    may: ['src/sources'],
    packages: [],
    node: true,
    denied: {},
    properties: [],
  },
];

export const hidden: readonly Hidden[] = [
  {
    files: [
      'src/model/chat',
      'src/model/responses',
      'src/model/ai-sdk',
      'src/model/scripted.ts',
      'src/cli/scripted',
      'src/transcript/sqlite.ts',
      'src/transcript/memory.ts',
      'src/bus/local.ts',
      'src/gateway/ws.ts',
      'src/gateway/http',
    ],
    from: [
      'src/cli/runtime-parts.ts',
      'src/cli/model-provider.ts',
      'src/cli/model-settings.ts',
      'src/cli/start-gateway.ts',
      'src/cli/tour.ts',
      'src/gateway',
      'src/embed',
      'src/testing',
      'src/index.ts',
    ],
    message:
      'Only a composition root names adapters: runtime-parts, model-provider, model-settings, start-gateway and tour in src/cli, the library (and src/gateway its socket).',
  },
  {
    files: ['src/tools/builtin'],
    from: ['src/cli', 'src/cli/runtime-parts.ts', 'src/embed', 'src/index.ts'],
    message: 'Only a composition root names builtin tools; what other folders share with them lies in src/tools.',
  },
  {
    files: ['machines/session.ts', 'machines/turn.ts', 'machines/tool-call.ts', 'machines/sub-agent.ts'],
    from: ['src/workers', 'src/session', 'src/runtime', 'src/runtime/provide.ts', 'src/inspector', 'machines/index.ts'],
    message: 'A chart is hidden behind its contract and tied in src/runtime/provide.ts.',
  },
  {
    files: ['machines/connection.ts'],
    from: ['src/gateway', 'src/inspector', 'machines/index.ts'],
    message: 'The connection is run by src/gateway.',
  },
];

/** Parts of Node with clocks, timers or randomness, which bypass the sources; these names of theirs may be imported. */
export const deniedNode: Readonly<Record<string, readonly string[]>> = {
  'node:timers': ['setImmediate', 'clearImmediate'],
  'node:timers/promises': ['setImmediate'],
  'node:perf_hooks': [],
  'node:crypto': ['createHash', 'createHmac', 'createPublicKey', 'createSecretKey', 'timingSafeEqual', 'KeyObject'],
};
