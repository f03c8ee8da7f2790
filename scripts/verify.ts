// Runs everything that a commit needs, and with --long every long program that the documents name, whole, one after the other (npm run verify).
// It ends with a line for each: whether it passed, its exit code, its minutes. The exit code is 0 if all have passed, else 1.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { commitSteps, longSteps, type VerifyStep } from './verify-steps.ts';

const usage = `npm run verify                     everything that a commit needs
npm run verify -- --long           that, and then every long program
npm run verify -- --long NAME…     only these`;

interface StepResult {
  readonly step: VerifyStep;
  /** The exit code, or the signal that has ended it. */
  readonly end: string;
  readonly minutes: string;
}

/** Runs a script of package.json with the terminal of this process. */
function runStep(step: VerifyStep): StepResult {
  console.log(`\n=== npm run ${[step.script, ...step.args].join(' ')}`);
  const began = performance.now();
  const args = step.args.length > 0 ? ['--', ...step.args] : [];
  const { status, signal, error } = spawnSync('npm', ['run', step.script, ...args], { stdio: 'inherit' });
  const end = error ? error.message : (signal ?? `exit code ${status}`);
  return { step, end, minutes: ((performance.now() - began) / 60_000).toFixed(1) };
}

const hasPassed = ({ end }: StepResult): boolean => end === 'exit code 0';

function main(): number {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { long: { type: 'boolean' } } });
  const steps = values.long ? [...commitSteps, ...longSteps] : commitSteps;
  const unknown = positionals.filter((name) => steps.every(({ script }) => script !== name));
  if (unknown.length > 0) {
    console.error(
      `There is no step ${unknown.join(', ')}. Steps: ${steps.map(({ script }) => script).join(', ')}\n\n${usage}`,
    );
    return 2;
  }
  const results: StepResult[] = [];
  for (const step of steps) {
    if (positionals.length > 0 && !positionals.includes(step.script)) continue;
    const result = runStep(step);
    results.push(result);
    // what a commit needs ends with its first failure; a long run says of each program what became of it
    if (!values.long && !hasPassed(result)) break;
  }
  console.log('\n=== Summary');
  for (const result of results) {
    const { step, end, minutes } = result;
    console.log(
      `${hasPassed(result) ? 'passed' : 'FAILED'}  ${step.script.padEnd(16)} ${minutes.padStart(5)} min  ${end}`,
    );
  }
  const failed = results.filter((result) => !hasPassed(result)).length;
  console.log(failed === 0 ? `${results.length} passed.` : `${failed} of ${results.length} failed.`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = main();
