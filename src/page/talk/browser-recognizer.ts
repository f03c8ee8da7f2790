// The recognizer of the browser: its `SpeechRecognition`, started again whenever it ends by itself.
import type { Recognizer, RecognizerListener } from './speech-contract.ts';

/** The part of `SpeechRecognition` that is used: no types of the web have it. */
interface BrowserRecognition {
  continuous: boolean;
  interimResults: boolean;
  lang: string;
  onspeechstart: (() => void) | null;
  onresult: ((event: RecognitionResultEvent) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  abort(): void;
}

interface RecognitionResultEvent {
  readonly resultIndex: number;
  readonly results: ArrayLike<
    ArrayLike<{ readonly transcript: string; readonly confidence: number }> & { readonly isFinal: boolean }
  >;
}

type RecognitionClass = new () => BrowserRecognition;

/** Ends in a row after which it is not started again, of those without a result and not of silence. */
const maxIdleEnds = 5;

const problems: Readonly<Record<string, string>> = {
  'not-allowed': 'The browser refuses the microphone. Allow it in the settings of the site.',
  'service-not-allowed': 'The browser refuses to recognize speech. Allow it in the settings of the site.',
  'audio-capture': 'There is no microphone.',
  network: 'The recognizer of the browser cannot be reached.',
  'language-not-supported': 'The recognizer of the browser does not know the language of this browser.',
};

function recognitionClass(): RecognitionClass | null {
  const { SpeechRecognition, webkitSpeechRecognition } = window as unknown as Record<string, RecognitionClass>; // of some browsers
  return SpeechRecognition ?? webkitSpeechRecognition ?? null;
}

/** Returns the recognizer of this browser; null: it has none. */
export function browserRecognizer(): Recognizer | null {
  const recognition = recognitionClass();
  return recognition && new BrowserRecognizer(recognition);
}

/** The maker to which the browser's recognizer may send what the microphone hears. */
export function makerOfRecognizer(): string {
  const agent = navigator.userAgent;
  if (agent.includes('Edg/')) return 'Microsoft';
  if (/Chrome|Chromium/.test(agent)) return 'Google';
  return /Safari/.test(agent) ? 'Apple' : 'the maker of the browser';
}

class BrowserRecognizer implements Recognizer {
  readonly #create: RecognitionClass;
  #current: BrowserRecognition | null = null;
  #idleEnds = 0;

  constructor(create: RecognitionClass) {
    this.#create = create;
  }

  start(listener: RecognizerListener): void {
    this.stop();
    this.#idleEnds = 0;
    this.#run(listener);
  }

  stop(): void {
    const recognition = this.#current;
    this.#current = null;
    recognition?.abort();
  }

  #run(listener: RecognizerListener): void {
    const recognition = new this.#create();
    this.#current = recognition;
    const isCurrent = () => this.#current === recognition;
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.lang = navigator.language;
    recognition.onspeechstart = () => isCurrent() && listener.onSpeechStart();
    recognition.onresult = ({ resultIndex, results }) => {
      if (!isCurrent()) return;
      this.#idleEnds = 0;
      for (const result of Array.from(results).slice(resultIndex)) {
        const [best] = Array.from(result);
        // some browsers say 0 where they do not know
        if (best)
          listener.onWords({ text: best.transcript, final: result.isFinal, confidence: best.confidence || null });
      }
    };
    recognition.onerror = ({ error }) => {
      if (error === 'no-speech' && isCurrent()) this.#idleEnds = 0; // it has listened, and nobody spoke
      const problem = problems[error];
      if (problem === undefined || !isCurrent()) return; // silence, and an end that was asked for
      this.stop();
      listener.onProblem(problem);
    };
    recognition.onend = () => {
      if (!isCurrent()) return;
      if (++this.#idleEnds <= maxIdleEnds) return this.#run(listener);
      this.#current = null;
      listener.onProblem('The recognizer of the browser has ended. Switch Talk off and on again.');
    };
    recognition.start();
  }
}
