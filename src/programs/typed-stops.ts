// Stop phrases that are typed: the second one, before the stop has settled, forces the stop, as a second Ctrl-C does.
import type { ClientSession } from '../client/joined-session.ts';

/** Calls `force` when words of this connection repeat a stop that earlier words of it have caused, and that has not settled. */
export function forceTypedStops(session: Pick<ClientSession, 'on'>, force: () => void): void {
  const unsettled = new Set<string>();
  session.on('*', (frame) => {
    if (frame.type === 'cancel_settled') unsettled.delete(frame.cancel);
    if (frame.type !== 'stop_phrase') return;
    if (frame.repeated && unsettled.has(frame.cancel)) force();
    else unsettled.add(frame.cancel);
  });
}
