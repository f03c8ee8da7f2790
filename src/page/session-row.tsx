// A row of the session list: a link to the session with its status and time; its buttons stop, rename and delete it.

import { type FormEvent, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import type { SessionStatus } from '../../machines/vocabulary.ts';
import { listTimeText } from '../core/words/list-time.ts';
import { endedStatus, statusTexts } from '../core/words/session-status.ts';
import { maxTitleChars } from '../wire/frame-limits.ts';
import { useConnection, useSpeaker } from './page-state/connection-context.ts';
import { deleteSession, giveTitle, stopSession } from './page-state/overview.ts';
import { pageClock } from './page-state/page-clock.ts';
import { routeHref } from './page-state/routing.ts';
import { dateText } from './page-state/time-text.ts';
import { openRoute } from './page-state/use-route.ts';

interface SessionRowProps {
  readonly id: string;
  readonly title: string;
  /** As the gateway has listed it; null: not known. */
  readonly status: SessionStatus | null;
  /** The time of its last fact; null: not known. */
  readonly lastAt: number | null;
  readonly isCurrent: boolean;
  readonly onChanged: () => void;
}

/** What the row asks or says below its link. `confirm`: a person has pressed Delete once. */
type RowState =
  | { readonly kind: 'none' | 'confirm' | 'rename' | 'sent' }
  | { readonly kind: 'failed'; readonly message: string };

/** A row of the list. */
export function SessionRow({ id, title, status: listed, lastAt, isCurrent, onChanged }: SessionRowProps) {
  const connection = useConnection();
  const status = useLiveStatus(id) ?? listed;
  const [state, setState] = useState<RowState>({ kind: 'none' });
  const name = title || id;
  const row = useRef<HTMLLIElement>(null);
  useFocusAfter(row, state.kind);
  const close = () => setState({ kind: 'none' });
  const fail = (what: string) => (error: Error) => setState({ kind: 'failed', message: `${what}: ${error.message}` });
  const sendDeletion = () => {
    // the row goes away with the focus in it: the view that follows the current session has it next, else a row beside it
    const beside = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    setState({ kind: 'sent' });
    deleteSession(connection, id).then(() => {
      if (isCurrent) openRoute({ view: 'chat', session: null }, { replace: true });
      else beside?.querySelector<HTMLElement>('.session-link')?.focus();
      onChanged();
    }, fail('Not deleted'));
  };
  const sendTitle = (text: string) =>
    giveTitle(connection, id, text).then(() => {
      close();
      onChanged();
    }, fail('Not renamed'));
  const sendStop = () =>
    stopSession(connection, id).then((left) => {
      if (left !== null) setState({ kind: 'failed', message: left });
      onChanged();
    }, fail('Not stopped'));
  const runs = status === 'runs' || status === 'asks';
  return (
    <li className="session-row" ref={row}>
      <a
        className="session-link"
        href={routeHref({ view: 'chat', session: id })}
        aria-current={isCurrent ? 'page' : undefined}
        title={id}
      >
        <span className="session-title">{name}</span>
        <SessionFacts status={status} lastAt={lastAt} />
      </a>
      {(state.kind === 'none' || state.kind === 'failed') && (
        <div className="session-actions">
          {runs && <RowButton name={`Stop ${name}`} sign="■" kind="stop" onPress={sendStop} />}
          <RowButton name={`Rename ${name}`} sign="✎" kind="rename" onPress={() => setState({ kind: 'rename' })} />
          <RowButton name={`Delete ${name}`} sign="×" kind="delete" onPress={() => setState({ kind: 'confirm' })} />
        </div>
      )}
      {state.kind === 'confirm' && <Confirm onDelete={sendDeletion} onKeep={close} />}
      {state.kind === 'rename' && <Rename title={title} onRename={sendTitle} onKeep={close} />}
      {state.kind === 'failed' && (
        <div className="session-problem">
          <p className="problem" role="alert">
            {state.message}
          </p>
          <button type="button" className="button button-small" onClick={close}>
            Close
          </button>
        </div>
      )}
    </li>
  );
}

/** The status, where it says something, and the time of the last fact. */
function SessionFacts({ status, lastAt }: Pick<SessionRowProps, 'status' | 'lastAt'>) {
  return (
    <span className="session-facts">
      {status !== null && status !== 'done' && (
        <span className="session-status" data-status={status}>
          {statusTexts[status]}
        </span>
      )}
      {lastAt !== null && lastAt > 0 && (
        <time dateTime={new Date(lastAt).toISOString()} title={dateText(lastAt)}>
          {listTimeText(lastAt, pageClock.now())}
        </time>
      )}
    </span>
  );
}

interface RowButtonProps {
  readonly name: string;
  readonly sign: string;
  readonly kind: 'stop' | 'rename' | 'delete';
  readonly onPress: () => void;
}

const RowButton = ({ name, sign, kind, onPress }: RowButtonProps) => (
  <button type="button" className={`session-action session-${kind}`} aria-label={name} title={name} onClick={onPress}>
    <span aria-hidden="true">{sign}</span>
  </button>
);

/** Moves the focus with the question: to the answer that changes nothing or to the field, and back to the button that has asked. */
function useFocusAfter(row: { readonly current: HTMLElement | null }, kind: RowState['kind']): void {
  const before = useRef(kind);
  useEffect(() => {
    if (before.current === kind) return;
    const asked = before.current === 'rename' ? '.session-rename' : '.session-delete';
    before.current = kind;
    const wanted = {
      confirm: '.session-keep',
      rename: 'input',
      none: asked,
      failed: '.session-problem button',
      sent: null,
    }[kind];
    if (wanted !== null) row.current?.querySelector<HTMLElement>(wanted)?.focus();
  }, [row, kind]);
}

/** The status of a session that is open in this tab, as its facts say; null: the list has it. */
function useLiveStatus(id: string): SessionStatus | null {
  const connection = useConnection();
  const speaker = useSpeaker();
  const opened = connection.openSessions().find((each) => each.id === id);
  return useSyncExternalStore(opened?.view.subscribe ?? neverChanges, () => {
    const snapshot = opened?.view.getSnapshot();
    if (snapshot?.state !== 'joined') return null;
    const isModerator = connection.client.roles?.includes('moderator') ?? false;
    if (snapshot.questions.some(({ to }) => to === speaker || isModerator)) return 'asks';
    if (snapshot.nodes.some(({ kind, state }) => kind === 'turn' && state !== 'settled')) return 'runs';
    const last = snapshot.turns.findLast(({ kind, node }) => kind !== 'acknowledgement' && node.parent === null);
    return last?.node.outcome ? endedStatus(last.node.outcome) : null;
  });
}

const neverChanges = () => () => {};

/** Leaves a question of the row by Escape: the conversation stops a turn with an Escape that is not handled. */
const onEscape = (leave: () => void) => (event: { readonly key: string; readonly preventDefault: () => void }) => {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  leave();
};

function Confirm({ onDelete, onKeep }: { readonly onDelete: () => void; readonly onKeep: () => void }) {
  return (
    <fieldset className="session-confirm" aria-label="Delete it for good?" onKeyDown={onEscape(onKeep)}>
      <button type="button" className="button button-small button-stop" onClick={onDelete}>
        Delete for good
      </button>
      <button type="button" className="button button-small session-keep" onClick={onKeep}>
        Keep
      </button>
    </fieldset>
  );
}

interface RenameProps {
  readonly title: string;
  readonly onRename: (title: string) => void;
  readonly onKeep: () => void;
}

function Rename({ title, onRename, onKeep }: RenameProps) {
  const field = useId();
  const [text, setText] = useState(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRename(text);
  };
  return (
    <form className="session-confirm" onSubmit={submit} onKeyDown={onEscape(onKeep)}>
      <label className="visually-hidden" htmlFor={field}>
        Title of the session
      </label>
      <input
        id={field}
        className="field"
        maxLength={maxTitleChars}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit" className="button button-small">
        Rename
      </button>
    </form>
  );
}
