// The contract between an inspector and its runtime.
//
// It is declared without XState's types: they do not pass `exactOptionalPropertyTypes`, and users of the package may check declarations.

/** The root of an actor system of XState. */
export interface InspectedActor {
  readonly id: string;
  readonly sessionId: string;
}

export interface Inspector {
  /** Called with the root of each actor system of a session before it starts. `parent`: the link that the turn tree belongs to; null for the session's own machine. */
  attach(root: InspectedActor, from: { readonly session: string; readonly parent: InspectedActor | null }): void;
}
