// The error of a command for a runtime that is closing, and opens no session any more.
export class RuntimeClosing extends Error {
  override readonly name = 'RuntimeClosing';
}
