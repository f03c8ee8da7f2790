// A conversation: its turns, what is said next, and the key that stops.
import {
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { hasRunningTools } from '../../client/view/live-tree.ts';
import { statusOf } from '../../client/view/node-status.ts';
import { questionWords } from '../../client/view/questions.ts';
import type { SessionSnapshot, TurnView } from '../../client/view/snapshot.ts';
import { targetOf } from '../../core/receipt/cancel-target.ts';
import { useConnection, useSnapshot, useSpeaker } from '../page-state/connection-context.ts';
import { useEscapeTarget } from '../page-state/escape-target.ts';
import { rememberSession } from '../page-state/known-sessions.ts';
import type { OpenSession } from '../page-state/page-connection.ts';
import { Composer, type Manner } from './composer.tsx';
import { wordsOf } from './content-parts.tsx';
import { EarlierButton, useEarlierTurns } from './earlier-turns.tsx';
import { Pending, usePendingWords } from './pending-words.tsx';
import { RoomPanel } from './room-panel.tsx';
import { saidIn } from './said-here.ts';
import { sayWords } from './say-words.ts';
import { ChatSessionContext, type SessionContextValue, useSession } from './session-context.ts';
import { SpeakerName } from './speaker-name.tsx';
import { useStickyScroll } from './sticky-scroll.ts';
import { type StopRequests, stopsOf } from './stop-requests.ts';
import { Suggestions } from './suggestions.tsx';
import { ForkedFrom } from './turn-actions.tsx';
import { TurnList } from './turn-list.tsx';

/** What talks is loaded with the first use. */
const TalkPanel = lazy(async () => ({ default: (await import('../talk/talk-panel.tsx')).TalkPanel }));

/** A session that is open, or that cannot be joined. */
export function Conversation({ opened }: { readonly opened: OpenSession }) {
  const snapshot = useSnapshot(opened);
  const connection = useConnection();
  const refusal = useRefusal(opened);
  const value = useChatSession(opened);
  const roots = snapshot.turns.filter(({ node }) => node.parent === null);
  const pending = usePendingWords();
  const scroll = useStickyScroll();
  const earlier = useEarlierTurns(opened, snapshot.earlierBefore, scroll.box);
  const head = useRef<HTMLDivElement>(null);
  const headPx = useHeight(head);
  const { stop, stopTools, escapeStops } = useOwnStops(snapshot, value.stops);
  useRememberedSession(opened, snapshot, roots);
  const said = useSaidHere(opened);
  const talk = useTalk();
  if (refusal) return <Refused error={refusal} />;
  const say = (text: string, files: readonly File[] = [], manner: Manner = 'say', model: string | null = null) =>
    pending.track(text, (onSent) =>
      said.follow({ text, files }, onSent, (onRef) =>
        sayWords(connection, opened, { text, files, manner, model }, onRef),
      ),
    );
  return (
    <ChatSessionContext value={value}>
      <RoomPanel snapshot={snapshot} />
      <div
        className="view"
        ref={scroll.box}
        onScroll={() => {
          scroll.onScroll();
          earlier.onScroll();
        }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Conversation"
      >
        <div className="conversation" ref={scroll.content}>
          <div className="conversation-head" ref={head}>
            {snapshot.state === 'joined' && roots.length === 0 && <Suggestions onSay={say} />}
            <ForkedFrom session={snapshot.forkedFrom?.session ?? null} />
            {snapshot.room === null && <Speakers names={snapshot.speakers} />}
            <EarlierButton earlier={earlier} />
          </div>
          <TurnList roots={roots} snapshot={snapshot} box={scroll.box} startPx={headPx} />
          <Pending words={pending.words} snapshot={snapshot} />
          <SessionState snapshot={snapshot} />
        </div>
      </div>
      {!scroll.isAtEnd && (
        <button type="button" className="button button-small to-end" onClick={scroll.toEnd}>
          To the end
        </button>
      )}
      <Announcements snapshot={snapshot} />
      {talk.panel}
      <Composer
        onSay={say}
        talkButton={talk.button}
        models={snapshot.models}
        onStop={stop}
        onStopTools={stopTools}
        escapeStops={escapeStops}
        returned={said.returned}
        onTaken={said.onTaken}
      />
    </ChatSessionContext>
  );
}

/** Returns what every component of the conversation reads of its session. */
function useChatSession(opened: OpenSession): SessionContextValue {
  const stops = stopsOf(opened);
  const speaker = useSpeaker();
  const { client } = useConnection();
  const isModerator = client.roles?.includes('moderator') ?? false;
  const canFork = client.features?.includes('fork') ?? false;
  return useMemo(
    () => ({ opened, stops, speaker, isModerator, canFork }),
    [opened, stops, speaker, isModerator, canFork],
  );
}

/** Returns the height of an element, in pixels, and follows it. */
function useHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new ResizeObserver(() => setHeight(current.offsetHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return height;
}

/** Remembers the session by the first words in it, where they are known. */
function useRememberedSession({ id }: OpenSession, snapshot: SessionSnapshot, roots: readonly TurnView[]): void {
  const { earlierBefore, kind: sessionKind } = snapshot;
  const first = earlierBefore === null ? roots.find(({ kind, text }) => kind === 'say' && text) : undefined;
  const words = first ? wordsOf(first.text ?? '', first.parts) || (first.text ?? '') : '';
  useEffect(() => {
    if (sessionKind !== null) rememberSession(id, words);
  }, [id, sessionKind, words]);
}

/** Returns the stops of own work that a person has by a button or by Escape. */
function useOwnStops(snapshot: SessionSnapshot, stops: StopRequests) {
  const speaker = useSpeaker();
  const features = useConnection().client.features ?? [];
  const canStopLane = features.includes('cancel_lane');
  const target = ownTurnToStop(snapshot, speaker, canStopLane);
  const stop = target === null ? null : () => void stops.stop(targetOf(canStopLane ? 'lane' : 'node', target));
  const hasTools = target !== null && features.includes('cancel_tools') && hasRunningTools(snapshot.nodes, target);
  const stopTools = hasTools ? () => void stops.stop(targetOf('tools', target)) : null;
  const escapeStops = useEscapeTarget();
  useEscape(escapeStops === 'tools' ? (stopTools ?? stop) : stop);
  return { stop, stopTools, escapeStops };
}

/** The words that were said here and have come back, and the way to say more that may come back. */
function useSaidHere(opened: OpenSession) {
  const said = saidIn(opened);
  const returned = useSyncExternalStore(said.subscribe, said.getReturned);
  const onTaken = useCallback(() => said.clearReturned(), [said]);
  return { returned, onTaken, follow: said.follow };
}

/** Says that the session is not here yet, or not any more. */
function SessionState({ snapshot: { state, endReason, kind } }: { readonly snapshot: SessionSnapshot }) {
  if (state === 'ended') return <p className="problem">The session has ended: {endReason ?? 'it was left'}.</p>;
  return kind === null ? <p className="soft">Joining the session…</p> : null;
}

function Refused({ error }: { readonly error: Error }) {
  return (
    <div className="view sheet">
      <h2>This session cannot be opened</h2>
      <p className="problem" role="alert">
        {error.message}
      </p>
    </div>
  );
}

/** Why the session could not be joined; null while that is not known, and where it was. */
function useRefusal(opened: OpenSession): Error | null {
  const [refusal, setRefusal] = useState<Error | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void opened.refusal.then((error) => {
      if (isCurrent) setRefusal(error);
    });
    return () => {
      isCurrent = false;
    };
  }, [opened]);
  return refusal;
}

/**
 * The speaker's newest turn that runs, else one that waits: the first, where those behind it are stopped too (`withLane`), or the newest. Null: nothing of the
 * speaker's is to be stopped. The model's words on a stop come last: whoever has said something since means that, and it ends them anyway.
 */
function ownTurnToStop({ turns }: SessionSnapshot, speaker: string | null, withLane: boolean): string | null {
  const own = turns.filter(({ node }) => node.parent === null && node.owner === speaker && node.outcome === null);
  const said = own.filter(({ kind }) => kind !== 'acknowledgement');
  const running = said.findLast(({ node }) => node.state !== 'waiting');
  return (running ?? said.at(withLane ? 0 : -1) ?? own.at(-1))?.node.id ?? null;
}

/** Calls `onStop` when Escape is pressed, wherever the focus is. */
function useEscape(onStop: (() => void) | null): void {
  useEffect(() => {
    if (!onStop) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.repeat || event.defaultPrevented) return;
      event.preventDefault();
      onStop();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}

/** Characters of a question that are read out: its card has all of them. */
const maxAnnouncedChars = 2_000;

/** A polite live region with the last thing that has happened: that a turn has ended, that something asks. Never the text while it streams. */
function Announcements({ snapshot }: { readonly snapshot: SessionSnapshot }) {
  const { speaker } = useSession();
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {announcement(snapshot, speaker)}
    </p>
  );
}

function announcement(snapshot: SessionSnapshot, speaker: string | null): string {
  const question = snapshot.questions.findLast(({ to }) => to === speaker);
  if (question) return `You are asked: ${questionWords(question).slice(0, maxAnnouncedChars)}`;
  const last = snapshot.turns.findLast(({ node }) => node.parent === null);
  if (!last || last.node.state === 'running' || last.node.state === 'waiting') return '';
  const whose = last.node.owner === speaker ? 'Your turn' : `${last.node.owner}'s turn`;
  if (last.node.outcome !== 'completed') return `${whose}: ${statusOf(snapshot, last.node, speaker).text}`;
  return `${whose} has ended. ${last.blocks.at(-1)?.text ?? ''}`;
}

/** Lists who has said something, stopped or answered something here; nothing where that is one person. */
function Speakers({ names }: { readonly names: readonly string[] }) {
  const { speaker } = useSession();
  if (names.filter((name) => name !== speaker).length === 0) return null;
  return (
    <div className="speakers">
      <span aria-hidden="true">Speakers:</span>
      <ul aria-label="Speakers of this session">
        {names.map((name) => (
          <li key={name}>
            <SpeakerName name={name} isYou={name === speaker} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns the button that talks to the conversation, and its panel while it does. */
function useTalk(): { readonly button: ReactNode; readonly panel: ReactNode } {
  const [isTalking, setTalking] = useState(false);
  return {
    button: <TalkButton isTalking={isTalking} onToggle={() => setTalking(!isTalking)} />,
    panel: isTalking && <TalkPlace onClose={() => setTalking(false)} />,
  };
}

interface TalkButtonProps {
  readonly isTalking: boolean;
  readonly onToggle: () => void;
}

/** Nothing at a gateway that does not know the speech of a page. */
function TalkButton({ isTalking, onToggle }: TalkButtonProps) {
  const { client } = useConnection();
  if (!client.features?.includes('own_speech')) return null;
  return (
    <button type="button" className="button" aria-pressed={isTalking} onClick={onToggle}>
      Talk
    </button>
  );
}

function TalkPlace({ onClose }: { readonly onClose: () => void }) {
  const { opened, speaker } = useSession();
  return (
    <Suspense fallback={<p className="talk soft">Loading…</p>}>
      <TalkPanel session={opened.session} speaker={speaker} onClose={onClose} />
    </Suspense>
  );
}
