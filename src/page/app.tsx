// The app: signed out it asks for a token, signed in it shows a view beside the list of sessions.
import { useEffect, useState } from 'react';
import { BrandMark } from './brand-mark.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { LinkQuestion } from './link-question.tsx';
import { ConnectionContext, useSpeaker } from './page-state/connection-context.ts';
import {
  areEqual,
  type Credentials,
  forgetCredentials,
  keepCredentials,
  type SignInLink,
} from './page-state/credentials.ts';
import { forgetSessions } from './page-state/known-sessions.ts';
import { PageConnection } from './page-state/page-connection.ts';
import { dropLink, usePastedLink } from './page-state/pasted-link.ts';
import { parseRoute } from './page-state/routing.ts';
import { type SignInNeed, useSignInNeed } from './page-state/sign-in-need.ts';
import { openRoute } from './page-state/use-route.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** The page. */
export function App({ initialCredentials }: { readonly initialCredentials: Credentials }) {
  const [credentials, setCredentials] = useState(initialCredentials);
  const signIn = (given: Credentials) => {
    keepCredentials(given);
    setCredentials(given);
  };
  const follow = ({ credentials: given, route }: SignInLink, isOther: boolean) => {
    dropLink();
    if (isOther) forgetSessions();
    if (areEqual(given, credentials)) {
      if (route !== null) openRoute(parseRoute(route), { replace: true });
      return;
    }
    // without an event: the view is shown to who is signed in next
    if (route !== null) history.replaceState(null, '', route);
    signIn(given);
  };
  const signOut = () => {
    forgetCredentials();
    forgetSessions();
    setCredentials({ kind: 'none' });
  };
  return (
    <ConnectedApp
      key={JSON.stringify(credentials)}
      credentials={credentials}
      signIn={signIn}
      follow={follow}
      signOut={signOut}
    />
  );
}

interface ConnectedAppProps {
  readonly credentials: Credentials;
  readonly signIn: (credentials: Credentials) => void;
  /** Signs in by a link, and goes where it leads. `isOther`: as another speaker. */
  readonly follow: (link: SignInLink, isOther: boolean) => void;
  readonly signOut: () => void;
}

function ConnectedApp({ credentials, ...actions }: ConnectedAppProps) {
  const [connection, setConnection] = useState<PageConnection | null>(null);
  useEffect(() => {
    const opened = new PageConnection(credentials);
    setConnection(opened);
    return () => opened.close();
  }, [credentials]);
  if (!connection) return null;
  return (
    <ConnectionContext value={connection}>
      <SignedIn {...actions} />
    </ConnectionContext>
  );
}

function SignedIn({ signIn, follow, signOut }: Omit<ConnectedAppProps, 'credentials'>) {
  const need: SignInNeed | null = useSignInNeed();
  const speaker = useSpeaker();
  const link = usePastedLink();
  useEffect(() => {
    if (link && need) follow(link, false);
  });
  if (need) return <SignIn need={need} onSignIn={signIn} />;
  // nothing that could be used is shown before the gateway has let somebody in: it may still ask who this is
  if (speaker === null) return <Connecting />;
  return (
    <>
      <Shell onSignOut={signOut} />
      {link && <LinkQuestion key={JSON.stringify(link)} link={link} onAccept={follow} />}
    </>
  );
}

const Connecting = () => (
  <main className="sign-in">
    <div className="connecting">
      <span className="brand">
        <BrandMark />
        Belay
      </span>
      <p className="soft">Connecting to the gateway…</p>
      <ConnectionNotice opened={null} />
    </div>
  </main>
);
