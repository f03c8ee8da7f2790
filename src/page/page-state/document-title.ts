// The title of the tab: how many questions wait for the speaker, and what the shown session does.
import { useEffect } from 'react';
import { capitalize } from '../../core/words/capitalize.ts';
import type { OverviewSnapshot } from './overview.ts';
import { statusTexts } from './status-text.ts';

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
