// Every bound of what a server of tools may take, with its default. Units stand last in the names.

export interface McpLimits {
  /** For a server to start, to introduce itself and to list its tools. */
  readonly startMs: number;
  /** From `notifications/cancelled` until a server that is not trusted is closed, where it has not answered. */
  readonly cancelGraceMs: number;
  /** For a server to leave by itself, when it is closed and nobody waits for it to stop. */
  readonly closeMs: number;
  /** Before a server is started again: this, and twice as long each time it fails, up to the most. */
  readonly restartMinMs: number;
  readonly restartMaxMs: number;
  /** One message of a server; the arguments of a call; what may lie unread in the pipe to a server that is sent one more call. */
  readonly maxFrameBytes: number;
  /** Messages of a server that are no answers. */
  readonly maxFramesPerSecond: number;
  /** What a process may print to stdout in its life that is no message: banners, logs. */
  readonly maxNoiseBytes: number;
  readonly maxTools: number;
  /** Of the input schema of one tool. */
  readonly maxSchemaChars: number;
  readonly maxDescriptionChars: number;
  /** Progress of one call that is shown while it comes. */
  readonly maxLiveChars: number;
}

export const defaultMcpLimits: McpLimits = {
  startMs: 30_000,
  cancelGraceMs: 200, // with the grace of the process ladder (1 000) within the stop budget of a call (1 500)
  closeMs: 1_000,
  restartMinMs: 250,
  restartMaxMs: 10_000,
  maxFrameBytes: 4_194_304,
  maxFramesPerSecond: 1_000,
  maxNoiseBytes: 65_536,
  maxTools: 128,
  maxSchemaChars: 65_536,
  maxDescriptionChars: 8_192,
  maxLiveChars: 65_536,
};

/** The longest delay of a timer: the SDK's own timeouts are put out of the way, ours are the runtime's. */
export const maxTimerMs = 2_147_483_647;
