// The gateway of src/programs/serve.ts, which counts what it executes: at each line on its input it prints the named functions since the line before.
// What a timer executes does not count, up to its first wait.

import { type Profiler, Session } from 'node:inspector';
import { createInterface } from 'node:readline';

const root = new URL('../../', import.meta.url).href;
const inspector = new Session();
inspector.connect();
inspector.post('Profiler.enable');
inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** A name that the source has: V8 names the initializers of fields itself. */
const isNamed = (name: string) => name !== '' && !name.startsWith('<');

/** Returns the named functions of the sources that have run since the last call, each as `file name offset`. */
function takeExecuted(): readonly string[] {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  // the reply to a session in the same thread comes before `post` returns
  inspector.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    scripts = result;
  });
  return scripts
    .filter(({ url }) => /^(src|machines)\//.test(url.replace(root, '')))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ functionName, ranges }) => isNamed(functionName) && ranges.some(({ count }) => count > 0))
        .map(({ functionName, ranges }) => `${url.replace(root, '')} ${functionName} ${ranges[0]?.startOffset}`),
    );
}

const executed = new Set<string>();
const noteExecuted = () => {
  for (const name of takeExecuted()) executed.add(name);
};

type Callback = (...values: unknown[]) => void;
const apart =
  (callback: Callback): Callback =>
  (...values) => {
    noteExecuted();
    callback(...values);
    takeExecuted();
  };
const { setTimeout, setInterval } = globalThis;
Object.assign(globalThis, {
  setTimeout: (callback: Callback, ms?: number, ...values: unknown[]) => setTimeout(apart(callback), ms, ...values),
  setInterval: (callback: Callback, ms?: number, ...values: unknown[]) => setInterval(apart(callback), ms, ...values),
});

createInterface({ input: process.stdin }).on('line', (line) => {
  noteExecuted();
  console.log(`counted ${line} ${JSON.stringify([...executed])}`);
  executed.clear();
});

const { serveCommand } = await import('../../src/programs/serve.ts');
await serveCommand(process.argv.slice(2));
