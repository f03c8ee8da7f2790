// A session of an embedded runtime: its commands, and the local sessions of its speakers.

import { roles, type Speaker } from '../../machines/vocabulary.ts';
import { type ReplayOptions, replayStart } from '../client/replay-start.ts';
import type { SpeakerSound } from '../core/contracts/sound.ts';
import type { SessionInfo } from '../core/session/api.ts';
import { speakerNameProblem } from '../core/text/printable.ts';
import { BoundSession } from './bound-session.ts';
import type { LocalOrigin } from './local-origin.ts';
import { LocalSession, type LocalSessionServices } from './local-session.ts';
import { SpeechWriter } from './speech-writer.ts';

export type LocalSessionOptions = ReplayOptions & LocalOrigin;

/** A session of this process. Beside `as` it has the commands that a door of your own is built on: see docs/how-to/embed.md. */
export class EmbeddedSession extends BoundSession {
  readonly #services: LocalSessionServices;

  constructor(services: LocalSessionServices, info: SessionInfo) {
    super(services.runtime, info);
    this.#services = services;
  }

  /**
   * Joins for a speaker: everything that is said and stopped through the local session is the speaker's. The speaker is not verified: do that
   * before. The local session is a member of the session until it leaves.
   *
   * @param speaker A name stands for a speaker with the role `member`.
   * @throws `RangeError` if the name is not good, a role is unknown, or `last` is not.
   */
  as(speaker: string | Speaker, options: LocalSessionOptions = {}): LocalSession {
    const { door, proof } = options;
    return new LocalSession(this.#services, this.id, readSpeaker(speaker), { from: replayStart(options), door, proof });
  }

  /**
   * Subscribes to what the speakers of the session say over connections that send sound: for a recognizer. Resolves with a function that ends it. Nothing of it is logged.
   *
   * @param onSound Called with each piece, in the order of a speaker. An exception of it goes to `warn`.
   */
  async onSound(onSound: (sound: SpeakerSound) => void): Promise<() => void> {
    const { runtime, warn } = this.#services;
    const speaker = (sound: SpeakerSound) => {
      try {
        onSound(sound);
      } catch (error) {
        warn('A listener of sound threw.', error);
      }
    };
    return (await runtime.voice.sound()).subscribe(this.id, { speaker });
  }

  /** Resolves with the writer of the sound of a text block: for a voice. Those who have joined with sound receive it, 300 ms before its time at most, until the speech is stopped. */
  async speak(turn: string, index = 0): Promise<SpeechWriter> {
    const { runtime, clock } = this.#services;
    return new SpeechWriter({ relay: await runtime.voice.sound(), session: this.id, clock }, { turn, index });
  }
}

function readSpeaker(speaker: string | Speaker): Speaker {
  if (typeof speaker === 'string') return readSpeaker({ id: speaker, roles: ['member'] });
  const problem = speakerNameProblem(speaker.id);
  if (problem !== null) throw new RangeError(`The id of a speaker ${problem}.`);
  const unknown = speaker.roles.find((role) => !roles.includes(role));
  if (unknown !== undefined)
    throw new RangeError(`Unknown role of the speaker ${speaker.id}: ${unknown}. The roles are ${roles.join(', ')}.`);
  return { id: speaker.id, roles: speaker.roles };
}
