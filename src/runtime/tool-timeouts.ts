// The timeouts by tool that a configuration gives, checked before anything is started: one that were wrong would be found out by a call.
import { isMilliseconds, maxTimeoutMs } from '../tools/declaration-rules.ts';
import type { RuntimeConfig } from './config.ts';

/** A tool that a runtime has by itself, as soon as there are agents. */
const ownTools = ['spawn_agent'];

/** Throws a RangeError that names the field, and the limit or the tools that there are. */
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
