// Writes docs/charts/*.ts: each machine as one literal that Stately's editors can open, since they read source and run none (npm run draw).
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AnyStateMachine } from 'xstate';
import { plainChart } from '../src/inspector/chart-data.ts';
import { allMachines } from './all-machines.ts';

const lineWidth = 120;

const camelCase = (id: string): string => id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const quoted = (text: string): string =>
  text.includes("'") ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`;
const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

/** Formats a value as Biome does. `before`: characters that are in its line already. */
function print(value: unknown, indent: string, before: number): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const block = (open: string, lines: readonly string[], close: string) =>
    lines.length === 0
      ? `${open}${close}`
      : `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
  if (Array.isArray(value)) {
    const parts = value.map((part) => print(part, inner, inner.length));
    const line = `[${parts.join(', ')}]`;
    const fits = !line.includes('\n') && before + line.length < lineWidth;
    return fits ? line : block('[', parts, ']');
  }
  const fields = Object.entries(value).map(([name, part]) => {
    const key = `${keyOf(name)}: `;
    const text = print(part, inner, inner.length + key.length);
    const breaks = typeof part === 'string' && inner.length + key.length + text.length >= lineWidth;
    return breaks ? `${key.trimEnd()}\n${inner}  ${text}` : `${key}${text}`;
  });
  return block('{', fields, '}');
}

const fileOf = (machine: AnyStateMachine): string =>
  [
    `// The chart of machines/${machine.id}.ts as Stately's editors read it: to look at, and to simulate (npm run draw).`,
    "import { createMachine } from 'xstate';",
    '',
    `export const ${camelCase(machine.id)}Chart = createMachine(${print(plainChart(machine), '', 0)});`,
    '',
  ].join('\n');

const folder = new URL('../docs/charts/', import.meta.url);

/** Returns the text of each file, by its name. */
export const charts = (): ReadonlyMap<string, string> =>
  new Map(allMachines.map(({ machine }) => [`${machine.id}.ts`, fileOf(machine)]));

/** Writes docs/charts. */
export function writeCharts(): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of charts()) writeFileSync(new URL(name, folder), text);
}
