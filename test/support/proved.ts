// The tests that `npm test` leaves out where an earlier command of the same run has just passed them: `PROVED=test:core,prove npm test`, in `.ci/run`.

/** By the script of package.json, what it has passed. Each script runs these tests, or a sweep of which theirs is a part. */
const passedBy = {
  'test:core': 'test/core/ and test/machines/',
  prove: 'the sweep of test/prove/prove.test.ts',
} as const;

type ProvingScript = keyof typeof passedBy;

/** Throws for a name that is no such script. */
function provingScripts(): readonly ProvingScript[] {
  const names = (process.env['PROVED'] ?? '').split(',').filter((name) => name !== '');
  return names.map((name) => {
    if (name in passedBy) return name as ProvingScript; // its keys are the names
    throw new Error(`PROVED names ${name}; it may name ${Object.keys(passedBy).join(', ')}.`);
  });
}

/** Whether the script has passed before in this run. */
export const isProved = (script: ProvingScript): boolean => provingScripts().includes(script);

/** Returns the patterns of the test files that have passed before in this run. */
export const provedFiles = (): string[] => (isProved('test:core') ? ['test/core/**', 'test/machines/**'] : []);

/** Returns a line for each part that is left out. */
export const provedParts = (): readonly string[] =>
  provingScripts().map((script) => `left out: ${passedBy[script]}, which npm run ${script} has just passed`);
