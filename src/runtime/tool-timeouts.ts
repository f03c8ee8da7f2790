// Checks the timeouts by tool of a configuration before anything starts: otherwise the first call would find a wrong one.
import { isMilliseconds, maxTimeoutMs } from '../tools/declaration-rules.ts';
import type { RuntimeConfig } from './config.ts';

/** Tools that a runtime with agents has by itself. */
const ownTools = ['spawn_agent'];

/** Returns the timeouts by name, in milliseconds. Throws a RangeError that names the field, and the limit or the known tools. */
export function toolTimeoutsFrom({
  toolTimeouts = {},
  tools = [],
}: Pick<RuntimeConfig, 'toolTimeouts' | 'tools'>): ReadonlyMap<string, number> {
  const known = [...tools.map(({ name }) => name), ...ownTools];
  for (const [name, ms] of Object.entries(toolTimeouts)) {
    const at = `toolTimeouts.${name}`;
    if (!known.includes(name))
      throw new RangeError(`${at}: there is no tool of that name: there are ${known.join(', ')}`);
    if (!isMilliseconds(ms, 0))
      throw new RangeError(`${at} must be a whole number from 0 to ${maxTimeoutMs}, not ${ms}`);
  }
  return new Map(Object.entries(toolTimeouts));
}
