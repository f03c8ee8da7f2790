// A recognizer and a voice that a test plays, in place of those of the browser, and the sound of a microphone.

/** Runs in the page before its scripts. `talkTest` is what the test plays them by. */
export const scriptedSpeech = `
  const talkTest = { recognizer: null, utterances: [], current: null, silenced: 0 };
  window.talkTest = talkTest;
  class ScriptedRecognition {
    start() { talkTest.recognizer = this; }
    abort() { if (talkTest.recognizer === this) talkTest.recognizer = null; }
  }
  window.SpeechRecognition = ScriptedRecognition;
  window.webkitSpeechRecognition = ScriptedRecognition;
  Object.defineProperty(window, 'speechSynthesis', { value: {
    speak(utterance) {
      talkTest.utterances.push(utterance.text);
      talkTest.current = utterance;
      queueMicrotask(() => utterance.onstart?.({}));
    },
    cancel() { if (talkTest.current) talkTest.silenced += 1; talkTest.current = null; },
  } });
  talkTest.sound = () => talkTest.recognizer.onspeechstart();
  talkTest.words = (transcript, isFinal, confidence = 0.9) => {
    const result = Object.assign([{ transcript, confidence }], { isFinal });
    talkTest.recognizer.onresult({ resultIndex: 0, results: [result] });
  };
  talkTest.word = (charIndex) => talkTest.current.onboundary({ name: 'word', charIndex });
  talkTest.finish = () => { const { onend } = talkTest.current; talkTest.current = null; onend({}); };
`;

/** The same, in a browser that recognizes no speech. */
export const withoutRecognizer = `${scriptedSpeech}
  delete window.SpeechRecognition;
  delete window.webkitSpeechRecognition;
`;

/** The same, where the person has refused the microphone. */
export const withoutMicrophone = `${scriptedSpeech}
  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
`;

const rate = 16_000;

/** Returns a second of a tone, as a WAV file of 16 bit. */
export function toneFile(): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + rate * 2, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(rate * 2, 40);
  const samples = Buffer.alloc(rate * 2);
  for (let at = 0; at < rate; at++)
    samples.writeInt16LE(Math.round(Math.sin((at / rate) * 2 * Math.PI * 440) * 16_000), at * 2);
  return Buffer.concat([header, samples]);
}
