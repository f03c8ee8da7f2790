// The button that stops a node. While the node is being stopped it offers to do that by force.
import type { NodeView } from '../../client/view/snapshot.ts';
import { useSession, useStopRequest } from './session-context.ts';

interface StopButtonProps {
  readonly node: NodeView;
  /** What is stopped, for a screen reader: "shell", "your turn". */
  readonly name: string;
  /** Whether there is a connection. Without one, a stop is sent as soon as there is. */
  readonly isSeen: boolean;
}

/** Stops a node and everything below it. */
export function StopButton({ node, name, isSeen }: StopButtonProps) {
  const { stops } = useSession();
  const request = useStopRequest(node.id);
  if (node.state === 'settled' || node.state === 'abandoned') return null;
  const isStopping = node.state === 'stopping';
  if (request.kind === 'sent' && !isSeen) return <span className="soft small">stop not confirmed yet</span>;
  return (
    <button
      type="button"
      className="button button-small button-stop"
      aria-disabled={request.kind === 'sent'}
      onClick={() => {
        if (request.kind !== 'sent') void stops.stop(node.id, { force: isStopping });
      }}
    >
      {isStopping ? 'Stop now' : 'Stop'}
      <span className="visually-hidden"> {isStopping ? `${name}, without waiting` : name}</span>
    </button>
  );
}

/** Says that a stop of the target has stopped nothing, and why. */
export function StopRefusal({ target }: { readonly target: string }) {
  const request = useStopRequest(target);
  if (request.kind !== 'refused') return null;
  return (
    <p className="problem" role="alert">
      {request.text}
    </p>
  );
}
