// `@belay/runtime/inspector`: the relay and the feed of Stately's inspector, for runtimes of one's own. docs/how-to/inspect.md shows both.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

export { createInspector, type InspectionListener, type Inspector, type InspectorOptions } from './inspector.ts';
export { type Relay, type RelayOptions, startRelay } from './relay.ts';
export { StatelyFeed } from './stately-feed.ts';
