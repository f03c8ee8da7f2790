// Requests without a reply, which all reject when the session ends: nobody waits for a session that is gone.

export class UnansweredRequests {
  readonly #rejects = new Set<(error: unknown) => void>();
  /** Null: open. */
  #end: { readonly error: unknown } | null = null;

  /** Settles as the reply does; rejects if the session ends first. */
  add<Reply>(reply: Promise<Reply>): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    promise.catch(() => {}); // a caller that does not wait for the reply must not end the process
    const remove = () => this.#rejects.delete(reject);
    this.#rejects.add(reject);
    reply.then(
      (value) => {
        remove();
        resolve(value);
      },
      (error: unknown) => {
        remove();
        reject(error);
      },
    );
    if (this.#end) reject(this.#end.error);
    return promise;
  }

  get size(): number {
    return this.#rejects.size;
  }

  /** Rejects every later request; those that have no reply yet may still get theirs. */
  refuse(error: unknown): void {
    this.#end = { error };
  }

  close(error: unknown): void {
    this.#end = { error };
    for (const reject of this.#rejects) reject(error);
    this.#rejects.clear();
  }
}
