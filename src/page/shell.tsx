// The frame of the page: the list of sessions at the side, a header, and the view that the address names.
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { msSince } from '../core/sources/monotonic-time.ts';
import { BrandMark } from './brand-mark.tsx';
import { Composer } from './chat-view/composer.tsx';
import { Conversation } from './chat-view/conversation.tsx';
import { sayWords } from './chat-view/say-words.ts';
import { stopsOf } from './chat-view/stop-requests.ts';
import { Suggestions } from './chat-view/suggestions.tsx';
import { limitOf, TimeWatch } from './chat-view/time-watch.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { useConnection, useSpeaker } from './page-state/connection-context.ts';
import { rememberSession } from './page-state/known-sessions.ts';
import { newSessionId } from './page-state/new-session-id.ts';
import { OverviewContext, useNewOverview } from './page-state/overview.ts';
import { pageClock } from './page-state/page-clock.ts';
import type { OpenSession } from './page-state/page-connection.ts';
import { type Route, routeHref } from './page-state/routing.ts';
import { useDocumentTitle, useNotices } from './page-state/tab-notices.ts';
import { timeLimits } from './page-state/time-limits.ts';
import { openRoute, useRoute } from './page-state/use-route.ts';
import { useSessionTitles } from './page-state/use-session-titles.ts';
import { QuestionsView } from './questions-view.tsx';
import { SessionList } from './session-list.tsx';
import { Settings } from './settings.tsx';

/** The views of the machines are loaded when they are first shown: the chat does without their code. */
const loadInspector = () => import('./inspector-view/inspector-page.tsx');
const InspectorPage = lazy(async () => ({ default: (await loadInspector()).InspectorPage }));
/** By then the chat is there. A gateway that is gone later cannot send the code. */
const loadInspectorAfterMs = 3_000;
const MachinesPage = lazy(async () => ({ default: (await import('./inspector-view/machines-page.tsx')).MachinesPage }));

/** The page of somebody who is signed in. */
export function Shell({ onSignOut }: { readonly onSignOut: () => void }) {
  const route = useRoute();
  const [isSideOpen, setIsSideOpen] = useState(false);
  const opened = useOpenSession(route);
  const place = routeHref(route);
  const overview = useNewOverview(`${place} ${useWork(opened)}`);
  const listed = useSyncExternalStore(overview.subscribe, overview.getSnapshot);
  useNotices(listed);
  useDocumentTitle(listed, sessionOf(route));
  useEffect(() => pageClock.after(loadInspectorAfterMs, () => void loadInspector().catch(() => {})), []);
  useTimeLimits();
  // on a phone the list covers the view that was just chosen
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what closes it
  useEffect(() => setIsSideOpen(false), [place]);
  return (
    <OverviewContext value={overview}>
      <div className="shell">
        <button type="button" className="skip-link" onClick={() => document.getElementById('main')?.focus()}>
          Skip to the conversation
        </button>
        {isSideOpen && (
          <button type="button" className="curtain" aria-label="Close the list" onClick={() => setIsSideOpen(false)} />
        )}
        <Side isOpen={isSideOpen} current={sessionOf(route)} onSignOut={onSignOut} />
        <main id="main" className="main" tabIndex={-1}>
          <Head route={route} onOpenSide={() => setIsSideOpen(true)} />
          <ConnectionNotice opened={opened} />
          <ErrorBoundary place={place}>
            <View route={route} opened={opened} />
          </ErrorBoundary>
        </main>
      </div>
    </OverviewContext>
  );
}

/** Returns a short text of what runs and asks in the session that is shown: another text means that the list has changed. */
function useWork(opened: OpenSession | null): string {
  return useSyncExternalStore(opened?.view.subscribe ?? neverChanges, () => {
    const { nodes = [], questions = [], title = null, seq = 0 } = opened?.view.getSnapshot() ?? {};
    const running = nodes.filter(({ kind, state }) => kind === 'turn' && state !== 'settled').length;
    return `${running} ${questions.map(({ id, node }) => id ?? node).join()} ${title} ${seq > 0}`;
  });
}

const neverChanges = () => () => {};

function View({ route, opened }: { readonly route: Route; readonly opened: OpenSession | null }) {
  switch (route.view) {
    case 'settings':
      return <Settings />;
    case 'questions':
      return <QuestionsView />;
    case 'inspector':
      return (
        <Suspense fallback={<p className="view sheet soft">The inspector is loaded…</p>}>
          <InspectorPage route={route} />
        </Suspense>
      );
    case 'machines':
      return (
        <Suspense fallback={null}>
          <MachinesPage machine={route.machine} chosen={route.chosen} />
        </Suspense>
      );
    case 'chat':
      return <Chat key={route.session ?? ''} opened={opened} session={route.session} />;
  }
}

interface SideProps {
  readonly isOpen: boolean;
  readonly current: string | null;
  readonly onSignOut: () => void;
}

function Side({ isOpen, current, onSignOut }: SideProps) {
  const speaker = useSpeaker();
  const { credentials } = useConnection();
  return (
    <nav className="side" data-open={isOpen} aria-label="Sessions">
      <div className="side-head">
        <a className="brand" href={routeHref({ view: 'chat', session: null })}>
          <BrandMark />
          Belay
        </a>
      </div>
      <SessionList current={current} />
      <div className="side-foot">
        <span className="side-speaker" title="Who you are here">
          {speaker}
        </span>
        <a className="button button-quiet button-small" href={routeHref({ view: 'settings' })}>
          Settings
        </a>
        {credentials.kind !== 'none' && (
          <button type="button" className="button button-quiet button-small" onClick={onSignOut}>
            Sign out
          </button>
        )}
      </div>
    </nav>
  );
}

function Head({ route, onOpenSide }: { readonly route: Route; readonly onOpenSide: () => void }) {
  const session = useLastSession(route);
  const title = useTitle(route);
  return (
    <header className="head">
      <button type="button" className="button button-quiet only-narrow" aria-label="Sessions" onClick={onOpenSide}>
        ☰
      </button>
      <h1 className="head-title" title={sessionOf(route) ?? undefined}>
        {title}
      </h1>
      <span className="head-space" />
      <nav className="tabs" aria-label="Views">
        <Tab name="Chat" route={{ view: 'chat', session }} isCurrent={route.view === 'chat'} />
        <Tab
          name="Inspector"
          route={{ view: 'inspector', session, place: [] }}
          isCurrent={route.view === 'inspector' || route.view === 'machines'}
        />
      </nav>
    </header>
  );
}

/** The session that the views are about: in those without one it is the one before them, so that the way back leads to it. */
function useLastSession(route: Route): string | null {
  const last = useRef<string | null>(null);
  useEffect(() => {
    if ('session' in route) last.current = route.session;
  }, [route]);
  return 'session' in route ? route.session : last.current;
}

/** Returns the title of the view: that of a session by the first words that were said in it. */
function useTitle(route: Route): string {
  const titles = useSessionTitles();
  if (route.view === 'settings') return 'Settings';
  if (route.view === 'questions') return 'What asks you';
  if (route.view === 'machines') return 'The machines';
  const { session } = route;
  if (session === null) return route.view === 'chat' ? 'New session' : 'All sessions';
  return titles.get(session) || session;
}

interface TabProps {
  readonly name: string;
  readonly route: Route;
  readonly isCurrent: boolean;
}

const Tab = ({ name, route, isCurrent }: TabProps) => (
  <a className="tab" href={routeHref(route)} aria-current={isCurrent ? 'page' : undefined}>
    {name}
  </a>
);

const sessionOf = (route: Route): string | null => ('session' in route ? route.session : null);

/** Joins the session that the address names. */
function useOpenSession(route: Route): OpenSession | null {
  const connection = useConnection();
  const session = route.view === 'chat' ? route.session : null;
  const [opened, setOpened] = useState<OpenSession | null>(null);
  useEffect(() => {
    const joining = session === null ? null : connection.open(session);
    setOpened(joining);
    // also where the view is left before the session is joined: the list has it from now on
    void joining?.refusal.then((error) => {
      if (!error) rememberSession(joining.id, '');
    });
  }, [connection, session]);
  return opened?.id === session ? opened : null;
}

/** A session, or the beginning of one: it is opened with the first words. */
function Chat({ opened, session }: { readonly opened: OpenSession | null; readonly session: string | null }) {
  const connection = useConnection();
  if (opened) return <Conversation opened={opened} />;
  if (session !== null) return <div className="view" />; // it is being opened
  const say = (text: string, files: readonly File[] = []) => {
    const created = connection.open(newSessionId());
    const said = sayWords(connection, created, { text, files, manner: 'say' });
    openRoute({ view: 'chat', session: created.id });
    return said;
  };
  return (
    <>
      <div className="view">
        <div className="conversation">
          <Suggestions onSay={say} />
        </div>
      </div>
      <Composer onSay={say} />
    </>
  );
}

const checkMs = 1_000;

/** Stops the speaker's turns and calls that have run too long, whichever view is shown. A CANCEL is sent once for each. */
function useTimeLimits(): void {
  const { client, openSessions, gatewayTime } = useConnection();
  useEffect(() => {
    const watch = new TimeWatch(gatewayTime);
    let checkedAt = pageClock.elapsed();
    // also without a limit: one that is set later does not count the waits before it either
    return pageClock.every(checkMs, () => {
      const passedMs = msSince(pageClock, checkedAt);
      checkedAt = pageClock.elapsed();
      const limits = timeLimits();
      for (const opened of openSessions()) {
        const snapshot = opened.view.getSnapshot();
        watch.countWaits(snapshot, passedMs);
        for (const node of watch.findOverdue(snapshot, limits, client.speaker))
          void stopsOf(opened).stop(node.id, { reason: `time limit of this browser: ${limitOf(node, limits)} s` });
      }
    });
  }, [client, openSessions, gatewayTime]);
}
