// A model of the Realtime API at the strict server, with a room that notes what comes to it, for tests of the adapter.

import type { Message } from '../../../../machines/messages.ts';
import {
  type RealtimeEndpointOptions,
  RealtimeModel,
} from '../../../../src/adapters/models/realtime/realtime-model.ts';
import type { ModelEnd, ModelRequest } from '../../../../src/core/contracts/provider.ts';
import { soundMs } from '../../../../src/core/contracts/sound.ts';
import type {
  HeardVoice,
  HeardWords,
  MadeSound,
  SpeechLink,
  SpeechRoom,
  WordsFate,
} from '../../../../src/core/contracts/speech-model.ts';
import { systemSources } from '../../../../src/core/sources/system.ts';
import { RealtimeServer } from '../../../support/realtime/realtime-server.ts';
import type { ServerScript } from '../../../support/realtime/server-script.ts';

const { clock, random } = systemSources;

export class NotingRoom implements SpeechRoom {
  readonly sounds: MadeSound[] = [];
  readonly ended: { readonly turn: string; readonly index: number; readonly chars: number }[] = [];
  readonly voices: HeardVoice[] = [];
  readonly heard: HeardWords[] = [];
  readonly warnings: string[] = [];
  fate: (words: HeardWords) => WordsFate | Promise<WordsFate> = () => 'said';

  voice(voice: HeardVoice): void {
    this.voices.push(voice);
  }

  async words(words: HeardWords): Promise<WordsFate> {
    this.heard.push(words);
    return words.final ? this.fate(words) : 'dropped';
  }

  sound(piece: MadeSound): void {
    this.sounds.push(piece);
  }

  soundEnded(block: { readonly turn: string; readonly index: number; readonly chars: number }): void {
    this.ended.push(block);
  }

  warn(message: string): void {
    this.warnings.push(message);
  }

  msOf(turn: string): number {
    return this.sounds.filter((one) => one.turn === turn).reduce((sum, { pcm }) => sum + soundMs(pcm), 0);
  }
}

/** A model call that runs. */
export interface RunningCall {
  readonly turn: string;
  readonly end: Promise<ModelEnd>;
  text: string;
  abort(): void;
}

export interface LinkedCallOptions {
  readonly index?: number;
  readonly acknowledges?: string;
  readonly agent?: string | null;
  readonly tools?: ModelRequest['tools'];
}

export class LinkedModel implements AsyncDisposable {
  readonly server: RealtimeServer;
  readonly room = new NotingRoom();
  readonly model: RealtimeModel;
  readonly link: SpeechLink;

  constructor(server: RealtimeServer, options: Partial<RealtimeEndpointOptions>) {
    this.server = server;
    this.model = new RealtimeModel({
      baseUrl: options.baseUrl ?? server.baseUrl,
      apiKey: 'the-key-of-the-tests',
      model: 'gpt-realtime-2.1',
      clock,
      random,
      ...options,
    });
    this.link = this.model.open('s', this.room);
  }

  static async start(script: ServerScript, options: Partial<RealtimeEndpointOptions> = {}): Promise<LinkedModel> {
    return new LinkedModel(await RealtimeServer.start(script), options);
  }

  call(turn: string, messages: readonly Message[], options: LinkedCallOptions = {}): RunningCall {
    const { index = 0, agent = null, acknowledges, tools = [] } = options;
    const controller = new AbortController();
    const running = { turn, text: '', abort: () => controller.abort() };
    const call = { id: turn, index, agent, acknowledges };
    const request = { messages, tools, session: 's', call };
    const stream = {
      signal: controller.signal,
      onText: (text: string) => {
        running.text += text;
      },
    };
    return Object.assign(running, { end: this.link.stream(request, stream) });
  }

  /** Has a speaker make sound. */
  speak(speaker: string, sound: readonly Uint8Array[]): void {
    for (const pcm of sound) this.link.hearSound({ speaker, position: 0, pcm });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.link.close();
    await this.server[Symbol.asyncDispose]();
  }
}

export const userMessage = (content: string): Message => ({ role: 'user', content });
export const assistant = (content: string): Message => ({ role: 'assistant', content, calls: [] });

/** Sound of somebody who speaks for so long, and of silence after it. */
export function spokenSound(ms: number, quietMs = 700): readonly Uint8Array[] {
  const frame = (at: number, amplitude: number) => {
    const samples = Int16Array.from({ length: 480 }, (_, i) => amplitude * Math.sin((at * 480 + i) / 8));
    return new Uint8Array(samples.buffer);
  };
  const loud = Array.from({ length: ms / 20 }, (_, at) => frame(at, 9_000));
  return [...loud, ...Array.from({ length: quietMs / 20 }, (_, at) => frame(at, 0))];
}
