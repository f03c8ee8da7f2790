// What a record may show of an event or a context: fields that are named here, everything else stays inside.
//
// 1. Deny by default: an event that is not in the table shows its type and nothing more, a field that is not named does not exist.
// 2. Words, arguments, outputs, reasons and messages become their lengths; they are shown, bounded, only where the embedder asks for texts.
// 3. Each value is of a closed set, a number or an id, and each is bounded: ids in length, lists in number.
import type { AnyEventObject } from 'xstate';
import { answerCodes, failureCodes, refusalCodes } from '../../machines/codes.ts';
import { causeSources, effects, outcomeKinds } from '../../machines/vocabulary.ts';

/** Names of lengths end in `Chars`, in UTF-16 code units; `…More`: how many ids of a list were left out. */
export type Shown = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface Showing {
  /** `lengths`: what people, models and tools have written never leaves. `texts`: its beginning does. */
  readonly data: 'lengths' | 'texts';
}

export const maxIdChars = 128;
export const maxTextChars = 1_024;
export const maxIds = 64;

const kinds = new Set<unknown>([...outcomeKinds, 'ended_late', 'go', 'stopped']);
const sources = new Set<unknown>(causeSources);
const effectSet = new Set<unknown>(effects);
const answers = new Set<unknown>(['approved', 'denied', 'answered']);
const codes = new Set<unknown>(Object.keys({ ...failureCodes, ...refusalCodes, ...answerCodes }));

/** A field of something whose shape is not known. */
export const field = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? (of as Readonly<Record<string, unknown>>)[name] : undefined;

/** An id or a name of the configuration; null for anything else. */
export const idOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, maxIdChars) : null);

const id = (name: string, value: unknown): Shown => {
  const shown = idOf(value);
  return shown === null ? {} : { [name]: shown };
};
const ids = (name: string, value: unknown): Shown => {
  const list = value instanceof Map ? [...value.keys()] : Array.isArray(value) ? value : null;
  if (!list) return {};
  const shown = list.slice(0, maxIds).flatMap((each: unknown) => idOf(each) ?? []);
  return { [name]: shown, ...(list.length > maxIds && { [`${name}More`]: list.length - maxIds }) };
};
const oneOf = (closed: ReadonlySet<unknown>, name: string, value: unknown): Shown =>
  closed.has(value) ? { [name]: value as string } : {};
const number = (name: string, value: unknown): Shown => (typeof value === 'number' ? { [name]: value } : {});
const isTrue = (name: string, value: unknown): Shown => (value === true ? { [name]: true } : {});
const text = (name: string, value: unknown, { data }: Showing): Shown =>
  typeof value === 'string'
    ? { [`${name}Chars`]: value.length, ...(data === 'texts' && { [name]: value.slice(0, maxTextChars) }) }
    : {};

/** How work ended: an outcome, or what a worker resolves with. */
function endOf(end: unknown, showing: Showing): Shown {
  const calls = field(end, 'calls');
  return {
    ...oneOf(kinds, 'kind', field(end, 'kind')),
    ...oneOf(effectSet, 'effect', field(end, 'effect')),
    ...oneOf(codes, 'code', field(end, 'code')),
    ...isTrue('forced', field(end, 'forced')),
    ...number('ms', field(end, 'ms')),
    ...text('text', field(end, 'text'), showing),
    ...text('output', field(end, 'output'), showing),
    ...text('message', field(end, 'message'), showing),
    ...(Array.isArray(calls) && { calls: calls.length }),
  };
}

function causeOf(cause: unknown, showing: Showing): Shown {
  return {
    ...oneOf(sources, 'source', field(cause, 'source')),
    ...id('by', field(cause, 'by')),
    ...id('target', field(cause, 'target')),
    ...text('reason', field(cause, 'reason'), showing),
  };
}

const turnOf = (event: unknown, showing: Showing): Shown => {
  const turn = field(event, 'turn');
  return {
    ...id('turn', field(turn, 'id')),
    ...id('owner', field(turn, 'owner')),
    ...text('text', field(turn, 'text'), showing),
  };
};

/** `node`: of the actor that hears the event. */
type Show = (event: unknown, showing: Showing, node: string | null) => Shown;

/** As the session hears it, it carries the command; further down it carries the plan, in which each node has a cause of its own. */
const showCancel: Show = (event, showing, node) => {
  const command = field(event, 'command');
  const plan = field(event, 'plan');
  const stop = field(plan, 'stop');
  const refused = field(plan, 'refused');
  return {
    ...id('cancel', field(command, 'cancel')),
    ...causeOf(command ?? (stop instanceof Map ? stop.get(node) : null), showing),
    ...id('by', field(field(command, 'by'), 'id')),
    ...isTrue('force', field(command, 'force')),
    ...ids('stop', stop),
    ...ids('pending', field(plan, 'pending')),
    ...ids('refused', Array.isArray(refused) ? refused.map((refusal) => field(refusal, 'node')) : null),
    ...ids('detached', field(plan, 'detached')),
  };
};

const events: Readonly<Record<string, Show>> = {
  CANCEL: showCancel,
  SAY: (event, showing) => ({ ...turnOf(event, showing), ...id('lane', field(event, 'lane')) }),
  SPAWN: turnOf,
  ANSWER: (event, showing) => ({
    ...oneOf(answers, 'answer', field(event, 'answer')),
    ...id('by', field(field(event, 'by'), 'id')),
    ...id('target', field(event, 'target')),
    ...text('text', field(event, 'text'), showing),
  }),
  OUTCOME: (event, showing) => ({ ...id('node', field(event, 'node')), ...endOf(field(event, 'outcome'), showing) }),
  NODE_CRASHED: (event) => id('node', field(event, 'node')),
  TURN_GONE: (event) => id('node', field(event, 'node')),
  CHILD_GONE: (event) => id('node', field(event, 'node')),
};
const showDone: Show = (event, showing) => endOf(field(event, 'output'), showing);
const nothing: Show = () => ({});

export function showEvent(event: AnyEventObject, showing: Showing, node: string | null): Shown {
  const show = event.type.startsWith('xstate.done.actor.')
    ? showDone
    : Object.hasOwn(events, event.type)
      ? events[event.type]
      : nothing;
  return (show ?? nothing)(event, showing, node);
}

/** Of a chart's context. */
export function showContext(context: unknown, showing: Showing): Shown {
  const call = field(context, 'call');
  const turns = field(context, 'turns');
  return {
    ...id('owner', field(call, 'owner') ?? field(context, 'owner')),
    ...id('agent', field(context, 'agent')),
    // the name of an offered tool or agent; what else a model has called is words of the model
    ...(field(call, 'problem') === undefined && id('name', field(call, 'name'))),
    ...number('depth', field(context, 'depth')),
    ...number('round', field(context, 'round')),
    ...oneOf(kinds, 'verdict', field(context, 'verdict')),
    ...oneOf(effectSet, 'effect', field(context, 'effect')),
    ...ids('turns', Array.isArray(turns) ? turns.map((turn) => field(turn, 'id')) : null),
    ...ids('children', field(context, 'children')),
    ...ids('awaited', field(context, 'awaited')),
    ...text('text', field(context, 'text'), showing),
    ...text('arguments', field(call, 'arguments'), showing),
    ...text('report', field(context, 'report'), showing),
  };
}
