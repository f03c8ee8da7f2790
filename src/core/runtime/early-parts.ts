// The parts that all sessions of a runtime share, as its configuration says, before there is a session.

import { noProcesses } from '../contracts/no-processes.ts';
import { notifyObservers } from '../session/notify-observers.ts';
import type { SharedParts } from '../session/shared-parts.ts';
import { SpeakerTurns } from '../session/turn-shares.ts';
import { systemSources } from '../sources/system.ts';
import { printWarning } from '../text/print-line.ts';
import { ExclusiveKeys } from '../tools/keys.ts';
import { createMemoryBlobs } from '../transcript/memory-blobs.ts';
import { acknowledgementRulesOf } from '../workers/acknowledgement-rules.ts';
import type { RuntimeServices } from '../workers/services.ts';
import { limitsFrom } from '../workers/session-limits.ts';
import { assertAgentTools, createProfiles, defaultInstructions } from './agent-profiles.ts';
import { AvailableTools } from './available-tools.ts';
import type { RuntimeConfig } from './config.ts';
import { RecoveryCount } from './host-recovery.ts';
import { toolTimeoutsFrom } from './tool-timeouts.ts';

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
      const { terminateLeftoverProcesses } = await import('../session/leftover-processes.ts');
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
    waitForTools: () => tools.waitForSources(),
    closeTools: async () => {}, // whoever made the sources of a runtime closes them
    keys: new ExclusiveKeys(),
    folderKeys: config.keys ?? 'session',
    roots,
    protectedPaths,
    priceOf: (model) => (config.prices && Object.hasOwn(config.prices, model) ? config.prices[model] : undefined),
    timeoutOf({ name, timeoutMs }) {
      const own = timeoutMs === 'default' ? limits.toolTimeoutMs : timeoutMs;
      return timeouts.get(name) ?? (typeof own === 'number' ? own : 0);
    },
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
