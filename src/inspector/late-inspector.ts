// An inspector that is loaded when somebody first reads: until then it only knows what is alive, so that a gateway always has one.
import type { AnyActorRef } from 'xstate';
import type { RuntimeConfig } from '../core/runtime/config.ts';
import type { InspectedActor, InspectedSystem, PlannedCancel } from '../core/workers/runtime-inspector.ts';
import type {
  InspectedConnections,
  InspectionReader,
  InspectionSource,
  ReaderOptions,
} from '../wire/inspection-source.ts';
import type { Inspector, InspectorOptions } from './inspector.ts';

type RuntimeSide = NonNullable<RuntimeConfig['inspector']>;

export class LateInspector implements RuntimeSide, InspectionSource {
  readonly #loadOptions: () => Promise<InspectorOptions>;
  /** By their roots, in their order: a session comes before its turn trees. */
  readonly #attached = new Map<InspectedActor, InspectedSystem>();
  readonly #connections: InspectedConnections[] = [];
  #loading: Promise<Inspector> | null = null;
  #loaded: Inspector | null = null;

  /** `loadOptions`: called once, when somebody first reads. */
  constructor(loadOptions: () => Promise<InspectorOptions>) {
    this.#loadOptions = loadOptions;
  }

  attach(root: InspectedActor, from: InspectedSystem): void {
    if (this.#loaded) return this.#loaded.attach(root, from);
    this.#attached.set(root, from);
    const forget = () => void this.#attached.delete(root);
    (root as AnyActorRef).subscribe({ complete: forget, error: forget }); // a runtime attaches actors of XState
  }

  planned(cancel: PlannedCancel): void {
    this.#loaded?.planned?.(cancel);
  }

  attachConnections(connections: InspectedConnections): void {
    if (this.#loaded) this.#loaded.attachConnections(connections);
    else this.#connections.push(connections);
  }

  async openReader(options: ReaderOptions): Promise<InspectionReader> {
    return (await this.load()).openReader(options);
  }

  /** Resolves with the inspector itself, to which everything that is alive has been attached. */
  load(): Promise<Inspector> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<Inspector> {
    const [{ createInspector }, options] = await Promise.all([import('./inspector.ts'), this.#loadOptions()]);
    const inspector = createInspector(options);
    for (const connections of this.#connections) inspector.attachConnections(connections);
    for (const [root, from] of this.#attached) inspector.attach(root, from);
    this.#attached.clear();
    this.#loaded = inspector;
    return inspector;
  }
}
