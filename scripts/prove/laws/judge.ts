// All laws over the evidence of a run.

import { commandLaws } from './command-laws.ts';
import { crashLaws } from './crash-laws.ts';
import type { RunEvidence } from './evidence.ts';
import { logLaws } from './log-laws.ts';
import { LogView } from './log-view.ts';
import { modelLaws } from './model-laws.ts';
import { shieldLaws } from './shield-laws.ts';
import { speechModelLaws } from './speech-model-laws.ts';
import {
  abandonedLaw,
  afterEndLaw,
  budgetLaw,
  laneLaw,
  listedLaw,
  nothingStartsLaw,
  standingLaw,
  toolsGoOnLaw,
  toolsLaw,
  usageLaw,
} from './stop-laws.ts';
import { type WorldLaw, worldLaws } from './world-laws.ts';

/** A law that a run has broken. */
export interface BrokenLaw {
  readonly law: string;
  readonly what: string;
}

const stopLaws: Readonly<Record<string, WorldLaw>> = {
  ...commandLaws,
  ...shieldLaws,
  ...modelLaws,
  ...speechModelLaws,
  'only a speaker with standing stops a node, and such a speaker is not refused': ({ policy }, view) =>
    policy === 'owner' ? standingLaw(view) : [],
  'a stopped node was listed by an acceptance': (_, view) => listedLaw(view),
  'a CANCEL of tools stops tools, and no turn that it names': (_, view) => toolsLaw(view),
  'after a CANCEL of tools the model goes on, and knows who has stopped them': ({ requests }, view) =>
    toolsGoOnLaw(
      view,
      requests.map(({ messages }) => messages.map(({ content }) => content).join('\n')),
    ),
  'a CANCEL of a lane stops what waits behind the turn that it names, and no other turn': (_, view) => laneLaw(view),
  'nothing starts below a node that was cut': (_, view) => nothingStartsLaw(view),
  'a stop settles within its budget': ({ budgetMs, shieldMs, crashes, holds }, view) =>
    budgetLaw(view, {
      mayTakeMs: budgetMs + shieldMs,
      gaps: [...holds, ...crashes.map(({ at, backAt }) => ({ from: at, to: backAt ?? Number.POSITIVE_INFINITY }))],
    }),
  'after the end of a turn come late ends alone': (_, view) => afterEndLaw(view),
  'what was abandoned has its end': ({ isShutDown, calls }, view) =>
    isShutDown ? [] : abandonedLaw(view, new Set(calls.flatMap(({ node, diedAt }) => (diedAt === null ? [] : node)))),
  'what has streamed was used': (_, view) => usageLaw(view),
};

/** The names of all laws. */
export const lawNames: readonly string[] = [
  ...Object.keys(logLaws),
  ...Object.keys(stopLaws),
  ...Object.keys(worldLaws),
  ...Object.keys(crashLaws),
];

/** Returns each violation of a law. */
export function judge(evidence: RunEvidence): readonly BrokenLaw[] {
  const view = new LogView(evidence.log, evidence.moderators);
  const named = (law: string, lines: readonly string[]) => lines.map((what): BrokenLaw => ({ law, what }));
  return [
    ...Object.entries(logLaws).flatMap(([name, law]) => named(name, law(view))),
    ...Object.entries({ ...stopLaws, ...worldLaws, ...crashLaws }).flatMap(([name, law]) =>
      named(name, law(evidence, view)),
    ),
  ];
}
