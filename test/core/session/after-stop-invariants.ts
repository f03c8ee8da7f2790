// Invariants of what follows a stop in a random conversation that need its record: its acknowledgement. Those of the log alone: scripts/prove/laws.
import { acknowledgementsIn, signsIn } from '../../../scripts/prove/laws/log-laws.ts';
import type { Invariants } from '../../support/conversation-view.ts';

export const afterStopInvariants: Invariants = {
  'an acknowledgement calls no tool, and has a sign unless it was stopped or the process died': (view) =>
    acknowledgementsIn(view).flatMap(({ turn, cancel }) => {
      if (view.of('tool_call').some((call) => call.turn === turn)) return [`${turn} has called a tool`];
      const outcome = view.of('turn_ended').find((end) => end.turn === turn)?.outcome ?? '';
      const isSigned = signsIn(view).some((sign) => sign.cancel === cancel);
      const { poisoned, killed } = view.record;
      return ['completed', 'failed', 'timed_out'].includes(outcome) && !isSigned && !poisoned && !killed
        ? [`${turn}, ${outcome}, has no sign`]
        : [];
    }),

  'acknowledgements come only where they are configured, and not too often': (view) => {
    const { acknowledge, acknowledgeEveryMs, killed } = view.record;
    const opened = acknowledgementsIn(view);
    if (acknowledge !== 'on' && opened.length > 0) return [`${opened[0]?.turn} with ${acknowledge}`];
    if (acknowledge === 'off' && signsIn(view).length > 0) return [`${signsIn(view)[0]?.type} with off`];
    if (killed) return [];
    return opened.flatMap(({ turn, lane, at }, i) =>
      opened.slice(0, i).some((before) => before.lane === lane && at - before.at < acknowledgeEveryMs)
        ? [`${turn} in ${lane}`]
        : [],
    );
  },
};
