// The buttons that take up again what was stopped, and fork from what has ended. Each is off while its command has no reply, and says why it was refused.
import { useState } from 'react';
import type { CallView, TurnView } from '../../client/view/snapshot.ts';
import { wasStopped } from '../../core/words/receipt-words.ts';
import { routeHref } from '../page-state/routing.ts';
import { openRoute } from '../page-state/use-route.ts';
import { useForks, useSessionTitles } from '../page-state/use-session-titles.ts';
import { useSession } from './session-context.ts';

interface ResumeProps {
  readonly turn: TurnView;
}

/** Takes a turn up again from what it has completed; nothing where that cannot be. */
export function ResumeButton({ turn }: ResumeProps) {
  const { opened, speaker, isModerator } = useSession();
  if (!isResumable(turn, speaker, isModerator)) return null;
  return <OnceButton name="Resume" onPress={() => opened.session.resume(turn.node.id).opened} />;
}

/** Makes a session that goes on from the end of a turn, and goes there; nothing where that cannot be. */
export function ForkButton({ turn }: ResumeProps) {
  const { opened, canFork } = useSession();
  if (!canFork || turn.node.outcome === null || turn.kind === 'acknowledgement') return null;
  const fork = () =>
    opened.session.fork(turn.node.id).then(({ fork: session }) => openRoute({ view: 'chat', session }));
  return <OnceButton name="Fork" onPress={fork} />;
}

/** Links to the sessions that were forked from a turn, as far as the speaker may read them. */
export function Forks({ turn }: ResumeProps) {
  const { opened } = useSession();
  const forks = useForks().filter(({ from }) => from.session === opened.id && from.turn === turn.node.id);
  if (forks.length === 0) return null;
  return (
    <p className="soft small">
      Forked:
      {forks.map(({ session }) => (
        <span key={session}>
          {' '}
          <a href={routeHref({ view: 'chat', session })}>{session}</a>
        </span>
      ))}
    </p>
  );
}

/** Says where a fork comes from, with a link back; nothing in any other session. */
export function ForkedFrom({ session }: { readonly session: string | null }) {
  const title = useSessionTitles().get(session ?? '');
  if (session === null) return null;
  return (
    <p className="soft small">
      Forked from <a href={routeHref({ view: 'chat', session })}>{title ?? session}</a>. What comes next is yours.
    </p>
  );
}

interface RunAgainProps extends ResumeProps {
  readonly call: CallView;
}

/** Asks for a call again that was stopped: in its turn, if that can be taken up, else in a new one. */
export function RunAgainButton({ call, turn }: RunAgainProps) {
  const { opened, speaker, isModerator } = useSession();
  if (!wasStopped(call.node.outcome) || turn.node.outcome === null || turn.node.owner !== speaker) return null;
  const text = runAgainText(call);
  const run = () =>
    (isResumable(turn, speaker, isModerator) ? opened.session.resume(turn.node.id, { text }) : opened.session.say(text))
      .opened;
  return <OnceButton name="Run again" detail={call.node.name ?? 'call'} onPress={run} />;
}

interface OnceButtonProps {
  readonly name: string;
  /** Said to a screen reader only. */
  readonly detail?: string;
  readonly onPress: () => Promise<unknown>;
}

function OnceButton({ name, detail, onPress }: OnceButtonProps) {
  const [state, setState] = useState<'ready' | 'sent' | Error>('ready');
  const press = () => {
    if (state === 'sent') return;
    setState('sent');
    onPress().then(
      () => setState('ready'),
      (error: Error) => setState(error),
    );
  };
  return (
    <>
      <button type="button" className="button button-small" aria-disabled={state === 'sent'} onClick={press}>
        {name}
        {detail !== undefined && <span className="visually-hidden"> {detail}</span>}
      </button>
      {state instanceof Error && (
        <span className="problem" role="alert">
          {state.message}
        </span>
      )}
    </>
  );
}

/** Whether a speaker may take up a turn again: it can be, and it is theirs, or they moderate. */
const isResumable = (turn: TurnView, speaker: string | null, isModerator: boolean): boolean =>
  turn.isResumable && (turn.node.owner === speaker || isModerator);

/** Returns the words that ask for a stopped call again. Its arguments stand in them: the model is to change nothing. */
function runAgainText({ node, arguments: text }: CallView): string {
  const what = text === null || text === '' || text === '{}' ? '' : ` with ${text}`;
  return `Run ${node.name ?? 'the call'} again${what}: it was stopped.`;
}
