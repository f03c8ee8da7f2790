// Plays and records the sound of a session in a browser, in its audio thread (AudioWorklet).
import type { ClientSession } from './client-session.ts';
import type { SessionSound, SpokenSound } from './session-sound.ts';
import { soundWorklet } from './sound-worklet.ts';

/** A node of Web Audio. The types of a browser are not needed: a program of Node that uses the client compiles without them. */
export interface SoundNode {
  connect(to: never): unknown;
  disconnect(): void;
}

/** A context of Web Audio. */
export interface SoundContext {
  readonly audioWorklet: { addModule(address: string): Promise<void> };
  readonly destination: object;
  close?(): Promise<void>;
}

/** A stream of a microphone. */
export interface SoundSource {
  getTracks(): readonly { stop(): void }[];
}

interface WorkletNode extends SoundNode {
  readonly port: {
    onmessage: ((event: { readonly data: never }) => void) | null;
    postMessage(message: object, transfer?: readonly object[]): void;
  };
}

/** The part of a browser that is used. */
interface AudioBrowser {
  readonly AudioContext: new (options: { readonly sampleRate: number }) => SoundContext;
  readonly AudioWorkletNode: new (context: SoundContext, name: string, options: object) => WorkletNode;
  readonly MediaStreamAudioSourceNode: new (
    context: SoundContext,
    options: { readonly mediaStream: SoundSource },
  ) => SoundNode;
  readonly navigator: { readonly mediaDevices: { getUserMedia(wanted: object): Promise<SoundSource> } };
}

/** Returns the browser that this runs in. */
const audioBrowser = () => globalThis as unknown as AudioBrowser; // in Node these classes run in no program: the docs say so

const connectNodes = (from: SoundNode, to: object): void => void from.connect(to as never); // both are nodes of one context

export interface BrowserSoundOptions {
  /** Runs at 24 000 Hz. Default: a new one, which is closed with the player or the recorder. */
  readonly context?: SoundContext | undefined;
  /** The address at which the page serves `soundWorklet`. Default: a blob, which the policy of the page (`script-src`) must allow. */
  readonly worklet?: string | URL | undefined;
}

/** How much of a text block was played. */
export interface PlayedSound {
  readonly turn: string;
  readonly index: number;
  readonly ms: number;
}

const rate = 24_000;
const samplesPerMs = rate / 1_000;
/** Sound between two reports, in milliseconds. The end of what was played is reported in any case. */
const reportEveryMs = 200;

/** Resolves with a context that has the processors. */
async function openContext({ context, worklet }: BrowserSoundOptions): Promise<SoundContext> {
  const opened = context ?? new (audioBrowser().AudioContext)({ sampleRate: rate });
  const blob = worklet ? null : URL.createObjectURL(new Blob([soundWorklet], { type: 'text/javascript' }));
  try {
    await opened.audioWorklet.addModule(String(worklet ?? blob));
  } catch (error) {
    if (context === undefined) await opened.close?.();
    throw error;
  } finally {
    if (blob !== null) URL.revokeObjectURL(blob);
  }
  return opened;
}

/** A message of the processor. */
interface PlayedSamples {
  readonly turn: string;
  readonly index: number;
  readonly samples: number;
  /** Nothing more of the block has come yet, or that of another one is played now. */
  readonly isLast: boolean;
}

/** Plays what the bot speaks: one piece after the other, and is silent at once at a stop. */
export class SoundPlayer {
  readonly #context: SoundContext;
  readonly #node: WorkletNode;
  readonly #isOwn: boolean;
  #unsubscribe: readonly (() => void)[] = [];
  #onPlayed: (played: PlayedSound, how: Pick<PlayedSamples, 'isLast'>) => void = () => {};

  private constructor(context: SoundContext, isOwn: boolean) {
    this.#context = context;
    this.#isOwn = isOwn;
    const { AudioWorkletNode } = audioBrowser();
    this.#node = new AudioWorkletNode(context, 'belay-player', { numberOfInputs: 0, outputChannelCount: [1] });
    connectNodes(this.#node, context.destination);
    this.#node.port.onmessage = ({ data }: { readonly data: PlayedSamples }) =>
      this.#onPlayed({ turn: data.turn, index: data.index, ms: data.samples / samplesPerMs }, data);
  }

  /** Opens a player. A browser plays after the first click or key of the person alone. */
  static async open(options: BrowserSoundOptions = {}): Promise<SoundPlayer> {
    return new SoundPlayer(await openContext(options), options.context === undefined);
  }

  /** The node that plays: for a level meter, or another way than to the loudspeaker. */
  get node(): SoundNode {
    return this.#node;
  }

  /** Plays what is spoken in a session from now on, obeys its stops, and sends PLAYED for what was played. What is asked for from then on is speech of this connection. */
  follow(session: Pick<ClientSession, 'on' | 'played' | 'transcript'>, sound: Pick<SessionSound, 'onSpeech'>): void {
    let [played, reported]: (PlayedSound | null)[] = [null, null];
    const report = (place: { turn: string; index: number } & ({ offset: number } | { ms: number })) =>
      void session.played(place).catch(() => {}); // the session is left, or another connection plays the turn
    const reportPlayed = (now: PlayedSound, { isLast }: Pick<PlayedSamples, 'isLast'>) => {
      const isSame = reported?.turn === now.turn && reported.index === now.index;
      const newMs = now.ms - (isSame ? (reported?.ms ?? 0) : 0);
      if (newMs <= 0 || (!isLast && newMs < reportEveryMs)) return;
      reported = now;
      report(now);
    };
    this.#onPlayed = (now, how) => {
      played = now;
      reportPlayed(now, how);
    };
    const announce = () => void session.transcript('', { final: false }).catch(() => {}); // an older gateway, or a bridge of a text session
    announce();
    this.#unsubscribe = [
      session.on('replayed', announce),
      sound.onSpeech((piece) => {
        if (piece.position === 0) report({ turn: piece.turn, index: piece.index, offset: 0 });
        this.play(piece);
      }),
      session.on('speech_stop', ({ turn, why }) => {
        why === 'barge_in' ? this.pause(turn) : this.drop(turn);
        if (played?.turn === turn) reportPlayed(played, { isLast: true });
      }),
      session.on('speech_resume', ({ turn }) => this.resume(turn)),
      session.on('cancel_accepted', ({ stopping }) => {
        for (const turn of stopping) this.drop(turn);
      }),
      session.on('speech_ended', ({ turn, outcome }) => {
        if (outcome !== 'completed' && outcome !== 'timed_out') this.drop(turn); // what has lost the floor is not cut
      }),
    ];
  }

  play({ turn, index, position, pcm }: SpokenSound): void {
    const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    const samples = Float32Array.from({ length: pcm.length / 2 }, (_, at) => view.getInt16(at * 2, true) / 32_768);
    this.#node.port.postMessage({ type: 'play', turn, piece: { turn, index, position, samples } }, [samples.buffer]);
  }

  /** Is silent where the turn is, until `resume` or `drop`. */
  pause(turn: string): void {
    this.#node.port.postMessage({ type: 'pause', turn });
  }

  resume(turn: string): void {
    this.#node.port.postMessage({ type: 'resume', turn });
  }

  /** Plays nothing more of what it has of the turn. */
  drop(turn: string): void {
    this.#node.port.postMessage({ type: 'drop', turn });
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#node.port.postMessage({ type: 'close' });
    this.#node.disconnect();
    if (this.#isOwn) await this.#context.close?.();
  }
}

export interface RecorderOptions extends BrowserSoundOptions {
  /** What is recorded. Default: the microphone, for which the browser asks the person. */
  readonly source?: SoundSource | SoundNode | undefined;
}

/** Records the microphone in pieces of 20 ms. */
export class SoundRecorder {
  readonly #context: SoundContext;
  readonly #stream: SoundSource | null;
  readonly #source: SoundNode;
  readonly #node: WorkletNode;
  readonly #isOwn: boolean;

  private constructor(context: SoundContext, source: SoundNode, stream: SoundSource | null, isOwn: boolean) {
    this.#context = context;
    this.#source = source;
    this.#stream = stream;
    this.#isOwn = isOwn;
    const { AudioWorkletNode } = audioBrowser();
    this.#node = new AudioWorkletNode(context, 'belay-recorder', { outputChannelCount: [1] });
  }

  /** Starts to record. `onSound`: receives each piece, for `SessionSound.sendSound`. Rejects as `getUserMedia` does. */
  static async open(onSound: (pcm: Uint8Array) => void, options: RecorderOptions = {}): Promise<SoundRecorder> {
    const { source } = options;
    const audio = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    const { MediaStreamAudioSourceNode, navigator } = audioBrowser();
    const context = await openContext(options);
    let recorded = source;
    try {
      recorded ??= await navigator.mediaDevices.getUserMedia({ audio });
      const stream = 'connect' in recorded ? null : recorded;
      const node =
        'connect' in recorded ? recorded : new MediaStreamAudioSourceNode(context, { mediaStream: recorded });
      const recorder = new SoundRecorder(context, node, stream, options.context === undefined);
      recorder.#node.port.onmessage = ({ data }: { readonly data: ArrayBuffer }) => onSound(new Uint8Array(data));
      connectNodes(node, recorder.#node);
      connectNodes(recorder.#node, context.destination); // silent: a processor without a way to the destination does not run
      return recorder;
    } catch (error) {
      if (!source && recorded && 'getTracks' in recorded) for (const track of recorded.getTracks()) track.stop();
      if (options.context === undefined) await context.close?.();
      throw error;
    }
  }

  /** Stops the recording and releases the microphone. */
  async close(): Promise<void> {
    this.#source.disconnect();
    this.#node.port.onmessage = null;
    this.#node.port.postMessage({ type: 'close' });
    this.#node.disconnect();
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    if (this.#isOwn) await this.#context.close?.();
  }
}
