// Checks the timeouts of tools in a configuration, so that a wrong one is reported at the start and not at the first call.
import { isMilliseconds, maxTimeoutMs } from '../tools/declaration-rules.ts';
import type { RuntimeConfig } from './config.ts';

/** Tools that the runtime adds to those of the configuration. */
const addedTools = ['spawn_agent'];

/** Returns the timeouts in milliseconds, by the name of the tool. Throws a RangeError that names the field, and the limits or the known tools. */
export function toolTimeoutsFrom({
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
