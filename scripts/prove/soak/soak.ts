// Both soaks: an hour of virtual time, and two minutes with a real gateway.
import { soakForReal } from './real-soak.ts';
import { soakVirtually } from './virtual-soak.ts';

const soaks = { virtual: soakVirtually, real: soakForReal };

/** Runs the soaks. Resolves with the number of things that are wrong. `which`: `virtual`, `real` or `both`. */
export async function soak(which: string, seed: number): Promise<number> {
  const chosen = Object.entries(soaks).filter(([name]) => which === 'both' || which === name);
  if (chosen.length === 0) throw new Error(`--soak is ${which}; it must be virtual, real or both.`);
  const wrong: string[] = [];
  for (const [, run] of chosen) wrong.push(...(await run(seed)));
  for (const line of wrong) console.log(`BROKEN  ${line}`);
  console.log(wrong.length === 0 ? 'Everything is at the baseline.' : `${wrong.length} things are wrong.`);
  return wrong.length;
}
