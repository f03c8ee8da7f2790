// The parts that all sessions of a runtime share, as its configuration says, before there is a session.

import { notifyObservers } from '../session/observers.ts';
import type { SharedParts } from '../session/shared-parts.ts';
import { SpeakerTurns } from '../session/turn-shares.ts';
import { systemSources } from '../sources/system.ts';
import { printWarning } from '../text/print-line.ts';
import { isMilliseconds, maxTimeoutMs } from '../tools/declaration-rules.ts';
import { folderKeysFrom } from '../tools/folder-key-rules.ts';
import { ExclusiveKeys } from '../tools/keys.ts';
import { createMemoryBlobs } from '../transcript/memory-blobs.ts';
import { acknowledgementRulesOf } from '../workers/acknowledgement-rules.ts';
import type { RuntimeServices } from '../workers/services.ts';
import { limitsFrom } from '../workers/session-limits.ts';
import { assertAgentTools, createProfiles, defaultInstructions } from './agent-profiles.ts';
import { AvailableTools } from './available-tools.ts';
import type { RuntimeConfig } from './config.ts';
import { RecoveryCount } from './host-recovery.ts';
import { noProcesses } from './no-processes.ts';

/** What a runtime is made of before it has a lease, and its machines are loaded. */
export type EarlyParts = Omit<SharedParts, 'logic' | 'speechLogic' | 'holdLease' | 'reportedEnds' | 'ledger'> & {
  readonly recovery: RecoveryCount;
};

/** Makes the parts, once for a runtime. Throws as `createRuntime` does. */
export function createEarlyParts(config: RuntimeConfig): EarlyParts {
  const { log, processes = noProcesses, observers = [] } = config;
  const runtime = servicesOf(config);
  const { warn, limits } = runtime;
  const { termGraceMs, toolCancelMs: waitMs } = limits;
  const recovery = new RecoveryCount((recovered) =>
    notifyObservers(observers, (observer) => observer.recovered?.(recovered), warn),
  );
  const onEnded = (processes: number) => recovery.addProcesses(processes);
  return {
    runtime,
    log,
    processes,
    blobs: log.blobs ?? createMemoryBlobs(),
    observers,
    speakerTurns: new SpeakerTurns(limits.turnsPerSpeaker),
    async terminateLeftoverProcesses(calls, facts) {
      if (calls.length === 0) return [];
      const { terminateLeftoverProcesses } = await import('./leftover-processes.ts');
      return terminateLeftoverProcesses({ processes, calls, facts, termGraceMs, waitMs, onEnded, warn });
    },
    onRecovered: (turns) => recovery.onOpened(turns),
    recovery,
  };
}

function servicesOf(config: RuntimeConfig): RuntimeServices {
  const { interceptors = [], buildContext, ownerOfCall, inspector, sources = systemSources } = config;
  const { roots = [], protectedPaths = [] } = config;
  const limits = limitsFrom(config.limits);
  const timeouts = toolTimeoutsFrom(config);
  const warn = config.warn ?? printWarning;
  const { tools: ownTools = [], toolSources = [] } = config;
  const tools = new AvailableTools({ tools: ownTools, sources: toolSources, limits, warn });
  assertAgentTools(config, tools);
  return {
    sources,
    limits,
    extensions: { interceptors, buildContext, ownerOfCall },
    profileOf: createProfiles(config, tools, limits),
    offers: tools,
    tools,
    closeTools: async () => {}, // whoever made the sources of a runtime closes them
    keys: new ExclusiveKeys(),
    folderKeys: folderKeysFrom(config.keys),
    roots,
    protectedPaths,
    modelErrors: config.modelErrors ?? 'shown',
    priceOf: (model) => (config.prices && Object.hasOwn(config.prices, model) ? config.prices[model] : undefined),
    approve: config.approve ?? [],
    timeoutOf({ name, timeoutMs }, askedMs) {
      const own = timeoutMs === 'default' ? limits.toolTimeoutMs : timeoutMs;
      return askedMs ?? timeouts.get(name) ?? (typeof own === 'number' ? own : 0);
    },
    timeoutSetFor: () => undefined,
    models: modelsOf(config),
    acknowledgement: acknowledgementRulesOf(config.acknowledgement ?? {}, {
      mode: config.acknowledge ?? 'on',
      instructions: config.instructions ?? defaultInstructions,
    }),
    inspector,
    warn,
  };
}

/** The model of the runtime, then those that a SAY may choose. */
function modelsOf({ provider, model = provider.model, modelChoices = [] }: RuntimeConfig): readonly string[] {
  return [...new Set([...(model === undefined ? [] : [model]), ...modelChoices])];
}

/** Tools that the runtime adds to those of the configuration. */
const addedTools = ['spawn_agent'];

/** Returns the timeouts in milliseconds, by the name of the tool. Throws a RangeError that names the field, and the limits or the known tools. */
function toolTimeoutsFrom({
  toolTimeouts = {},
  tools = [],
  toolSources = [],
}: Pick<RuntimeConfig, 'toolTimeouts' | 'tools' | 'toolSources'>): ReadonlyMap<string, number> {
  const known = [...tools.map(({ name }) => name), ...addedTools];
  for (const [name, ms] of Object.entries(toolTimeouts)) {
    const field = `toolTimeouts.${name}`;
    if (!known.includes(name) && !toolSources.some((source) => source.mayHave(name)))
      throw new RangeError(`${field}: no tool has this name. The tools are ${known.join(', ')}`);
    if (!isMilliseconds(ms, 0))
      throw new RangeError(`${field} must be a whole number from 0 to ${maxTimeoutMs}, not ${ms}`);
  }
  return new Map(Object.entries(toolTimeouts));
}
