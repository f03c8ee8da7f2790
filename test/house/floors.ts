// Lists the floors: what each folder may import and which words it may not use. biome.floors.jsonc is written from this table; the house tests read it too.

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
  /** The object that has it. Left out: any. */
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

export const fromSources = 'Time, ids and random numbers come from src/core/sources.';

const deny = <const Names extends readonly string[]>(message: string, ...names: Names) =>
  Object.fromEntries(names.map((name) => [name, message]));

const time = deny(fromSources, 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'performance', 'crypto');
/** A client is a program of its own: it makes its refs where nothing is injected. */
const { crypto: _, ...timeOfClient } = time;
const abort = deny('Above src/core/workers a CANCEL is an event.', 'AbortController', 'AbortSignal');
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
  message: 'Only src/core/runtime/provide.ts and src/gateway tie machines.',
};

const below = [
  'src/core/sources',
  'src/core/text',
  'src/core/words',
  'src/core/collections',
  'src/core/intent',
  'src/core/receipt',
  'machines',
];
const contracts = 'src/core/contracts';
const sides = [contracts, 'src/core/tools', 'src/core/transcript', 'src/core/live'];
const adapters = [
  'src/adapters/acp',
  'src/adapters/buses',
  'src/adapters/mcp',
  'src/adapters/models',
  'src/adapters/processes',
  'src/adapters/stores',
  'src/adapters/tools',
];
const shared = [
  'machines/vocabulary.ts',
  'machines/cause-rules.ts',
  'machines/facts.ts',
  'machines/live-view.ts',
  'machines/codes.ts',
  'machines/content.ts',
];

const leaf = {
  may: [contracts, ...below],
  node: true,
  denied: { ...time },
  properties: [now, randomness, timer, provide],
};
const stores: Row = {
  at: 'src/adapters/stores',
  ...leaf,
  may: [contracts, 'src/core/transcript', ...below],
  packages: ['pg'],
  inner: ['postgres'],
};
const session: Row = {
  at: 'src/core/session',
  may: ['src/core/workers', ...sides, ...below],
  packages: ['xstate'],
  node: true,
  denied: { ...time, ...abort },
  properties: [now, randomness, provide],
};
const runtime: Row = {
  at: 'src/core/runtime',
  may: ['src/core/session', 'src/core/workers', ...sides, ...below],
  packages: ['xstate'],
  node: true,
  denied: { ...time, ...abort },
  properties: [now, randomness, provide],
};
const gateway: Row = {
  at: 'src/gateway',
  may: [
    'src/core/session/api.ts',
    'src/core/session/member-api.ts',
    'src/core/session/directory-api.ts',
    'src/core/session/caller.ts',
    'src/core/contracts/sound.ts',
    'src/core/reports/session-usage.ts',
    'src/wire',
    'src/adapters/servers',
    ...below,
  ],
  packages: ['ws', 'jose', 'zod', 'xstate', 'fastify'],
  node: true,
  inner: ['auth', 'http'],
  denied: { ...time, ...abort },
  properties: [now, randomness],
};
const doors: Row = {
  at: 'src/doors',
  may: [
    'src/gateway',
    'src/wire',
    'src/core/session',
    'src/core/runtime/session-opening.ts',
    'src/core/transcript/imported.ts',
    'src/core/reports',
    ...below,
  ],
  packages: ['zod', '@modelcontextprotocol/server'],
  node: true,
  inner: ['door-turns', 'mcp-server', 'openai-api', 'ui-stream', 'ag-ui'],
  denied: { ...time, ...abort },
  properties: [now, randomness, provide],
};
/** A program of the user's own: it embeds a runtime, and asks its client for answers, files and terminals. A request to the client is withdrawn by a signal. */
const acp: Row = {
  ...doors,
  at: 'src/doors/acp',
  may: [contracts, 'src/core/tools', 'src/core/session', 'src/client', 'src/embed', 'src/wire', ...below],
  packages: ['@agentclientprotocol/sdk'],
  inner: [],
  denied: { ...time },
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
  may: ['src/wire', 'src/core/words', 'src/core/collections', 'src/core/intent', 'src/core/receipt'],
  packages: [],
  node: false,
  inner: ['view'],
  denied: { ...timeOfClient, ...abortOfClient, ...anywhere },
  properties: [now, randomness, provide],
};
const cli: Row = {
  at: 'src/programs',
  may: [
    'src/embed',
    'src/doors',
    'src/gateway',
    'src/inspector',
    'src/core/cluster',
    'src/core/runtime',
    'src/core/session',
    'src/core/workers',
    ...adapters,
    ...sides,
    'src/wire',
    'src/client',
    'src/page',
    'src/adapters/telemetry',
    'src/core/reports',
    'src/programs/terminal',
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
    at: 'src/core/sources',
    may: [],
    packages: [],
    node: false,
    denied: { ...time, ...abort },
    properties: [now, randomness],
  },
  {
    at: 'src/core/sources/pause.ts',
    may: ['src/core/sources/sources.ts'],
    packages: [],
    node: true,
    denied: time,
    properties: [now],
  },
  { at: 'src/core/sources/abort-signals.ts', may: [], packages: [], node: true, denied: time, properties: [now] },
  { at: 'src/core/sources/machine-clock.ts', may: [], packages: [], node: true, denied: time, properties: [] },
  { at: 'src/core/sources/system.ts', may: [], packages: [], node: true, denied: {}, properties: [] },
  {
    at: 'src/core/text',
    may: [],
    packages: ['zod', 'fast-string-truncated-width'],
    node: true,
    denied: { ...time },
    properties: [now, randomness],
  },
  // Markdown: read with limits, for the page and the terminal.
  {
    at: 'src/core/markdown',
    may: [],
    packages: ['marked'],
    node: false,
    denied: { ...time, ...abort, ...anywhere, ...pure },
    properties: [now, randomness, provide],
  },
  {
    at: 'src/core/collections',
    may: [],
    packages: [],
    node: false,
    denied: { ...time, ...anywhere },
    properties: [now, randomness],
  },
  // Servers: what every server of Belay does with a port and with upgrades.
  {
    at: 'src/adapters/servers',
    may: [],
    packages: [],
    node: true,
    denied: { ...time, ...abort },
    properties: [now, randomness],
  },
  // Receipts: facts folded into what became of a CANCEL; pure, for the live session, recovery, reports and browsers.
  {
    at: 'src/core/receipt',
    may: ['src/core/collections', 'machines/cancel.ts', ...shared],
    packages: [],
    node: false,
    denied: { ...time, ...abort, ...anywhere, ...pure },
    properties: [now, randomness, provide],
  },
  // Reports: facts folded into answers; pure, for servers and browsers.
  {
    at: 'src/core/reports',
    may: [
      'src/core/collections',
      'src/core/contracts/session-search.ts',
      'src/core/receipt',
      'src/core/text',
      'src/core/words',
      'machines/totals.ts',
      ...shared,
    ],
    packages: [],
    node: false,
    denied: { ...time, ...abort, ...anywhere },
    properties: [now, randomness, provide],
  },
  // Words: codes and durations as people read them; pure, for servers and browsers.
  {
    at: 'src/core/words',
    may: ['machines/vocabulary.ts', 'machines/codes.ts'],
    packages: [],
    node: false,
    denied: { ...time, ...abort, ...anywhere, ...pure },
    properties: [now, randomness, provide],
  },
  // Stop phrases: pure, for servers and browsers.
  {
    at: 'src/core/intent',
    may: [],
    packages: [],
    node: false,
    inner: ['lexicons'],
    denied: { ...time, ...abort, ...anywhere, ...pure },
    properties: [now, randomness, provide],
  },
  {
    at: 'src/adapters/models',
    ...leaf,
    packages: ['openai', '@ai-sdk/provider', 'ws', 'xstate'],
    inner: ['ai-sdk', 'chat', 'check', 'realtime', 'responses', 'transport'],
  },
  {
    at: 'src/adapters/tools',
    ...leaf,
    may: [contracts, 'src/core/tools', 'src/adapters/processes', 'src/adapters/servers', ...below],
    packages: ['zod', 'playwright-core'],
    inner: ['builtin', 'isolate', 'browser'],
  },
  { at: 'src/adapters/buses', ...leaf, packages: ['@nats-io/transport-node'] },
  { at: 'src/adapters/processes', ...leaf, packages: ['@lydell/node-pty'] },
  {
    at: 'src/adapters/mcp',
    ...leaf,
    may: [
      contracts,
      'src/core/tools',
      'src/adapters/processes',
      'src/adapters/servers',
      'src/adapters/models/transport',
      ...below,
    ],
    packages: ['@modelcontextprotocol/client', 'zod'],
  },
  {
    at: 'src/adapters/acp',
    ...leaf,
    may: [contracts, 'src/core/tools', 'src/adapters/processes', ...below],
    packages: ['@agentclientprotocol/sdk', 'zod'],
  },
  // Contracts: the log, the model, the tools, as the core uses them; each is implemented in src/adapters.
  { at: 'src/core/contracts', ...leaf, may: below, packages: [] },
  { at: 'src/core/tools', ...leaf, packages: ['zod'] },
  { at: 'src/core/transcript', ...leaf, packages: [] },
  stores,
  // the log in a file, over another port
  { ...stores, at: 'src/adapters/stores/remote-log.ts', may: [...stores.may, 'src/adapters/stores'] },
  { at: 'src/core/live', ...leaf, packages: [] },
  { at: 'src/core/workers', ...leaf, may: [...sides, ...below], packages: ['xstate'] },
  session,
  runtime,
  { ...runtime, at: 'src/core/runtime/provide.ts', properties: [now, randomness] },
  // The cluster: sessions that other hosts hold, over the contract of a bus.
  { ...runtime, at: 'src/core/cluster', may: ['src/core/runtime', ...runtime.may], packages: [] },
  {
    at: 'src/wire',
    may: [
      ...shared,
      'src/core/collections',
      'src/core/contracts/sound.ts',
      'src/core/text/schema-issue.ts',
      'src/core/text/printable.ts',
    ],
    packages: ['zod'],
    node: false,
    denied: { ...time, ...abort, ...anywhere },
    properties: [now, randomness, provide],
  },
  // Metrics and spans: observers of a runtime, loaded with its first session.
  {
    at: 'src/adapters/telemetry',
    may: ['src/core/runtime/config.ts', 'src/core/session/session-spec.ts', 'src/core/workers/extensions.ts', ...below],
    packages: ['prom-client', '@opentelemetry/api'],
    node: false,
    denied: { ...time, ...abort, ...anywhere },
    properties: [now, randomness, provide],
  },
  gateway,
  // Doors: protocols that clients of other people speak, each folded from the frames of a turn.
  doors,
  acp,
  // MCP's library says with a signal what was cancelled; a CANCEL is made of it at once
  { ...doors, at: 'src/doors/mcp-server/turn-questions.ts', may: [...doors.may, 'src/doors'], denied: time },
  { ...doors, at: 'src/doors/mcp-server/web-exchange.ts', may: [...doors.may, 'src/doors'], denied: time },
  {
    at: 'src/inspector',
    may: [
      'src/adapters/servers',
      'src/core/runtime',
      'src/core/session',
      'src/core/workers',
      'src/core/live',
      'src/wire/inspection.ts',
      'src/wire/inspection-source.ts',
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
    at: 'src/page',
    may: [
      'src/client',
      'src/wire',
      'src/core/collections',
      'src/core/receipt',
      'src/core/reports',
      'src/core/words',
      'src/core/markdown',
      'src/core/sources/monotonic-time.ts',
      'src/core/text/decode-entities.ts',
      'src/core/text/printable.ts',
      'machines/facts.ts',
      'machines/cause-rules.ts',
      'machines/vocabulary.ts',
    ],
    packages: ['react', 'react-dom', 'marked', 'virtua'],
    node: false,
    inner: [
      'chat-view',
      'inspector-view',
      'page-state',
      'talk',
      'actors',
      'events',
      'lists',
      'records',
      'statechart',
      'wave',
    ],
    denied: { ...timeOfClient, ...abort, ...anywhere },
    properties: [now, randomness, provide],
  },
  // the clock of the page, which is a program of its own
  {
    at: 'src/page/page-state/page-clock.ts',
    may: ['src/core/sources/monotonic-time.ts', 'src/core/sources/sources.ts'],
    packages: [],
    node: false,
    denied: { ...abort, ...anywhere },
    properties: [randomness, provide],
  },
  // The library: a runtime, the sessions of its speakers, and doors on existing servers.
  {
    at: 'src/embed',
    may: [
      contracts,
      'src/adapters/stores',
      'src/core/cluster',
      'src/core/runtime',
      'src/core/session',
      'src/gateway',
      'src/client',
      'src/wire',
      'src/adapters/models',
      'src/core/transcript',
      'src/adapters/acp/acp-agents.ts',
      'src/adapters/processes/system-processes.ts',
      'src/adapters/telemetry',
      ...below,
    ],
    packages: [],
    node: true,
    denied: { ...time, ...abort },
    properties: [now, randomness, provide],
  },
  {
    at: 'src/testing',
    may: [
      contracts,
      'src/core/tools',
      'src/core/runtime',
      'src/core/session',
      'src/adapters/models',
      'src/adapters/processes',
      ...below,
    ],
    packages: [],
    node: true,
    denied: { ...time },
    properties: [now, randomness, provide],
  },
  { at: 'src/index.ts', may: ['machines'], packages: [], node: false, denied: { ...time, ...abort }, properties: [] },
  cli,
  // The live region and the keys of a terminal: knows no session.
  {
    at: 'src/programs/terminal',
    may: ['src/core/sources', 'src/core/text'],
    packages: [],
    node: true,
    denied: { ...time, ...abort },
    properties: [now, randomness, provide],
  },
  { ...cli, at: 'src/programs/log-writer.ts', packages: ['pino'] },
  { ...cli, at: 'src/programs/runtime-parts.ts' },
  { ...cli, at: 'src/programs/model-provider.ts' },
  { ...cli, at: 'src/programs/model-settings.ts' },
  { ...cli, at: 'src/programs/start-gateway.ts' },
  { ...cli, at: 'src/programs/serve-workers.ts', may: [...cli.may, 'src/adapters/servers'] },
  { ...cli, at: 'src/programs/tour.ts' },
  // What a chat shows at a terminal: pure functions of a snapshot, which know neither the terminal nor the time.
  {
    at: 'src/programs/chat-lines',
    may: ['src/client', 'src/wire', 'src/core/markdown', 'src/core/text', 'src/core/words', ...shared],
    packages: ['marked'],
    node: false,
    denied: { ...time, ...abort, ...anywhere, ...pure },
    properties: [now, randomness, provide],
  },
  // The scripted endpoint: a server in a process of its own, which knows Belay as little as a provider does.
  {
    at: 'src/programs/scripted',
    may: ['src/core/sources', 'machines/vocabulary.ts'], // of the machines types alone
    packages: [],
    node: true,
    denied: {},
    properties: [],
  },
];

export const hidden: readonly Hidden[] = [
  {
    files: [
      'src/adapters/models/chat',
      'src/adapters/models/responses',
      'src/adapters/models/ai-sdk',
      'src/adapters/models/realtime',
      'src/adapters/models/scripted.ts',
      'src/programs/scripted',
      'src/adapters/stores/sqlite.ts',
      'src/adapters/stores/memory.ts',
      'src/gateway/ws.ts',
      'src/gateway/http',
    ],
    from: [
      'src/programs/runtime-parts.ts',
      'src/programs/model-provider.ts',
      'src/programs/model-settings.ts',
      'src/programs/start-gateway.ts',
      'src/programs/serve-workers.ts',
      'src/adapters/stores/remote-log.ts',
      'src/programs/tour.ts',
      'src/gateway',
      'src/doors',
      'src/doors/mcp-server/web-exchange.ts',
      'src/embed',
      'src/testing',
      'src/index.ts',
    ],
    message:
      'Only a composition root names adapters: runtime-parts, model-provider, model-settings, start-gateway, serve-workers and tour in src/programs, the library (and src/gateway its socket).',
  },
  {
    files: ['src/doors/acp'],
    from: ['src/programs'],
    message: 'The agent of an editor is a program of its own, which loads it.',
  },
  {
    files: ['src/adapters/tools/builtin'],
    from: ['src/programs', 'src/programs/runtime-parts.ts', 'src/embed', 'src/index.ts'],
    message:
      'Only a composition root names builtin tools; what other folders share with them lies in src/adapters/tools.',
  },
  {
    files: ['machines/session.ts', 'machines/turn.ts', 'machines/tool-call.ts', 'machines/sub-agent.ts'],
    from: [
      'src/core/workers',
      'src/core/session',
      'src/core/runtime',
      'src/core/runtime/provide.ts',
      'src/inspector',
      'machines/index.ts',
    ],
    message: 'A chart is hidden behind its contract and tied in src/core/runtime/provide.ts.',
  },
  {
    files: ['machines/response.ts'],
    from: ['src/adapters/models', 'machines/index.ts'],
    message: 'A response is run by the adapter of its model.',
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
