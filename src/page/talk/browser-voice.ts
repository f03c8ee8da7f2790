// The voice of the browser: its `speechSynthesis`.
import type { Voice, VoiceListener } from './speech-contract.ts';

/** Returns the voice of this browser; null: it has none. */
export function browserVoice(): Voice | null {
  return 'speechSynthesis' in window && 'SpeechSynthesisUtterance' in window ? new BrowserVoice() : null;
}

class BrowserVoice implements Voice {
  /** What is spoken; kept, because some browsers forget an utterance that nobody holds, and never end it. */
  #current: SpeechSynthesisUtterance | null = null;

  speak(text: string, listener: VoiceListener): void {
    const utterance = new SpeechSynthesisUtterance(text);
    this.#current = utterance;
    const isCurrent = () => this.#current === utterance;
    utterance.lang = navigator.language;
    utterance.onstart = () => isCurrent() && listener.onStart();
    utterance.onboundary = ({ name, charIndex }) => {
      if (isCurrent() && name !== 'sentence') listener.onBoundary(charIndex);
    };
    utterance.onend = () => {
      if (!isCurrent()) return;
      this.#current = null;
      listener.onEnd();
    };
    utterance.onerror = ({ error }) => {
      if (!isCurrent()) return;
      this.#current = null;
      listener.onProblem(`The voice of the browser cannot speak (${error}).`);
    };
    speechSynthesis.speak(utterance);
  }

  /** Cancels the sound. `pause` would not do: several browsers ignore it, and none takes back what it has prepared. */
  silence(): void {
    this.#current = null;
    speechSynthesis.cancel();
  }
}
