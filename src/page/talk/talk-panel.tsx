// The panel of a conversation that is talked to: what is heard, said, paused and cut off, and the level of the microphone. Loaded with the first use.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ClientSession } from '../../client/client-session.ts';
import { browserRecognizer, makerOfRecognizer } from './browser-recognizer.ts';
import { browserVoice } from './browser-voice.ts';
import { Level, type MicrophoneState, useMicrophone } from './microphone.tsx';
import type { TalkDevices } from './speech-contract.ts';
import { type TalkEvent, TalkSession, type TalkSnapshot } from './talk-session.ts';

interface TalkPanelProps {
  readonly session: ClientSession;
  /** The speaker of this page. */
  readonly speaker: string | null;
  readonly onClose: () => void;
}

/** Whether the microphone is used, once the person has decided. */
type Choice = 'undecided' | 'talk' | 'listen';

const consentName = 'belay-talk';

function readConsent(): boolean {
  try {
    return localStorage.getItem(consentName) === 'yes';
  } catch {
    return false;
  }
}

function keepConsent(): void {
  try {
    localStorage.setItem(consentName, 'yes');
  } catch {
    // without storage the question comes again
  }
}

/** Asks before the first use, and then shows what is heard and spoken. */
export function TalkPanel({ session, speaker, onClose }: TalkPanelProps) {
  const [devices] = useState<TalkDevices>(() => ({ recognizer: browserRecognizer(), voice: browserVoice() }));
  const [choice, setChoice] = useState<Choice>(() => {
    if (!devices.recognizer) return 'listen';
    return readConsent() ? 'talk' : 'undecided';
  });
  return (
    <section className="talk" aria-label="Talk">
      {choice === 'undecided' ? (
        <BeforeFirstUse
          onTalk={() => {
            keepConsent();
            setChoice('talk');
          }}
          onListen={devices.voice ? () => setChoice('listen') : null}
        />
      ) : (
        <Talking session={session} speaker={speaker} devices={devices} listens={choice === 'talk'} />
      )}
      <button type="button" className="button button-small" onClick={onClose}>
        End
        <span className="visually-hidden"> talking</span>
      </button>
    </section>
  );
}

interface BeforeFirstUseProps {
  readonly onTalk: () => void;
  /** Reads answers aloud, without the microphone; null: the browser has no voice. */
  readonly onListen: (() => void) | null;
}

/** Says where the sound goes, before the microphone is opened. */
function BeforeFirstUse({ onTalk, onListen }: BeforeFirstUseProps) {
  const start = useRef<HTMLButtonElement>(null);
  useEffect(() => start.current?.focus(), []);
  return (
    <div className="talk-question">
      <p>
        Your browser recognizes speech with a service of its maker: what the microphone hears may be sent to{' '}
        {makerOfRecognizer()}. Belay receives the words only.
      </p>
      <button type="button" className="button button-main" ref={start} onClick={onTalk}>
        Use the microphone
      </button>
      {onListen && (
        <button type="button" className="button" onClick={onListen}>
          Only read answers aloud
        </button>
      )}
    </div>
  );
}

interface TalkingProps extends Omit<TalkPanelProps, 'onClose'> {
  readonly devices: TalkDevices;
  readonly listens: boolean;
}

function Talking({ session, speaker, devices, listens }: TalkingProps) {
  const microphone = useMicrophone(listens);
  const [talk] = useState(() => new TalkSession(session, devices));
  const snapshot = useSyncExternalStore(talk.subscribe, talk.getSnapshot);
  const isReady = !listens || microphone.state !== 'opening';
  const mayListen = listens && microphone.state === 'open';
  useEffect(() => {
    if (!isReady) return;
    talk.start(speaker, mayListen);
    return () => talk.stop();
  }, [talk, speaker, isReady, mayListen]);
  useEscape(snapshot.spoken ? () => talk.skip() : null);
  return (
    <div className="talk-now">
      {microphone.state === 'open' && <Level microphone={microphone.microphone} />}
      <p className="talk-state" role="status">
        {stateText(snapshot, devices, microphone)}
      </p>
      {microphone.state === 'refused' && (
        <p className="problem" role="alert">
          {microphone.problem} Answers are read aloud.
        </p>
      )}
      {snapshot.words !== '' && <p className="talk-words">{snapshot.words}…</p>}
      {snapshot.spoken && <Spoken snapshot={snapshot.spoken} onSkip={() => talk.skip()} />}
      {snapshot.last && <LastEvent event={snapshot.last} />}
    </div>
  );
}

function stateText(
  { spoken, isListening, isSoundIgnored }: TalkSnapshot,
  devices: TalkDevices,
  microphone: MicrophoneState,
): string {
  if (spoken?.isPaused) return 'Paused: you speak.';
  const listens = isSoundIgnored ? 'Words interrupt; sounds do not.' : 'Speak to interrupt.';
  if (spoken) return isListening ? `Speaking. ${listens}` : 'Speaking.';
  if (isListening) return devices.voice ? 'Listening.' : 'Listening. This browser has no voice: answers are written.';
  if (microphone.state === 'opening') return 'Opening the microphone…';
  if (!devices.voice) return 'This browser has no voice, either.';
  return devices.recognizer ? 'Answers are read aloud.' : 'This browser recognizes no speech: answers are read aloud.';
}

interface SpokenProps {
  readonly snapshot: NonNullable<TalkSnapshot['spoken']>;
  readonly onSkip: () => void;
}

/** The text that is spoken, with the place up to which it was heard. */
function Spoken({ snapshot: { text, at, isEstimated, isPaused }, onSkip }: SpokenProps) {
  return (
    <div className={isPaused ? 'talk-spoken talk-paused' : 'talk-spoken'}>
      <p>
        <span className="talk-heard">{text.slice(0, at)}</span>
        {text.slice(at)}
        {isEstimated && <span className="soft"> (place estimated)</span>}
      </p>
      <button type="button" className="button button-small" onClick={onSkip}>
        Skip
        <span className="visually-hidden"> the rest of this answer</span>
      </button>
    </div>
  );
}

const eventTexts: Readonly<Record<TalkEvent['kind'], (text: string) => string>> = {
  said: (text) => `You said: ${text}`,
  stopped: (text) => `You said: ${text} It stops what you may stop.`,
  ignored: (text) => `Not said: ${text}`,
  cut: (text) => text,
  problem: (text) => text,
};

const LastEvent = ({ event: { kind, text } }: { readonly event: TalkEvent }) => (
  <p className={kind === 'problem' ? 'problem' : 'soft'} role={kind === 'problem' ? 'alert' : undefined}>
    {eventTexts[kind](text)}
  </p>
);

/** Calls `onEscape` when Escape is pressed and stops nothing else. */
function useEscape(onEscape: (() => void) | null): void {
  useEffect(() => {
    if (!onEscape) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.repeat) return;
      // after every other listener: a turn that runs is stopped by the same key
      queueMicrotask(() => event.defaultPrevented || onEscape());
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}
