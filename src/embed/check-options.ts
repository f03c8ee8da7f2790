// Checks the options of `createRuntime` before anything starts: JavaScript programs have no compiler that does.
import { assertClock } from '../core/sources/assert-clock.ts';
import type { Sources } from '../core/sources/sources.ts';
import { assertOptions, type OptionKind } from '../core/text/option-names.ts';
import type { RuntimeOptions } from './runtime-options.ts';

const optionKinds: Readonly<Record<keyof RuntimeOptions, OptionKind | null>> = {
  provider: null,
  store: 'text',
  log: 'object',
  bus: 'object',
  configuration: 'text',
  allowOtherConfiguration: 'boolean',
  instructions: 'text',
  model: 'text',
  modelChoices: 'list',
  modelOptions: 'object',
  modelErrors: 'text',
  prices: 'object',
  tools: 'list',
  toolSources: 'list',
  approve: 'list',
  agents: 'object',
  roots: 'list',
  protectedPaths: 'list',
  keys: null,
  session: 'function',
  sessionServers: 'function',
  buildContext: 'function',
  ownerOfCall: 'function',
  interceptors: 'list',
  toolTimeouts: 'object',
  retentionDays: null,
  observers: 'list',
  inspector: 'object',
  metrics: 'object',
  tracing: 'boolean',
  acknowledge: 'text',
  acknowledgement: 'object',
  limits: 'object',
  host: 'text',
  sources: 'object',
  warn: 'function',
};

/** Throws a RangeError that names the option which is unknown, missing or of a wrong kind. */
export function assertRuntimeOptions(options: RuntimeOptions): void {
  assertOptions('createRuntime', options, optionKinds);
  const { provider, tools = [], store, log, sources, retentionDays = 0 } = options;
  if (sources) assertSources(sources);
  if (!(retentionDays >= 0)) throw new RangeError(`retentionDays must be 0 or more, and is ${retentionDays}.`);
  if (store !== undefined && log) throw new RangeError('Both store and log are given: leave out one of them.');
  if (typeof provider?.stream !== 'function') {
    const found = provider === undefined ? 'is missing' : 'has no method stream';
    throw new RangeError(
      `The option provider of createRuntime ${found}. Give createOpenAIProvider({ apiKey, model }), or a provider of your own.`,
    );
  }
  for (const [i, tool] of tools.entries())
    if (typeof tool?.run !== 'function')
      throw new RangeError(`tools[${i}] of createRuntime is no tool: it has no method run. Make it by defineTool.`);
}

function assertSources(sources: Sources): void {
  assertClock('The option sources.clock of createRuntime', sources.clock);
  for (const name of ['ids', 'random'] as const)
    if (typeof sources[name] !== 'function')
      throw new RangeError(`The option sources.${name} of createRuntime is no function. Give that of systemSources.`);
}
