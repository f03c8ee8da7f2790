// The chat: a conversation that is open, or the beginning of a new one.

import { useConnection } from '../page-state/connection-context.ts';
import type { OpenSession } from '../page-state/page-connection.ts';
import { openRoute } from '../page-state/use-route.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { newSessionId } from './new-session-id.ts';
import { sayWords } from './say-words.ts';
import { Suggestions } from './suggestions.tsx';

/** A session, or the beginning of one: it is opened with the first words. */
export function Chat({ opened, session }: { readonly opened: OpenSession | null; readonly session: string | null }) {
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
