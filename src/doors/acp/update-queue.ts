// Sends the updates of a session to the client, one after the other. Texts that wait are joined: a slow reader gets fewer and longer ones.
import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** An update, or one that is being prepared; null: there is nothing to send after all. */
export type QueuedUpdate = SessionUpdate | Promise<SessionUpdate | null>;

export class UpdateQueue {
  readonly #send: (update: SessionUpdate) => Promise<void>;
  #waiting: QueuedUpdate[] = [];
  #sending: Promise<void> | null = null;

  /** @param send Resolves when the update is written. Its rejection is ignored: the client is gone, and the program shuts down. */
  constructor(send: (update: SessionUpdate) => Promise<void>) {
    this.#send = send;
  }

  push(update: QueuedUpdate): void {
    const last = this.#waiting.at(-1);
    const joined = last === undefined ? null : joinTexts(last, update);
    if (joined) this.#waiting[this.#waiting.length - 1] = joined;
    else this.#waiting.push(update);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when everything that was pushed by now is written. */
  async drained(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
  }

  async #sendAll(): Promise<void> {
    await null; // what comes in the same tick is joined
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      const update = await Promise.resolve(next).catch(() => null);
      if (update) await this.#send(update).catch(() => {});
    }
    this.#sending = null;
  }
}

/** Returns two texts of the same kind as one; null: they are none. */
function joinTexts(first: QueuedUpdate, second: QueuedUpdate): SessionUpdate | null {
  if (first instanceof Promise || second instanceof Promise) return null;
  if (first.sessionUpdate !== 'agent_message_chunk' && first.sessionUpdate !== 'agent_thought_chunk') return null;
  if (second.sessionUpdate !== first.sessionUpdate) return null;
  if (first.content.type !== 'text' || second.content.type !== 'text') return null;
  return { ...first, content: { type: 'text', text: first.content.text + second.content.text } };
}
