// The limits of a server of tools, with their defaults. Units stand last in the names.

export interface McpLimits {
  /** How long a server may take to start and introduce itself, by each start that it may follow, and how long to list its tools. */
  readonly startMs: number;
  /** From `notifications/cancelled` until a server that is not trusted, and has not responded, is closed. */
  readonly cancelGraceMs: number;
  /** How long a server that is closed may take to exit, or to end its session, before it is terminated. */
  readonly closeMs: number;
  /** The wait before the restart after a first failure; it doubles with each further one. */
  readonly restartMinMs: number;
  /** The longest wait before a restart. */
  readonly restartMaxMs: number;
  /** Bytes of one message of a server, of a call's arguments, and of what the pipe to a server may hold before a call is sent. */
  readonly maxFrameBytes: number;
  /** Messages of a server that are no response to a request. */
  readonly maxFramesPerSecond: number;
  /** Bytes of all lines on the stdout of a process that are no messages: greetings, logs. */
  readonly maxNoiseBytes: number;
  /** The tools of one server that are used. */
  readonly maxTools: number;
  /** Characters of the input schema of one tool. */
  readonly maxSchemaChars: number;
  /** Characters of the description of one tool; the rest is cut off. */
  readonly maxDescriptionChars: number;
  /** Characters of what a server says about the use of its tools; the rest is cut off. */
  readonly maxInstructionsChars: number;
  /** Characters of the progress of one call that is shown live, without the line that says that there is more. */
  readonly maxLiveChars: number;
}

export const defaultMcpLimits: McpLimits = {
  startMs: 30_000,
  cancelGraceMs: 200, // with the grace of a process (1 000) less than the stop budget of a call (1 500)
  closeMs: 1_000,
  restartMinMs: 250,
  restartMaxMs: 10_000,
  maxFrameBytes: 4_194_304,
  maxFramesPerSecond: 1_000,
  maxNoiseBytes: 65_536,
  maxTools: 128,
  maxSchemaChars: 65_536,
  maxDescriptionChars: 8_192,
  maxInstructionsChars: 4_096,
  maxLiveChars: 65_536,
};

/** How long a request to a model waits for servers that start, or list changed tools, in milliseconds. */
export const defaultReadyMs = 3_000;

/** The longest delay of a timer: for the SDK's own timeouts, which are not used. */
export const maxTimerMs = 2_147_483_647;
