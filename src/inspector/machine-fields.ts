// The visible fields of the machines' events and contexts.
//
// Everything is denied that is not named here: an event that is not in the table has its type and no fields.
import type { AnyEventObject } from 'xstate';
import { answerCodes, failureCodes, refusalCodes } from '../../machines/codes.ts';
import { causeSources, effects, outcomeKinds } from '../../machines/vocabulary.ts';
import type { VisibleFields } from '../protocol/inspection.ts';
import {
  field,
  pickId,
  pickIds,
  pickNumber,
  pickOneOf,
  pickText,
  pickTrue,
  type Visibility,
} from './visible-fields.ts';

const kinds = new Set<unknown>([...outcomeKinds, 'ended_late', 'go', 'stopped']);
const sources = new Set<unknown>(causeSources);
const effectSet = new Set<unknown>(effects);
const answers = new Set<unknown>(['approved', 'denied', 'answered']);
const codes = new Set<unknown>(Object.keys({ ...failureCodes, ...refusalCodes, ...answerCodes }));

/** How work ended: an outcome, or what a worker resolves with. */
function endOf(end: unknown, visibility: Visibility): VisibleFields {
  const calls = field(end, 'calls');
  return {
    ...pickOneOf(kinds, 'kind', field(end, 'kind')),
    ...pickOneOf(effectSet, 'effect', field(end, 'effect')),
    ...pickOneOf(codes, 'code', field(end, 'code')),
    ...pickTrue('forced', field(end, 'forced')),
    ...pickNumber('ms', field(end, 'ms')),
    ...pickText('text', field(end, 'text'), visibility),
    ...pickText('output', field(end, 'output'), visibility),
    ...pickText('message', field(end, 'message'), visibility),
    ...pickNumber('calls', Array.isArray(calls) ? calls.length : null),
  };
}

function causeOf(cause: unknown, visibility: Visibility): VisibleFields {
  return {
    ...pickOneOf(sources, 'source', field(cause, 'source')),
    ...pickId('by', field(cause, 'by')),
    ...pickId('target', field(cause, 'target')),
    ...pickText('reason', field(cause, 'reason'), visibility),
  };
}

const turnOf = (event: unknown, visibility: Visibility): VisibleFields => {
  const turn = field(event, 'turn');
  return {
    ...pickId('turn', field(turn, 'id')),
    ...pickId('owner', field(turn, 'owner')),
    ...pickText('text', field(turn, 'text'), visibility),
  };
};

/** Picks the visible fields of an event; `node` is that of the actor that receives it. */
type PickFields = (event: unknown, visibility: Visibility, node: string | null) => VisibleFields;

/** To the session a CANCEL carries the command; further down it carries the plan, in which each node has a cause of its own. */
const cancelFields: PickFields = (event, visibility, node) => {
  const command = field(event, 'command');
  const plan = field(event, 'plan');
  const stop = field(plan, 'stop');
  const refused = field(plan, 'refused');
  return {
    ...pickId('cancel', field(command, 'cancel')),
    ...causeOf(command ?? (stop instanceof Map ? stop.get(node) : null), visibility),
    ...pickId('by', field(field(command, 'by'), 'id')),
    ...pickTrue('force', field(command, 'force')),
    ...pickIds('stop', stop),
    ...pickIds('pending', field(plan, 'pending')),
    ...pickIds('refused', Array.isArray(refused) ? refused.map((refusal) => field(refusal, 'node')) : null),
    ...pickIds('detached', field(plan, 'detached')),
  };
};

const events: Readonly<Record<string, PickFields>> = {
  CANCEL: cancelFields,
  SAY: (event, visibility) => ({ ...turnOf(event, visibility), ...pickId('lane', field(event, 'lane')) }),
  SPAWN: turnOf,
  ANSWER: (event, visibility) => ({
    ...pickOneOf(answers, 'answer', field(event, 'answer')),
    ...pickId('by', field(field(event, 'by'), 'id')),
    ...pickId('target', field(event, 'target')),
    ...pickText('text', field(event, 'text'), visibility),
  }),
  OUTCOME: (event, visibility) => ({
    ...pickId('node', field(event, 'node')),
    ...endOf(field(event, 'outcome'), visibility),
  }),
  NODE_CRASHED: (event) => pickId('node', field(event, 'node')),
  TURN_GONE: (event) => pickId('node', field(event, 'node')),
  CHILD_GONE: (event) => pickId('node', field(event, 'node')),
};
const doneFields: PickFields = (event, visibility) => endOf(field(event, 'output'), visibility);
const noFields: PickFields = () => ({});

/** Returns the visible fields of an event that the actor of `node` receives. */
export function eventFields(event: AnyEventObject, visibility: Visibility, node: string | null): VisibleFields {
  const pick = event.type.startsWith('xstate.done.actor.')
    ? doneFields
    : Object.hasOwn(events, event.type)
      ? events[event.type]
      : noFields;
  return (pick ?? noFields)(event, visibility, node);
}

/** Returns the visible fields of a chart's context. */
export function contextFields(context: unknown, visibility: Visibility): VisibleFields {
  const call = field(context, 'call');
  const input = field(context, 'input');
  const turns = field(context, 'turns');
  return {
    ...pickId('owner', field(call, 'owner') ?? field(input, 'owner')),
    ...pickId('agent', field(input, 'agent')),
    // the name of an offered tool or agent; any other name is a text of the model
    ...(field(call, 'problem') === undefined && pickId('name', field(call, 'name'))),
    ...pickNumber('depth', field(input, 'depth') ?? field(context, 'depth')),
    ...pickNumber('round', field(context, 'round')),
    ...pickOneOf(kinds, 'verdict', field(context, 'verdict')),
    ...pickOneOf(effectSet, 'effect', field(context, 'effect')),
    ...pickIds('turns', Array.isArray(turns) ? turns.map((turn) => field(turn, 'id')) : null),
    ...pickIds('children', field(context, 'children')),
    ...pickIds('awaited', field(context, 'awaited')),
    ...pickText('text', field(input, 'text'), visibility),
    ...pickText('arguments', field(call, 'arguments'), visibility),
    ...pickText('report', field(context, 'report'), visibility),
  };
}
