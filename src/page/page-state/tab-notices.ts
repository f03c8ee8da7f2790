// The title of the tab, and the notifications of the browser while nobody looks at the page: what asks the speaker, and what has ended.

import { useEffect, useRef } from 'react';
import { questionWords } from '../../client/view/questions.ts';
import { capitalize } from '../../core/words/capitalize.ts';
import { statusTexts } from '../../core/words/session-status.ts';
import { areNoticesOn } from './notices.ts';
import type { OverviewSnapshot } from './overview.ts';
import { routeHref } from './routing.ts';

interface Notice {
  readonly title: string;
  readonly body: string;
  readonly session: string;
}

const ended: readonly unknown[] = ['stopped', 'failed', 'done'];

/** Returns what is new in a list, as notices. */
export function noticesOf(before: OverviewSnapshot, after: OverviewSnapshot): readonly Notice[] {
  const titleOf = (id: string) => after.sessions?.find(({ session }) => session === id)?.title ?? id;
  const known = new Set(before.questions.map(({ question }) => question.id ?? question.node));
  const asked = after.questions
    .filter(({ question }) => !known.has(question.id ?? question.node))
    .map(({ session, question }) => ({
      session,
      title: `Asks you: ${titleOf(session)}`,
      body: questionWords(question),
    }));
  const ran = new Set(
    before.sessions?.flatMap(({ session, status }) => (status === 'runs' || status === 'asks' ? session : [])),
  );
  const over = (after.sessions ?? []).flatMap(({ session, status }) =>
    status !== null && ran.has(session) && ended.includes(status)
      ? [{ session, title: titleOf(session), body: statusTexts[status] }]
      : [],
  );
  return [...asked, ...over];
}

/** Shows a notification for what is new, while the page is not looked at. */
export function useNotices(snapshot: OverviewSnapshot): void {
  const before = useRef(snapshot);
  useEffect(() => {
    const notices = before.current.sessions === null ? [] : noticesOf(before.current, snapshot);
    before.current = snapshot;
    if (document.hasFocus() || !areNoticesOn()) return;
    for (const { title, body, session } of notices) {
      const shown = new Notification(title, { body: body.slice(0, 200), tag: session });
      shown.onclick = () => {
        focus();
        location.hash = routeHref({ view: 'chat', session });
        shown.close();
      };
    }
  }, [snapshot]);
}

/** Returns the title: `(2 ask you) Runs: the title – Belay`. `session`: the one that is shown. */
export function documentTitle({ sessions, questions }: OverviewSnapshot, session: string | null): string {
  const shown = sessions?.find((each) => each.session === session);
  const asking =
    questions.length === 0 ? '' : `(${questions.length === 1 ? '1 asks' : `${questions.length} ask`} you) `;
  if (!shown) return `${asking}Belay`;
  const { title, status } = shown;
  const state = status === null || status === 'done' || status === 'new' ? '' : `${capitalize(statusTexts[status])}: `;
  return `${asking}${state}${title ?? session} – Belay`;
}

/** Keeps the title of the tab up to date. */
export function useDocumentTitle(snapshot: OverviewSnapshot, session: string | null): void {
  const title = documentTitle(snapshot, session);
  useEffect(() => {
    document.title = title;
  }, [title]);
}
