// Counts what a process does while it works: calls of functions, as V8 has counted them, and AbortControllers that are made.
import { type Profiler, Session } from 'node:inspector';

/** A function: a part of its file's URL, and its name. */
export interface CountedFunction {
  readonly file: string;
  readonly name: string;
}

export class CallCounter<Name extends string> {
  readonly #functions: Readonly<Record<Name, CountedFunction>>;
  readonly #inspector = new Session();
  #controllers = 0;

  /** Counts from now on. To be made before the modules are imported whose calls are counted. */
  constructor(functions: Readonly<Record<Name, CountedFunction>>) {
    this.#functions = functions;
    this.#inspector.connect();
    this.#inspector.post('Profiler.enable');
    this.#inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const countOne = () => {
      this.#controllers++;
    };
    globalThis.AbortController = class extends AbortController {
      constructor() {
        super();
        countOne();
      }
    };
  }

  /** Returns the counts since the last call. */
  take(): Readonly<Record<Name | 'controllers', number>> {
    let covered: readonly Profiler.ScriptCoverage[] = [];
    // the reply to a session in the same thread comes before `post` returns
    this.#inspector.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      covered = result;
    });
    const counts = Object.entries<CountedFunction>(this.#functions).map(([name, counted]) => [
      name,
      callsOf(covered, counted),
    ]);
    const controllers = this.#controllers;
    this.#controllers = 0;
    return { ...Object.fromEntries(counts), controllers };
  }
}

function callsOf(covered: readonly Profiler.ScriptCoverage[], { file, name }: CountedFunction): number {
  const functions = covered.filter(({ url }) => url.includes(file)).flatMap((script) => script.functions);
  const counts = functions
    .filter(({ functionName }) => functionName === name)
    .map(({ ranges: [whole] }) => whole?.count ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}
