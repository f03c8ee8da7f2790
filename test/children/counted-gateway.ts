// The gateway of src/programs/serve.ts, which counts what it executes: at each line on its input it prints the named functions since the line before.
// A line is a name, and the functions whose calls are noted from then on, in their order.
// What a timer executes does not count, up to its first wait.

import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { createInterface } from 'node:readline';

const root = new URL('../../', import.meta.url).href;
const inspector = new Session();
inspector.connect();
/** The ids of the scripts, by their URLs. */
const scripts = new Map<string, string>();
inspector.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.url, params.scriptId));
inspector.post('Profiler.enable');
inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** A name that the source has: V8 names the initializers of fields itself. */
const isNamed = (name: string) => name !== '' && !name.startsWith('<');

/** Returns the named functions of the sources that have run since the last call, each as `file name offset`. */
function takeExecuted(): readonly string[] {
  let covered: readonly Profiler.ScriptCoverage[] = [];
  // the reply to a session in the same thread comes before `post` returns
  inspector.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    covered = result;
  });
  return covered
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

/** The functions that were called since the last count, one after the other, as soon as they are traced. */
let calls: string[] = [];
let isTimer = false;
const noteCall = (name: string) => {
  if (!isTimer && calls.at(-1) !== name) calls.push(name);
};

/** From now on, notes each call of these functions: each has a breakpoint whose condition notes it, and is false. */
function trace(names: readonly string[]): void {
  if (names.length === 0) return;
  Object.assign(globalThis, { noteCall });
  inspector.post('Debugger.enable');
  for (const name of names) {
    const [file = '', , offset] = name.split(' ');
    const scriptId = scripts.get(`${root}${file}`) ?? '';
    const before = readFileSync(new URL(file, root), 'utf8').slice(0, Number(offset)).split('\n');
    const start = { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 };
    inspector.post('Debugger.getPossibleBreakpoints', { start, restrictToFunction: true }, (_error, { locations }) => {
      const [location] = locations;
      if (location)
        inspector.post('Debugger.setBreakpoint', { location, condition: `noteCall(${JSON.stringify(name)}), false` });
    });
  }
}

type Callback = (...values: unknown[]) => void;
const apart =
  (callback: Callback): Callback =>
  (...values) => {
    noteExecuted();
    isTimer = true;
    callback(...values);
    isTimer = false;
    takeExecuted();
  };
const { setTimeout, setInterval } = globalThis;
Object.assign(globalThis, {
  setTimeout: (callback: Callback, ms?: number, ...values: unknown[]) => setTimeout(apart(callback), ms, ...values),
  setInterval: (callback: Callback, ms?: number, ...values: unknown[]) => setInterval(apart(callback), ms, ...values),
});

createInterface({ input: process.stdin }).on('line', (line) => {
  noteExecuted();
  const [name, traced = '[]'] = line.split(/ (.*)/);
  console.log(`counted ${name} ${JSON.stringify({ functions: [...executed], calls })}`);
  executed.clear();
  calls = [];
  trace(JSON.parse(traced));
});

const { serveCommand } = await import('../../src/programs/serve.ts');
await serveCommand(process.argv.slice(2));
