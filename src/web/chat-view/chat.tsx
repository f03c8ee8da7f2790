// The chat: a conversation that is open, or the beginning of a new one.

import { useConnection } from '../page-state/connection-context.ts';
import type { OpenSession } from '../page-state/page-connection.ts';
import { openRoute } from '../page-state/use-route.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { newSessionId } from './new-session-id.ts';
import { Suggestions } from './suggestions.tsx';

/** A session, or the beginning of one: it is opened with the first words. */
export function Chat({ opened, session }: { readonly opened: OpenSession | null; readonly session: string | null }) {
  const connection = useConnection();
  if (opened) return <Conversation opened={opened} />;
  if (session !== null) return <div className="view" />; // it is being opened
  const say = async (text: string) => {
    const id = newSessionId();
    const { opened: turn } = connection.open(id).session.say(text);
    openRoute({ view: 'chat', session: id });
    return turn;
  };
  return (
    <>
      <div className="view">
        <div className="conversation">
          <Suggestions onSay={say} />
        </div>
      </div>
      <Composer onSay={say} hint="Enter sends. Shift and Enter begin a new line." />
    </>
  );
}
