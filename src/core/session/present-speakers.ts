// Publishes who has come into a session, and who has gone.
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import type { SessionListener } from './api.ts';

export class PresentSpeakers {
  #published: ReadonlySet<SpeakerId> = new Set();

  /** Publishes the changes since the last call. `now`: who is there. */
  publish(now: ReadonlySet<SpeakerId>, joined: readonly { readonly listener: SessionListener }[]): void {
    const before = this.#published;
    this.#published = now;
    const changes = [
      ...[...before].filter((id) => !now.has(id)).map((speaker) => ({ speaker, present: false })),
      ...[...now].filter((id) => !before.has(id)).map((speaker) => ({ speaker, present: true })),
    ];
    for (const change of changes) for (const { listener } of joined) listener.presence?.(change);
  }
}
