// Words that are edited and said again: in a fork of the session that has what there was before them.
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { TurnView } from '../../client/view/snapshot.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { newSessionId } from '../page-state/new-session-id.ts';
import type { PageConnection } from '../page-state/page-connection.ts';
import { openRoute } from '../page-state/use-route.ts';
import { readBytes } from './blobs.ts';
import { sayWords } from './say-words.ts';
import { useSession } from './session-context.ts';

/** Opens the form. */
export function EditButton({ onPress }: { readonly onPress: () => void }) {
  const { canFork } = useSession();
  if (!canFork) return null;
  return (
    <button type="button" className="button button-quiet button-small edit" onClick={onPress}>
      Edit
      <span className="visually-hidden"> what you said, and say it again</span>
    </button>
  );
}

interface EditFormProps {
  readonly turn: TurnView;
  readonly words: string;
  /** The turn that the fork ends with; null: it begins with the edited words. */
  readonly previous: string | null;
  readonly onClose: () => void;
}

/** A field with the words. Nothing of this session changes. */
export function EditForm({ turn, words, previous, onClose }: EditFormProps) {
  const connection = useConnection();
  const { opened } = useSession();
  const [text, setText] = useState(words);
  const [state, setState] = useState<'ready' | 'sent' | Error>('ready');
  const field = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  useEffect(() => field.current?.focus(), []);
  const isOff = state === 'sent' || text.trim() === '';
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isOff) return;
    setState('sent');
    sayAgain()
      .then((session) => openRoute({ view: 'chat', session }))
      .catch((error: Error) => setState(error));
  };
  const sayAgain = async () => {
    const files = await filesOf(connection, opened.id, turn);
    const id = previous === null ? newSessionId() : (await opened.session.fork(previous)).fork;
    await sayWords(connection, connection.open(id), { text, files, manner: 'say' });
    return id;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault(); // the conversation stops a turn with an Escape that is not handled
      onClose();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <form className="edit-form" onSubmit={submit}>
      <textarea
        ref={field}
        className="field"
        aria-label="Your words"
        aria-describedby={hint}
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <p id={hint} className="soft small">
        They are said in a session of their own, which has what there was before. This one stays as it is.
      </p>
      <div className="edit-actions">
        <button type="button" className="button button-small" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button button-small button-main" aria-disabled={isOff}>
          Say again
        </button>
      </div>
      {state instanceof Error && (
        <p className="problem" role="alert">
          Not said: {state.message}
        </p>
      )}
    </form>
  );
}

/** Reads the pictures, sounds and files that were said with the words: the fork does not have those of a turn that it leaves out. */
function filesOf(connection: PageConnection, session: string, { parts }: TurnView): Promise<readonly File[]> {
  const media = parts.filter((part) => part.type !== 'text');
  return Promise.all(
    media.map(async ({ blob, mediaType, name, type }) => {
      const bytes = await readBytes(connection, session, blob);
      return new File([bytes], name ?? type, { type: mediaType });
    }),
  );
}
