// The sign-in: a token, or the address with the key that the gateway has printed.
import { type FormEvent, useId, useState } from 'react';
import { BrandMark } from './brand-mark.tsx';
import { type Credentials, typedCredentials } from './page-state/credentials.ts';
import type { SignInNeed } from './page-state/sign-in-need.ts';

interface SignInProps {
  readonly need: SignInNeed;
  readonly onSignIn: (credentials: Credentials) => void;
}

/** Asks for a token or an address with a key. */
export function SignIn({ need, onSignIn }: SignInProps) {
  const field = useId();
  const hint = useId();
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onSignIn(typedCredentials(text));
  };
  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={submit}>
        <div className="brand">
          <BrandMark />
          Belay
        </div>
        <h1>Sign in</h1>
        {need === 'refused' && (
          <p className="problem" role="alert">
            The gateway does not accept this token or key any more. A key is another at each start of the gateway.
          </p>
        )}
        <div>
          <label className="label" htmlFor={field}>
            Token, or the address that the gateway has printed
          </label>
          <input
            id={field}
            className="field"
            type="password"
            autoComplete="off"
            spellCheck={false}
            aria-describedby={hint}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <button className="button button-main" type="submit">
          Sign in
        </button>
        <p id={hint} className="soft small">
          It is kept in this tab only, until the tab is closed. <code>npm start</code> prints an address that opens this
          page signed in.
        </p>
      </form>
    </main>
  );
}
