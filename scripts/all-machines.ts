// Lists the machines that are drawn, each with one sentence about it.
import type { AnyStateMachine } from 'xstate';
import { connectionMachine } from '../machines/connection.ts';
import { responseMachine } from '../machines/response.ts';
import { sessionMachine } from '../machines/session.ts';
import { speechMachine } from '../machines/speech.ts';
import { subAgentMachine } from '../machines/sub-agent.ts';
import { toolCallMachine } from '../machines/tool-call.ts';
import { turnMachine } from '../machines/turn.ts';

export interface DescribedMachine {
  readonly machine: AnyStateMachine;
  readonly about: string;
  /** A link for docs/machines.md. */
  readonly see?: string;
}

export const allMachines: readonly DescribedMachine[] = [
  { machine: connectionMachine, about: 'One socket, from its upgrade to its close.' },
  {
    machine: sessionMachine,
    about: 'The only one that decides: it gives a verdict on each CANCEL once, and queues turns in their lanes.',
  },
  {
    machine: turnMachine,
    about: 'From the words of a speaker until the reply is settled. It goes round: prepare, generate, dispatch, act.',
  },
  { machine: toolCallMachine, about: 'One call of a tool.' },
  { machine: subAgentMachine, about: 'Stands where a tool call would, with a turn of its own below it.' },
  { machine: speechMachine, about: "The bot's speech in a voice session.", see: 'See [voice](voice.md).' },
  {
    machine: responseMachine,
    about: 'One response of a model that hears and speaks, at its provider.',
    see: 'See [voice](voice.md#a-model-that-hears-and-speaks).',
  },
];
