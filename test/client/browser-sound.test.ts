// The player and the recorder of a page, with their real processors in the place of an audio thread, sample by sample.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SoundPlayer, SoundRecorder } from '../../src/client/browser-sound.ts';
import type { SpokenSound } from '../../src/client/session-sound.ts';
import { soundWorklet } from '../../src/client/sound-worklet.ts';

type Message = Readonly<Record<string, unknown>>;

interface Port {
  onmessage: ((event: { readonly data: Message }) => void) | null;
  postMessage(message: Message): void;
}

interface Processor {
  readonly port: Port;
  process(inputs: readonly Float32Array[][], outputs: readonly Float32Array[][]): boolean;
}

/** Two ports, each of which delivers to the other one at once. */
function connectedPorts(): readonly [Port, Port] {
  const ports = [0, 1].map(
    (i): Port => ({
      onmessage: null,
      postMessage: (message) => ports[1 - i]?.onmessage?.({ data: message }),
    }),
  );
  const [one, other] = ports;
  if (!one || !other) throw new Error('There are two.');
  return [one, other];
}

/** What the fake browser has opened. */
class AudioThread {
  readonly processors: Processor[] = [];
  modulesFail = false;
  closedContexts = 0;
  stoppedTracks = 0;

  /** Plays so many milliseconds and returns the samples that are not silent. */
  play(ms: number): readonly number[] {
    const out = new Float32Array(ms * 24);
    for (let at = 0; at < out.length; at += 24) this.processors[0]?.process([], [[out.subarray(at, at + 24)]]);
    return [...out].map((value) => Math.round(value * 32_768)).filter((value) => value !== 0);
  }
}

let thread = new AudioThread();

beforeEach(() => {
  thread = new AudioThread();
  const made = thread;
  let port: Port | null = null;
  const classes = new Map<string, new () => Processor>();
  class WorkletProcessor {
    readonly port = port;
  }
  const register = (name: string, processor: new () => Processor) => classes.set(name, processor);
  new Function('AudioWorkletProcessor', 'registerProcessor', soundWorklet)(WorkletProcessor, register);
  class Node {
    connect(): void {}
    disconnect(): void {}
  }
  class WorkletNode extends Node {
    readonly port: Port;
    constructor(_: object, name: string) {
      super();
      [this.port, port] = connectedPorts();
      const Made = classes.get(name);
      if (Made) made.processors.push(new Made());
    }
  }
  class Context {
    readonly destination = {};
    readonly audioWorklet = {
      addModule: async () => {
        if (made.modulesFail) throw new Error('The policy of the page forbids it.');
      },
    };
    async close(): Promise<void> {
      made.closedContexts += 1;
    }
  }
  const stop = () => {
    made.stoppedTracks += 1;
  };
  vi.stubGlobal('AudioContext', Context);
  vi.stubGlobal('AudioWorkletNode', WorkletNode);
  vi.stubGlobal('MediaStreamAudioSourceNode', Node);
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: async () => ({ getTracks: () => [{ stop }] }) } });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A piece whose samples all are `value`. */
const piece = (turn: string, index: number, ms: number, value: number, fromMs = 0): SpokenSound => ({
  turn,
  index,
  position: fromMs * 24,
  pcm: new Uint8Array(new Int16Array(ms * 24).fill(value).buffer),
});

async function followSession() {
  const player = await SoundPlayer.open({ worklet: 'sound.js' });
  const played: object[] = [];
  const listeners = new Map<string, (frame: object) => void>();
  let speak: (sound: SpokenSound) => void = () => {};
  const session = {
    on: (type: string, listener: (frame: object) => void) => {
      listeners.set(type, listener);
      return () => {};
    },
    played: async (place: object) => void played.push(place),
    transcript: async () => {},
  };
  const onSpeech = (listener: (sound: SpokenSound) => void) => {
    speak = listener;
    return () => {};
  };
  player.follow(session as unknown as Parameters<SoundPlayer['follow']>[0], { onSpeech });
  const notify = (type: string, frame: object) => listeners.get(type)?.(frame);
  return { player, played, speak: (sound: SpokenSound) => speak(sound), notify };
}

describe('SoundPlayer', () => {
  test('reports each block to its end, and the old one not again', async () => {
    const { played, speak } = await followSession();
    speak(piece('a', 0, 250, 1));
    speak(piece('a', 0, 70, 1, 250));
    thread.play(200);
    speak(piece('a', 1, 50, 2));
    thread.play(600);
    expect(played).toEqual([
      { turn: 'a', index: 0, offset: 0 },
      { turn: 'a', index: 1, offset: 0 },
      { turn: 'a', index: 0, ms: 250 },
      { turn: 'a', index: 0, ms: 320 },
      { turn: 'a', index: 1, ms: 50 },
    ]);
  });

  test('reports a voice that is as slow as its speech five times a second, and no more', async () => {
    const { played, speak } = await followSession();
    for (let i = 0; i < 100; i++) {
      speak(piece('a', 0, 20, 1, i * 20));
      thread.play(20);
    }
    thread.play(200);
    expect(played).toHaveLength(1 + 10);
    expect(played.at(-1)).toEqual({ turn: 'a', index: 0, ms: 2_000 });
  });

  test('says how much it had played when it is stopped, and plays the rest of what has only lost the floor', async () => {
    const { played, speak, notify } = await followSession();
    for (let i = 0; i < 10; i++) speak(piece('a', 0, 20, 1, i * 20));
    thread.play(100);
    notify('speech_ended', { turn: 'a', outcome: 'timed_out' });
    expect(thread.play(20)).toHaveLength(20 * 24);
    notify('speech_stop', { turn: 'a', why: 'cancel' });
    expect(played.at(-1)).toEqual({ turn: 'a', index: 0, ms: 120 });
    expect(thread.play(500)).toEqual([]);
  });

  test('plays other speech while one is paused, and goes on with that at its place', async () => {
    const { player, speak } = await followSession();
    speak(piece('a', 0, 40, 1));
    expect(thread.play(10)).toHaveLength(10 * 24);
    player.pause('a');
    speak(piece('b', 0, 20, 2));
    expect(thread.play(100)).toEqual(Array.from({ length: 20 * 24 }, () => 2));
    player.resume('a');
    expect(thread.play(100)).toEqual(Array.from({ length: 30 * 24 }, () => 1));
  });

  test('ends its processor with itself', async () => {
    const { player } = await followSession();
    const [processor] = thread.processors;
    expect(processor?.process([], [[new Float32Array(24)]])).toBe(true);
    await player.close();
    expect(processor?.process([], [[new Float32Array(24)]])).toBe(false);
    expect(thread.closedContexts).toBe(1);
  });
});

describe('SoundRecorder', () => {
  test('leaves nothing open where its module cannot be loaded, or the person refuses', async () => {
    thread.modulesFail = true;
    await expect(SoundRecorder.open(() => {}, { worklet: 'sound.js' })).rejects.toThrow('policy');
    expect([thread.closedContexts, thread.stoppedTracks]).toEqual([1, 0]);
    thread.modulesFail = false;
    const getUserMedia = () => Promise.reject(new Error('Permission denied'));
    vi.stubGlobal('navigator', { mediaDevices: { getUserMedia } });
    await expect(SoundRecorder.open(() => {}, { worklet: 'sound.js' })).rejects.toThrow('Permission denied');
    expect(thread.closedContexts).toBe(2);
  });

  test('releases the microphone, and ends its processor with itself', async () => {
    const recorder = await SoundRecorder.open(() => {}, { worklet: 'sound.js' });
    const [processor] = thread.processors;
    expect(processor?.process([[new Float32Array(24)]], [])).toBe(true);
    await recorder.close();
    expect(processor?.process([[new Float32Array(24)]], [])).toBe(false);
    expect([thread.closedContexts, thread.stoppedTracks]).toEqual([1, 1]);
  });
});
