// Turns a chart into plain data for Stately's tools: names stay, code is left out; the reason why a phase does not obey CANCEL becomes its description.
import type { AnyStateMachine } from 'xstate';
import { fieldsOf } from '../core/collections/fields.ts';

/** A JSON value that `createMachine` accepts; its guards, actions and workers are unbound names. */
export type PlainChart = Readonly<Record<string, unknown>>;

/** Returns the chart of a machine as plain data. */
export const plainChart = (machine: AnyStateMachine): PlainChart => plain(machine.config) as PlainChart;

function plain(value: unknown): unknown {
  if (typeof value === 'function') return guardName(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { meta, ...rest } = fieldsOf(value);
  const described =
    typeof meta === 'object' && meta !== null
      ? {
          description: Object.entries(meta)
            .map(([event, why]) => `${event}: ${why}`)
            .join('\n'),
        }
      : {};
  const entries = Object.entries({ ...described, ...rest }).map(([name, part]) => [name, plain(part)] as const);
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
}

/** The name of a composed guard; undefined for code that has no name. */
function guardName(guard: unknown): string | undefined {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'object' && guard !== null && 'type' in guard) {
    const { type, params } = fieldsOf(guard);
    return typeof params === 'string' ? `${type} ${params}` : String(type);
  }
  if (typeof guard !== 'function' || !('guards' in guard) || !Array.isArray(guard.guards)) return undefined;
  const parts = guard.guards.map((part) => guardName(part) ?? 'a condition');
  return guard.name === 'not' ? `not ${parts[0]}` : parts.join(` ${guard.name} `);
}
