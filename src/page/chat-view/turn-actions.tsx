// The buttons that take up again what was stopped. Each is off while its command has no reply, and says why it was refused.
import { useState } from 'react';
import type { Turn } from '../../client/turn-in-flight.ts';
import type { CallView, TurnView } from '../../client/view/snapshot.ts';
import { wasStopped } from '../../core/words/receipt-words.ts';
import { useSession } from './session-context.ts';

interface ResumeProps {
  readonly turn: TurnView;
}

/** Takes a turn up again from what it has completed; nothing where that cannot be. */
export function ResumeButton({ turn }: ResumeProps) {
  const { opened, speaker, isModerator } = useSession();
  if (!isResumable(turn, speaker, isModerator)) return null;
  return <OnceButton name="Resume" onPress={() => opened.session.resume(turn.node.id)} />;
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
    isResumable(turn, speaker, isModerator) ? opened.session.resume(turn.node.id, { text }) : opened.session.say(text);
  return <OnceButton name="Run again" detail={call.node.name ?? 'call'} onPress={run} />;
}

interface OnceButtonProps {
  readonly name: string;
  /** Said to a screen reader only. */
  readonly detail?: string;
  readonly onPress: () => Turn;
}

function OnceButton({ name, detail, onPress }: OnceButtonProps) {
  const [state, setState] = useState<'ready' | 'sent' | Error>('ready');
  const press = () => {
    if (state === 'sent') return;
    setState('sent');
    onPress().opened.then(
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
