// The error of a wrong setting, flag or command.

/** Its message names the field, and the limit if one was passed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
