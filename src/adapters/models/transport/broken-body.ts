// The error of a body that breaks off. It is apart from what reads bodies: whoever names failures loads no client.

/** The connection was closed before the body had ended. */
export class BrokenBody extends Error {
  override readonly name = 'BrokenBody';
  constructor(cause?: Error) {
    const reason = cause ? `: ${cause.message}` : '';
    super(`The connection broke in the middle of the response${reason}.`, { cause });
  }
}
