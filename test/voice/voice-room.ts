// A room of ann, bob and carl that the bridge `discord` relays into a voice session, with a virtual clock.
import type { VoiceSettings } from '../../machines/voice.ts';
import type { Caller, FinalWordsReply } from '../../src/core/session/api.ts';
import type { SessionSpec } from '../../src/core/session/session-spec.ts';
import type { BargeInReply, PlayedReply, TranscriptRequest } from '../../src/core/session/voice-api.ts';
import { callerOf, type Harness, type HarnessOptions, startHarness, textResponse } from '../support/harness.ts';

const bridge = callerOf('discord', ['bridge', 'moderator']);

export class VoiceRoom {
  readonly harness: Harness;

  constructor(harness: Harness) {
    this.harness = harness;
  }

  speaker(id: string): Caller {
    return { ...callerOf(id), connection: bridge.connection, via: 'discord' };
  }

  /** Says words that are no transcript; resolves with the turn. */
  say(id: string, text: string): Promise<string> {
    return this.harness.say(text, this.speaker(id));
  }

  /** A transcript of a speaker; final, unless it says otherwise. */
  transcript(id: string, text: string, more: Partial<TranscriptRequest> = {}): Promise<FinalWordsReply> {
    return this.#reply(this.harness.runtime.voice.transcript('s', this.speaker(id), { text, final: true, ...more }));
  }

  bargeIn(id: string, durationMs?: number): Promise<BargeInReply> {
    return this.#reply(this.harness.runtime.voice.bargeIn('s', this.speaker(id), { durationMs }));
  }

  played(turn: string, offset: number, index = 0): Promise<PlayedReply> {
    return this.#reply(this.harness.runtime.voice.played('s', bridge, { turn, index, offset }));
  }

  /** The notices about speech so far, each as one text. */
  get notices(): readonly string[] {
    return this.harness.recorder.speech.map((change) => {
      if (change.type === 'speech_stop') return `stop ${change.turn}: ${change.why} by ${change.by}`;
      if (change.type === 'stop_sound') return `sound by ${change.by}`;
      return `${change.type.replace('speech_', '')} ${change.turn}`;
    });
  }

  /** The messages of the last request of the model, by the model itself. */
  get ownWords(): readonly string[] {
    const { messages = [] } = this.harness.provider.requests.at(-1) ?? {};
    return messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);
  }

  async #reply<T>(reply: Promise<T>): Promise<T> {
    await this.harness.clock.advance(0);
    return reply;
  }
}

export interface VoiceRoomOptions extends HarnessOptions {
  readonly voice?: VoiceSettings;
  readonly spec?: Partial<SessionSpec>;
}

export async function openVoiceRoom({ voice, spec, ...options }: VoiceRoomOptions = {}): Promise<VoiceRoom> {
  const harness = await startHarness({
    session: () => ({ kind: 'voice', ...(voice && { voice }), ...spec }),
    ...options,
  });
  await harness.session.leave(harness.alice.connection, 'left');
  await harness.session.join(bridge, harness.recorder.listener, null);
  const room = new VoiceRoom(harness);
  for (const id of ['ann', 'bob', 'carl']) await harness.session.setSpeaker(room.speaker(id), { present: true });
  return room;
}

/** What the model says to ann, and what of it was played. */
export const answer = 'The first of the four. The second. The third. The last.';
export const heard = 'The first of the four.';

/** A turn of ann whose whole answer is there and of which `heard` was played. */
export async function startSpeaking(options: VoiceRoomOptions = {}): Promise<{ room: VoiceRoom; turn: string }> {
  const room = await openVoiceRoom({ respond: (_, n) => textResponse(n === 0 ? answer : 'ok'), ...options });
  const turn = await room.say('ann', 'Tell me all four.');
  await room.harness.clock.advance(50);
  await room.played(turn, heard.length);
  return { room, turn };
}

/** The cuts of speech that were recorded. */
export const cutsOf = ({ harness }: VoiceRoom) => harness.recorder.of('speech_cut');
