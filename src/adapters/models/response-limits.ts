// The limits of one response of an endpoint, and the error that names the one that was exceeded. Units stand last in the names.

export const responseLimits = {
  /** Characters of the text. */
  maxTextChars: 1_048_576,
  /** Characters of the arguments of all calls together. */
  maxArgumentsChars: 1_048_576,
  /** Tool calls. */
  maxCalls: 256,
  /** Bytes of the body, framing included. */
  maxBodyBytes: 64 * 1_048_576,
  /** Bytes of the body of an error that are read; the rest is dropped. */
  maxErrorBytes: 65_536,
} as const;

export class OverLimit extends Error {
  override readonly name = 'OverLimit';
  constructor(limit: keyof typeof responseLimits) {
    super(`The response is over the limit ${limit} (${responseLimits[limit]}). Ask for less in one response.`);
  }
}

/** The defaults in milliseconds: local models read a long prompt for minutes, and some endpoints send nothing while a model reasons. */
export const silenceLimits = { firstByteMs: 600_000, idleMs: 300_000 } as const;
