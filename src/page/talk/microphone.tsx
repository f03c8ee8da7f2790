// The microphone of the page, and its level, which shows that it works.
import { useEffect, useRef, useState } from 'react';

interface Microphone {
  /** How loud it is just now, from 0 to 1. */
  level(): number;
  close(): void;
}

/** Opens the microphone. Rejects with a sentence for the person where there is none, or the browser refuses it. */
async function openMicrophone(): Promise<Microphone> {
  const { mediaDevices } = navigator as { readonly mediaDevices?: MediaDevices }; // a page without https has none
  if (!mediaDevices)
    throw new Error('A browser gives a page no microphone unless its address is 127.0.0.1 or begins with https.');
  const stream = await mediaDevices
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
  const meter = new AnalyserNode(context, { fftSize: 512 });
  context.createMediaStreamSource(stream).connect(meter);
  const samples = new Float32Array(meter.fftSize);
  return {
    level() {
      meter.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      return Math.min(1, Math.sqrt(power) * 4); // speech is about a quarter of full scale
    },
    close() {
      for (const track of stream.getTracks()) track.stop();
      void context.close();
    },
  };
}

export type MicrophoneState =
  | { readonly state: 'none' | 'opening' }
  | { readonly state: 'open'; readonly microphone: Microphone }
  | { readonly state: 'refused'; readonly problem: string };

/** Opens the microphone while it is wanted. */
export function useMicrophone(isWanted: boolean): MicrophoneState {
  const [state, setState] = useState<MicrophoneState>({ state: isWanted ? 'opening' : 'none' });
  useEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    let opened: Microphone | null = null;
    openMicrophone().then(
      (microphone) => {
        if (isOver) return microphone.close();
        opened = microphone;
        setState({ state: 'open', microphone });
      },
      ({ message }: Error) => isOver || setState({ state: 'refused', problem: message }),
    );
    return () => {
      isOver = true;
      opened?.close();
    };
  }, [isWanted]);
  return state;
}

/** Shows that the microphone works. */
export function Level({ microphone }: { readonly microphone: Microphone }) {
  const meter = useRef<HTMLMeterElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      if (meter.current) meter.current.value = microphone.level();
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [microphone]);
  return <meter className="talk-level" ref={meter} min={0} max={1} aria-label="Level of the microphone" />;
}
