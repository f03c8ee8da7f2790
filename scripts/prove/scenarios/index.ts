// All scenarios of the proof. A new one is added to a list of its kind.
import type { Scenario } from '../world/scenario.ts';
import { agentScenarios } from './agents.ts';
import { callScenarios } from './calls.ts';
import { doorScenarios } from './doors.ts';
import { externalCallScenarios } from './external-calls.ts';
import { modelScenarios } from './models.ts';
import { peopleScenarios } from './people.ts';
import { refScenarios } from './refs.ts';
import { speechModelScenarios } from './speech-model.ts';
import { toolScenarios } from './tools.ts';
import { turnScenarios } from './turns.ts';
import { voiceScenarios } from './voice.ts';
import { waitScenarios } from './waits.ts';

export const scenarios: readonly Scenario[] = [
  ...turnScenarios,
  ...agentScenarios,
  ...callScenarios,
  ...toolScenarios,
  ...waitScenarios,
  ...modelScenarios,
  ...peopleScenarios,
  ...refScenarios,
  ...doorScenarios,
  ...voiceScenarios,
  ...speechModelScenarios,
  ...externalCallScenarios,
];
