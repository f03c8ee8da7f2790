// The visible fields of the machines' events and contexts.
//
// Everything is denied that is not named here: an event that is not in the table has its type and no fields.
import type { AnyEventObject } from 'xstate';
import { answerCodes, failureCodes, refusalCodes } from '../../machines/codes.ts';
import { causeSources, effects, outcomeKinds } from '../../machines/vocabulary.ts';
import type { VisibleFields } from '../wire/inspection.ts';
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

/** Returns the fields of the end of work: of an outcome, or of what a worker resolves with. */
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

/** The fields that frames share. To a connection a command is the frame itself. */
const frameFields: PickFields = (event, visibility) => ({
  ...pickId('session', field(event, 'session')),
  ...pickId('target', field(event, 'target')),
  ...pickId('turn', field(event, 'turn')),
  ...pickId('as', field(event, 'as')),
  ...pickText('text', field(event, 'text'), visibility),
});

/**
 * To the session a CANCEL carries the command; further down it carries the plan, in which each node has a cause of its own. To a connection it is
 * a frame, and to the machine of speech it names the turn.
 */
const cancelFields: PickFields = (event, visibility, node) => {
  const command = field(event, 'command');
  const plan = field(event, 'plan');
  if (command === undefined && plan === undefined)
    return {
      ...frameFields(event, visibility, node),
      ...pickId('by', field(event, 'by')),
      ...pickTrue('force', field(event, 'force')),
      ...pickText('reason', field(event, 'reason'), visibility),
    };
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

/** Words to a connection are a frame, to the session a turn. */
const wordsFields: PickFields = (event, visibility, node) => ({
  ...frameFields(event, visibility, node),
  ...turnOf(event, visibility),
  ...pickId('lane', field(event, 'lane')),
  ...pickNumber('addressed', field(event, 'addressed')),
});
const speakerFields: PickFields = (event, visibility, node) => ({
  ...frameFields(event, visibility, node),
  ...pickId('speaker', field(event, 'speaker')),
});
const callFields: PickFields = (event, visibility, node) => ({
  ...frameFields(event, visibility, node),
  ...pickId('node', field(event, 'node')),
});
const noFields: PickFields = () => ({});

/** The events of every chart, also those without visible fields. */
const events: Readonly<Record<string, PickFields>> = {
  CANCEL: cancelFields,
  SAY: wordsFields,
  STEER: wordsFields,
  RESUME: frameFields,
  FALSE_INTERRUPTION: noFields,
  SPAWN: turnOf,
  ACKNOWLEDGE: (event, visibility) => ({
    ...turnOf(event, visibility),
    ...pickId('lane', field(event, 'lane')),
    ...pickId('cancel', field(event, 'cancel')),
  }),
  INPUT_CONSUMED: (event) => pickId('input', field(event, 'input')),
  STOP_SETTLED: (event) => pickId('cancel', field(event, 'cancel')),
  SHIELD_ENDED: cancelFields,
  ANSWER: (event, visibility) => ({
    ...pickOneOf(answers, 'answer', field(event, 'answer')),
    ...pickId('by', field(field(event, 'by'), 'id')),
    ...frameFields(event, visibility, null),
  }),
  APPROVE: frameFields,
  DENY: frameFields,
  OUTCOME: (event, visibility) => ({
    ...pickId('node', field(event, 'node')),
    ...endOf(field(event, 'outcome'), visibility),
  }),
  NODE_CRASHED: (event) => pickId('node', field(event, 'node')),
  TURN_GONE: (event) => pickId('node', field(event, 'node')),
  CHILD_GONE: (event) => pickId('node', field(event, 'node')),
  ADMIT: noFields,
  OVERDUE: noFields,
  BARGE_IN: (event, visibility, node) => ({
    ...frameFields(event, visibility, node),
    ...pickId('by', field(field(event, 'by'), 'id')),
    ...pickNumber('durationMs', field(event, 'durationMs')),
    ...pickId('turn', field(field(event, 'spoken'), 'turn')),
  }),
  WORDS: (event) => ({ ...pickId('by', field(event, 'by')), ...pickTrue('final', field(event, 'final')) }),
  TRANSCRIPT: (event, visibility, node) => ({
    ...frameFields(event, visibility, node),
    ...pickTrue('final', field(event, 'final')),
    ...pickNumber('confidence', field(event, 'confidence')),
    ...pickNumber('noSpeech', field(event, 'noSpeech')),
    ...pickNumber('addressed', field(event, 'addressed')),
  }),
  PLAYED: (event, visibility, node) => ({
    ...frameFields(event, visibility, node),
    ...pickNumber('index', field(event, 'index')),
    ...pickNumber('offset', field(event, 'offset')),
  }),
  HELLO: noFields, // it may carry a token
  JOIN: (event, visibility, node) => ({
    ...frameFields(event, visibility, node),
    ...pickNumber('after', field(event, 'after')),
  }),
  LEAVE: frameFields,
  INVITE: speakerFields,
  INVITE_LINK: frameFields,
  REVOKE: frameFields,
  REMOVE: speakerFields,
  DELEGATE: speakerFields,
  SET_TIMEOUT: frameFields,
  RENAME: frameFields,
  SPEAKER: (event, visibility, node) => ({
    ...frameFields(event, visibility, node),
    ...pickTrue('present', field(event, 'present')),
  }),
  READ: (event) => pickId('session', field(event, 'session')),
  OPEN_CALL: (event, visibility, node) => ({ ...frameFields(event, visibility, node), ...turnOf(event, visibility) }),
  REPORT_CALL: callFields,
  SETTLE_CALL: callFields,
  FORK: (event) => ({
    ...pickId('session', field(event, 'session')),
    ...pickId('turn', field(event, 'turn')),
    ...pickId('to', field(event, 'to')),
  }),
  PING: noFields,
  /** `because` is the name of a close code. */
  CLOSE: (event) => pickId('because', field(event, 'because')),
  GONE: (event) => pickId('how', field(event, 'how')),
};
/** The types of events that the table above describes. */
export const describedEvents: ReadonlySet<string> = new Set(Object.keys(events));
const doneFields: PickFields = (event, visibility) => endOf(field(event, 'output'), visibility);

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
    ...pickId('agent', field(field(call, 'agent'), 'name') ?? field(input, 'agent')),
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
