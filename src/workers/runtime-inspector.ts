// The contract of an inspector with its runtime.
//
// It is declared without XState's types: they do not pass `exactOptionalPropertyTypes`, and users of the package may check declarations.

/** The root of an actor system of XState. */
export interface InspectedActor {
  readonly id: string;
  readonly sessionId: string;
}

/** Is shown the root of each actor system of a session before it starts. */
export interface Inspector {
  /** `parent`: the link that a turn tree hangs on; null for the session's own machine. */
  attach(root: InspectedActor, from: { readonly session: string; readonly parent: InspectedActor | null }): void;
}
