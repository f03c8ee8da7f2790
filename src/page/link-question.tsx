// The question whether a pasted link signs in somebody else. A link of the same speaker, and one where nobody is signed in, is not asked about.
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { writeOutName } from '../core/text/printable.ts';
import { useConnection, useConnectionState } from './page-state/connection-context.ts';
import type { SignInLink } from './page-state/credentials.ts';
import { speakerOf } from './page-state/page-connection.ts';
import { dropLink } from './page-state/pasted-link.ts';

interface LinkQuestionProps {
  readonly link: SignInLink;
  /** Signs in with the link. `isOther`: as another speaker. */
  readonly onAccept: (link: SignInLink, isOther: boolean) => void;
}

/** Whose the link is. `refused`: the gateway does not accept it. */
type Holder = { readonly kind: 'speaker'; readonly name: string } | { readonly kind: 'refused' };

/** Finds out whose a link is, and asks before it signs in another speaker. */
export function LinkQuestion({ link, onAccept }: LinkQuestionProps) {
  const holder = useHolder(link, () => onAccept(link, false));
  const { client } = useConnection();
  if (holder === null) return null;
  const own = writeOutName(client.speaker ?? '');
  if (holder.kind === 'refused')
    return (
      <Question title="This link signs nobody in." onStay={dropLink} stay="Close">
        The gateway does not accept its token or key. You are still {own} here.
      </Question>
    );
  const other = writeOutName(holder.name);
  return (
    <Question
      title={`Sign in as ${other}?`}
      onStay={dropLink}
      stay={`Stay ${own}`}
      accept={{ name: `Sign in as ${other}`, onPress: () => onAccept(link, true) }}
    >
      You are {own} here.
    </Question>
  );
}

/** Asks the gateway whose the link is; null: not known yet. `onSame`: it is the one who is signed in. */
function useHolder(link: SignInLink, onSame: () => void): Holder | null {
  const { client } = useConnection();
  const { kind } = useConnectionState();
  const [holder, setHolder] = useState<Holder | null>(null);
  const same = useRef(onSame);
  same.current = onSame;
  // biome-ignore lint/correctness/useExhaustiveDependencies: where the gateway was not there, it is asked again when that changes
  useEffect(() => {
    let isCurrent = true;
    speakerOf(link.credentials).then(
      (name) => {
        if (!isCurrent) return;
        if (name === client.speaker) same.current();
        else setHolder(name === null ? { kind: 'refused' } : { kind: 'speaker', name });
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [link, client, kind]);
  return holder;
}

interface QuestionProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly stay: string;
  readonly onStay: () => void;
  readonly accept?: { readonly name: string; readonly onPress: () => void };
}

function Question({ title, children, stay, onStay, accept }: QuestionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={heading}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault(); // the conversation stops a turn with an Escape that is not handled
        onStay();
      }}
    >
      <h2 id={heading}>{title}</h2>
      <p>{children}</p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onStay}>
          {stay}
        </button>
        {accept && (
          <button type="button" className="button button-main" onClick={accept.onPress}>
            {accept.name}
          </button>
        )}
      </div>
    </dialog>
  );
}
