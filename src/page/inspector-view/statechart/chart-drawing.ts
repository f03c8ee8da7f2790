// The drawing of a statechart as plain data: its states and transitions, each with its place. scripts/drawings makes it of the machine's definition.

/** A rectangle, in units of the drawing. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One way in which an event is handled. */
export interface Handler {
  /** XState's descriptor: `CANCEL`, `xstate.done.actor.call.*`; empty: it needs no event. */
  readonly event: string;
  /** In words: empty, if it always holds. */
  readonly guard: string;
  readonly actions: readonly string[];
}

export interface InitialState {
  readonly path: string;
  /** The arrow to it, from its dot: `x,y x,y`. */
  readonly line: string;
}

export interface DrawnState extends Box {
  /** Below the machine: `acting.interrupted`. */
  readonly path: string;
  readonly name: string;
  readonly kind: 'atomic' | 'compound' | 'final';
  /** Ids of the workers that run while the state is active. */
  readonly invokes: readonly string[];
  readonly initial: InitialState | null;
  /** Events that change no state. */
  readonly handles: readonly Handler[];
  /** The lines in which the box names them. */
  readonly handled: readonly string[];
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  /** The reason why the state does not obey an event, by the event. */
  readonly reasons: Readonly<Record<string, string>>;
}

export interface DrawnTransition {
  /** The paths of both ends: `generating.active→settling`. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** All that leads from the one to the other. */
  readonly handlers: readonly Handler[];
  /** `cancel`: a CANCEL, or a budget that has passed, leads here. `unwinding`: what was stopped goes on its way. */
  readonly stop: 'cancel' | 'unwinding' | null;
  /** The corners of its line: `x,y x,y x,y`. */
  readonly line: string;
  readonly label: (Box & { readonly lines: readonly string[] }) | null;
}

export interface ChartDrawing {
  readonly id: string;
  /** One sentence about the machine. */
  readonly about: string;
  readonly width: number;
  readonly height: number;
  readonly initial: InitialState | null;
  /** Parents before their children. */
  readonly states: readonly DrawnState[];
  readonly transitions: readonly DrawnTransition[];
  /** Events that are handled in every state that does not handle them itself. */
  readonly handles: readonly Handler[];
  readonly reasons: Readonly<Record<string, string>>;
}
