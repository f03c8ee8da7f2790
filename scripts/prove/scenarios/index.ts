// All scenarios of the proof. A new one is added to a list of its kind.
import type { Scenario } from '../scenario.ts';
import { callScenarios } from './calls.ts';
import { refScenarios } from './refs.ts';
import { turnScenarios } from './turns.ts';
import { waitScenarios } from './waits.ts';

export const scenarios: readonly Scenario[] = [...turnScenarios, ...callScenarios, ...refScenarios, ...waitScenarios];
