// The error of a command for a runtime that is closing. It has a file of its own, so that declarations which name it do not load those of the runtime.

/** The runtime is closing, and opens no session any more. */
export class RuntimeClosing extends Error {
  override readonly name = 'RuntimeClosing';
}
