// The contract of what recognizes speech, and of the voice that speaks, for the page: a browser's own, or another one.

/** Words of the person, as far as they are recognized. */
export interface RecognizedWords {
  readonly text: string;
  /** Whether they are final; false: the recognizer may still change them. */
  readonly final: boolean;
  /** How sure it is of them, from 0 to 1; null: it does not say. */
  readonly confidence: number | null;
}

export interface RecognizerListener {
  /** Somebody has begun to speak. */
  onSpeechStart(): void;
  onWords(words: RecognizedWords): void;
  /** It recognizes nothing any more. `problem`: a sentence for the person. */
  onProblem(problem: string): void;
}

export interface Recognizer {
  /** Recognizes until `stop` is called, over any number of sentences. */
  start(listener: RecognizerListener): void;
  stop(): void;
}

export interface VoiceListener {
  /** The first sound. */
  onStart(): void;
  /** A word begins at this position of the text, in UTF-16 code units. Some voices never say. */
  onBoundary(at: number): void;
  onEnd(): void;
  onProblem(problem: string): void;
}

export interface Voice {
  /** Speaks one text after the other: only while nothing else is spoken. */
  speak(text: string, listener: VoiceListener): void;
  /** Is silent at once. The listener is not called any more. */
  silence(): void;
}

/** What there is to talk with; null: there is none. */
export interface TalkDevices {
  readonly recognizer: Recognizer | null;
  readonly voice: Voice | null;
}
