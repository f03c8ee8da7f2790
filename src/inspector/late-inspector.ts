// An inspector that is loaded when somebody first reads: until then it only knows what is alive, so that a gateway always has one.
import type { AnyActorRef } from 'xstate';
import { loadOnce } from '../core/collections/load-once.ts';
import type { RuntimeConfig } from '../core/runtime/config.ts';
import type { InspectedActor, InspectedSystem } from '../core/workers/runtime-inspector.ts';
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
  /** By their roots, in their order: a session comes before its turn trees. Empty as soon as the inspector knows them. */
  readonly #attached = new Map<InspectedActor, InspectedSystem>();
  readonly #connections: InspectedConnections[] = [];
  /** The inspector itself; null: nobody has read. */
  #inspector: Inspector | null = null;
  /** Resolves with the inspector itself, to which everything that is alive has been attached. */
  readonly load = loadOnce(() => this.#load());
  /** The inspector's own, as soon as there is one. */
  planned?: NonNullable<RuntimeSide['planned']>;

  /** `loadOptions`: called when somebody first reads. */
  constructor(loadOptions: () => Promise<InspectorOptions>) {
    this.#loadOptions = loadOptions;
  }

  attach(root: InspectedActor, from: InspectedSystem): void {
    if (this.#inspector) return this.#inspector.attach(root, from);
    this.#attached.set(root, from);
    const forget = () => void this.#attached.delete(root);
    (root as AnyActorRef).subscribe({ complete: forget, error: forget }); // a runtime attaches actors of XState
  }

  attachConnections(connections: InspectedConnections): void {
    if (this.#inspector) this.#inspector.attachConnections(connections);
    else this.#connections.push(connections);
  }

  async openReader(options: ReaderOptions): Promise<InspectionReader> {
    return (await this.load()).openReader(options);
  }

  async #load(): Promise<Inspector> {
    const [{ createInspector }, options] = await Promise.all([import('./inspector.ts'), this.#loadOptions()]);
    const inspector = createInspector(options);
    for (const connections of this.#connections) inspector.attachConnections(connections);
    for (const [root, from] of this.#attached) inspector.attach(root, from);
    this.#attached.clear();
    this.planned = (cancel) => inspector.planned?.(cancel);
    this.#inspector = inspector;
    return inspector;
  }
}
