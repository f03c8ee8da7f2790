// Invariants of the log of every random conversation that need its record, or code of the runtime. Those of the log alone: scripts/prove/laws.
import { isDeepStrictEqual } from 'node:util';
import {
  abandonedLaw,
  budgetLaw,
  listedLaw,
  nothingStartsLaw,
  standingLaw,
  usageLaw,
} from '../../../scripts/prove/laws/stop-laws.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import type { Invariants } from '../../support/conversation-view.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import { receiptPairs } from '../../support/recovered-receipts.ts';

export const logInvariants: Invariants = {
  'nothing is left alive': ({ record: { lives } }) => lives.at(-1)?.left ?? [],

  'a receipt is what recovery makes of the facts before it': ({ log }) =>
    receiptPairs(log).flatMap(({ written, recovered }) =>
      isDeepStrictEqual(written, recovered)
        ? []
        : [`${JSON.stringify(written)}, recovered ${JSON.stringify(recovered)}`],
    ),

  // nodes that a crash has cut are in later plans of every speaker
  'only a speaker with standing stops a node, and such a speaker is not refused': (view) =>
    view.record.poisoned ? [] : standingLaw(view),

  'nothing starts after the cut': ({ record: { lives } }) =>
    lives.flatMap(({ cuts, ran }) =>
      [...cuts].flatMap(([id, cut]) => ((ran.get(id) ?? -1) >= cut.at && !cut.ran ? [id] : [])),
    ),

  'a stopped node was listed by an acceptance': (view) =>
    view.record.poisoned || view.record.killed ? [] : listedLaw(view),

  'a cut turn does not complete': ({ of, record: { lives, poisoned } }) =>
    poisoned
      ? []
      : of('turn_ended').flatMap(({ turn, outcome }) =>
          outcome === 'completed' && lives.some(({ cuts }) => cuts.has(turn)) ? [turn] : [],
        ),

  'a call that ran does not have the effect not_started': ({ of, record: { lives } }) =>
    of('tool_result').flatMap(({ node, effect }) =>
      effect === 'not_started' && lives.some(({ ran }) => ran.has(node)) ? [node] : [],
    ),

  'a call runs only after its start was written': ({ of, record: { lives } }) => {
    const started = new Set(of('tool_started').map(({ node }) => node));
    return lives.flatMap(({ ran }) => [...ran.keys()].filter((id) => !started.has(id)));
  },

  'a stop settles within its budget': (view) => {
    const { poisoned, killed, gaps, shieldMs } = view.record;
    return poisoned || killed || shieldMs === 0
      ? []
      : budgetLaw(view, { mayTakeMs: 1_500 + 250 + (shieldMs ?? 0), gaps });
  },

  'every request pairs its calls and results': ({ record: { lives } }) =>
    lives.flatMap(({ requests }) => requests.flatMap(({ messages }) => pairingProblems(messages))),

  'recovery appends nothing to a log whose turns have all ended': ({ log }) => recover(log).map(({ type }) => type),

  'nothing starts below a node that was cut': (view) => (view.record.poisoned ? [] : nothingStartsLaw(view)),

  'what was abandoned has its end': abandonedLaw,

  'what has streamed was used': usageLaw,
};
