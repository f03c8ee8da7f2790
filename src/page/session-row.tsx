// A row of the session list: a link to the session, and a button that deletes it after a second press.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useConnection } from './page-state/connection-context.ts';
import { routeHref } from './page-state/routing.ts';
import { deleteSession } from './page-state/session-directory.ts';
import { openRoute } from './page-state/use-route.ts';

interface SessionRowProps {
  readonly id: string;
  readonly title: string;
  /** Whether something runs in it, as the gateway has listed it. */
  readonly isActive: boolean;
  readonly isCurrent: boolean;
  readonly onDeleted: () => void;
}

/** The state of the deletion. `confirm`: a person has pressed Delete once. */
type Deletion = { readonly kind: 'none' | 'confirm' | 'sent' } | { readonly kind: 'failed'; readonly message: string };

/** A row of the list. */
export function SessionRow({ id, title, isActive: wasActive, isCurrent, onDeleted }: SessionRowProps) {
  const connection = useConnection();
  const isActive = useActivity(id) ?? wasActive;
  const [deletion, setDeletion] = useState<Deletion>({ kind: 'none' });
  const name = title || id;
  const row = useRef<HTMLLIElement>(null);
  useFocusAfter(row, deletion.kind);
  const sendDeletion = () => {
    // the row goes away with the focus in it: the view that follows the current session has it next, else a row beside it
    const beside = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    setDeletion({ kind: 'sent' });
    deleteSession(connection, id).then(
      () => {
        if (isCurrent) openRoute({ view: 'chat', session: null }, { replace: true });
        else beside?.querySelector<HTMLElement>('.session-link')?.focus();
        onDeleted();
      },
      ({ message }: Error) => setDeletion({ kind: 'failed', message }),
    );
  };
  return (
    <li className="session-row" ref={row}>
      <a
        className="session-link"
        href={routeHref({ view: 'chat', session: id })}
        aria-current={isCurrent ? 'page' : undefined}
        title={id}
      >
        {isActive && (
          <span className="session-active" role="img" aria-label="Something runs in it:">
            ●
          </span>
        )}
        {name}
      </a>
      {deletion.kind === 'none' && (
        <button
          type="button"
          className="session-delete"
          aria-label={`Delete ${name}`}
          onClick={() => setDeletion({ kind: 'confirm' })}
        >
          ×
        </button>
      )}
      {deletion.kind === 'confirm' && <Confirm onDelete={sendDeletion} onKeep={() => setDeletion({ kind: 'none' })} />}
      {deletion.kind === 'failed' && (
        <div className="session-problem">
          <p className="problem" role="alert">
            Not deleted: {deletion.message}
          </p>
          <button type="button" className="button button-small" onClick={() => setDeletion({ kind: 'none' })}>
            Close
          </button>
        </div>
      )}
    </li>
  );
}

/** Moves the focus with the question: to the answer that changes nothing, and back to the button that has asked. */
function useFocusAfter(row: { readonly current: HTMLElement | null }, kind: Deletion['kind']): void {
  const before = useRef(kind);
  useEffect(() => {
    if (before.current === kind) return;
    before.current = kind;
    const wanted = { confirm: '.session-keep', none: '.session-delete', failed: '.session-problem button', sent: null }[
      kind
    ];
    if (wanted !== null) row.current?.querySelector<HTMLElement>(wanted)?.focus();
  }, [row, kind]);
}

/** Whether something runs in a session that is open in this tab, as its facts say; null: it is not open, or there is no connection. */
function useActivity(id: string): boolean | null {
  const opened = useConnection()
    .openSessions()
    .find((each) => each.id === id);
  return useSyncExternalStore(opened?.view.subscribe ?? neverChanges, () => {
    const snapshot = opened?.view.getSnapshot();
    if (snapshot?.state !== 'joined') return null;
    return snapshot.nodes.some(({ kind, state }) => kind === 'turn' && state !== 'settled');
  });
}

const neverChanges = () => () => {};

function Confirm({ onDelete, onKeep }: { readonly onDelete: () => void; readonly onKeep: () => void }) {
  return (
    <fieldset
      className="session-confirm"
      aria-label="Delete it for good?"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault(); // the conversation stops a turn with an Escape that is not handled
        onKeep();
      }}
    >
      <button type="button" className="button button-small button-stop" onClick={onDelete}>
        Delete for good
      </button>
      <button type="button" className="button button-small session-keep" onClick={onKeep}>
        Keep
      </button>
    </fieldset>
  );
}
