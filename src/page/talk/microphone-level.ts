// The level of the microphone, which shows that it works.

export interface Microphone {
  /** How loud it is just now, from 0 to 1. */
  level(): number;
  close(): void;
}

/** Opens the microphone. Rejects with a sentence for the person where there is none, or the browser refuses it. */
export async function openMicrophone(): Promise<Microphone> {
  const stream = await navigator.mediaDevices
    .getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } })
    .catch((error: DOMException) => {
      const isRefused = error.name === 'NotAllowedError' || error.name === 'SecurityError';
      throw new Error(
        isRefused
          ? 'The browser refuses the microphone. Allow it in the settings of the site.'
          : 'There is no microphone that can be used.',
      );
    });
  const context = new AudioContext();
  void context.resume(); // a browser may start it only after a press
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    level() {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      return Math.min(1, Math.sqrt(power) * 4); // speech is about a quarter of full scale
    },
    close() {
      for (const track of stream.getTracks()) track.stop();
      void context.close();
    },
  };
}
