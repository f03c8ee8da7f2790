// The app: signed out it asks for a token, signed in it shows a view beside the list of sessions.
import { useEffect, useState } from 'react';
import { BrandMark } from './brand-mark.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { ConnectionContext, useSpeaker } from './page-state/connection-context.ts';
import { type Credentials, forgetCredentials, keepCredentials } from './page-state/credentials.ts';
import { forgetSessions } from './page-state/known-sessions.ts';
import { PageConnection } from './page-state/page-connection.ts';
import { type SignInNeed, useSignInNeed } from './page-state/sign-in-need.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** The page. */
export function App({ initialCredentials }: { readonly initialCredentials: Credentials }) {
  const [credentials, setCredentials] = useState(initialCredentials);
  const signIn = (given: Credentials) => {
    keepCredentials(given);
    setCredentials(given);
  };
  const signOut = () => {
    forgetCredentials();
    forgetSessions();
    setCredentials({ kind: 'none' });
  };
  return <ConnectedApp key={JSON.stringify(credentials)} credentials={credentials} signIn={signIn} signOut={signOut} />;
}

interface ConnectedAppProps {
  readonly credentials: Credentials;
  readonly signIn: (credentials: Credentials) => void;
  readonly signOut: () => void;
}

function ConnectedApp({ credentials, signIn, signOut }: ConnectedAppProps) {
  const [connection, setConnection] = useState<PageConnection | null>(null);
  useEffect(() => {
    const opened = new PageConnection(credentials);
    setConnection(opened);
    return () => opened.close();
  }, [credentials]);
  if (!connection) return null;
  return (
    <ConnectionContext value={connection}>
      <SignedIn signIn={signIn} signOut={signOut} />
    </ConnectionContext>
  );
}

function SignedIn({ signIn, signOut }: Pick<ConnectedAppProps, 'signIn' | 'signOut'>) {
  const need: SignInNeed | null = useSignInNeed();
  const speaker = useSpeaker();
  if (need) return <SignIn need={need} onSignIn={signIn} />;
  // nothing that could be used is shown before the gateway has let somebody in: it may still ask who this is
  return speaker === null ? <Connecting /> : <Shell onSignOut={signOut} />;
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
