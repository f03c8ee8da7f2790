// Tells the stops that the terminal does not show: ends of acknowledgements that nobody has asked for.
import { ruleOfCause } from '../../machines/cause-rules.ts';
import { isAcknowledgementTurn } from '../client/view/node-names.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import type { ServerFrameOf } from '../wire/server-frames.ts';

/** Whether it is the end of an acknowledgement that nobody has asked for: newer words have come, or its time was over. */
export const isRoutineStop = (
  source: ServerFrameOf<'cancel_accepted'>['source'],
  nodes: readonly string[],
  snapshot: SessionSnapshot,
): boolean => ruleOfCause(source).isInOrder && nodes.every((node) => isAcknowledgementTurn(snapshot, node));
