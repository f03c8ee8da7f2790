// The error of a command for a runtime that is closing. In a file of its own: the declarations of the package need no more of the runtime.

/** The runtime is closing, and opens no session any more. */
export class RuntimeClosing extends Error {
  override readonly name = 'RuntimeClosing';
}
