// Prints `N passed, N failed` as the last line of a test run, after what was left out because it had just passed.
import type { Reporter, TestModule } from 'vitest/node';
import { provedParts } from './proved.ts';

type RunError = Parameters<NonNullable<Reporter['onTestRunEnd']>>[1][number];

export class SummaryReporter implements Reporter {
  /** A failure outside of a test (a file that does not load, a hook, an uncaught exception) counts as one failure. */
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly RunError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    const broken = modules
      .flatMap((module) => [module, ...module.children.allSuites()])
      .flatMap((part) => [...part.errors()]);
    for (const part of provedParts()) console.log(part);
    console.log(`${passed} passed, ${failed + broken.length + unhandled.length} failed`);
  }
}
