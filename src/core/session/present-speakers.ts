// Publishes who has come into a session, and who has gone.
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import type { SessionListener } from './api.ts';

export class PresentSpeakers {
  #published: ReadonlySet<SpeakerId> = new Set();

  /** Publishes the changes since the last call. `there`: who is there. */
  publish(there: ReadonlySet<SpeakerId>, joined: readonly { readonly listener: SessionListener }[]): void {
    const before = this.#published;
    this.#published = there;
    const changes = [
      ...[...before].filter((id) => !there.has(id)).map((speaker) => ({ speaker, present: false })),
      ...[...there].filter((id) => !before.has(id)).map((speaker) => ({ speaker, present: true })),
    ];
    for (const change of changes) for (const { listener } of joined) listener.presence?.(change);
  }
}
