// Types of frames: nothing in a frame is written to after it was made.

export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** `true` when both types have the same fields, equally optional; a mere assignability would let a missing optional field pass. */
export type Equal<A, B> =
  (<T>() => T extends DeepReadonly<A> ? 1 : 2) extends <T>() => T extends DeepReadonly<B> ? 1 : 2 ? true : false;
