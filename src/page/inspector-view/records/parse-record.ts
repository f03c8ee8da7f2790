// Checks the records that a stream or a file has: nothing in them is trusted, and nothing but the fields of a record is kept.
import { fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';
import { writeOutHidden, writeOutName } from '../../../core/text/printable.ts';
import type {
  ActorRecord,
  EventRecord,
  InspectionRecord,
  NodeRecord,
  StateRecord,
  StateValue,
  VisibleFields,
} from '../../../wire/inspection.ts';
import { recordEffects, recordNodeKinds, recordOutcomes, statuses, steps, verdicts } from './record-words.ts';

const maxChars = 4_096;
const maxFields = 64;
const maxDepth = 8;

/** Returns the record; null for what is none, or of a type that this page does not know. */
export function parseRecord(value: unknown): InspectionRecord | null {
  const fields = fieldsOf(value);
  const base = baseOf(fields);
  if (!base) return null;
  switch (fields['type']) {
    case 'actor':
      return actorOf(base, fields);
    case 'event':
      return eventOf(base, fields);
    case 'state':
      return stateOf(base, fields);
    case 'node':
      return nodeOf(base, fields);
    default:
      return null;
  }
}

interface Base {
  readonly n: number;
  readonly at: number;
  readonly session: string;
  readonly root: string;
}

function baseOf({ n, at, session, root }: UntrustedFields): Base | null {
  if (!isCount(n) || !isTime(at) || !isText(session) || !isText(root)) return null;
  return { n, at, session, root };
}

function actorOf(base: Base, fields: UntrustedFields): ActorRecord | null {
  const { actor, parent, name, chart, node } = fields;
  const state = snapshotOf(fields);
  if (!state || !isText(actor) || !isText(name)) return null;
  if (!isTextOrNull(parent) || !isTextOrNull(chart) || !isTextOrNull(node)) return null;
  return { type: 'actor', ...base, actor, ...state, parent, name, chart, node };
}

function eventOf(base: Base, { actor, event, from, fields }: UntrustedFields): EventRecord | null {
  if (!isText(actor) || !isText(event) || !isTextOrNull(from)) return null;
  return { type: 'event', ...base, actor, event, from, fields: visibleFieldsOf(fields) };
}

function stateOf(base: Base, fields: UntrustedFields): StateRecord | null {
  const { actor, event } = fields;
  const state = snapshotOf(fields);
  return state && isText(actor) && isText(event) ? { type: 'state', ...base, actor, ...state, event } : null;
}

function nodeOf(base: Base, fields: UntrustedFields): NodeRecord | null {
  const { actor, node, cancel, reason, name, parent, owner, budgetMs } = fields;
  const step = oneOf(steps, fields['step']);
  if (!isTextOrNull(actor) || !isText(node) || !isTextOrNull(cancel) || !step) return null;
  const verdict = oneOf(verdicts, fields['verdict']);
  const kind = oneOf(recordNodeKinds, fields['kind']);
  const outcome = oneOf(recordOutcomes, fields['outcome']);
  const effect = oneOf(recordEffects, fields['effect']);
  return {
    type: 'node',
    ...base,
    actor,
    node,
    step,
    cancel,
    ...(verdict && { verdict }),
    ...(isText(reason) && { reason }),
    ...(kind && { kind }),
    ...(isText(name) && { name: writeOutHidden(name) }),
    ...(isText(parent) && { parent }),
    ...(isText(owner) && { owner: writeOutName(owner) }),
    ...((budgetMs === null || isTime(budgetMs)) && { budgetMs }),
    ...(outcome && { outcome }),
    ...(effect && { effect }),
  };
}

function snapshotOf(fields: UntrustedFields): Pick<StateRecord, 'status' | 'value' | 'context'> | null {
  const status = oneOf(statuses, fields['status']);
  const value = stateValueOf(fields['value'], 0);
  return status && value !== undefined ? { status, value, context: visibleFieldsOf(fields['context']) } : null;
}

/** Returns the value of a chart; undefined: it is none. */
function stateValueOf(value: unknown, depth: number): StateValue | null | undefined {
  if (value === null || isText(value)) return value;
  if (typeof value !== 'object' || depth > maxDepth) return undefined;
  const entries = Object.entries(value).slice(0, maxFields);
  return Object.fromEntries(entries.map(([name, part]) => [name, stateValueOf(part, depth + 1) ?? undefined]));
}

function visibleFieldsOf(value: unknown): VisibleFields {
  const fields: Record<string, VisibleFields[string]> = {};
  for (const [name, part] of Object.entries(fieldsOf(value)).slice(0, maxFields)) {
    if (isText(part)) fields[name] = name === 'owner' || name === 'by' ? writeOutName(part) : writeOutHidden(part);
    else if (isNumber(part) || typeof part === 'boolean') fields[name] = part;
    else if (Array.isArray(part)) fields[name] = part.filter(isText);
  }
  return fields;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= maxChars;
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
/** Milliseconds since 1970 that a date can have: beyond it a date throws when it is written. */
export const isTime = (value: unknown): value is number => isNumber(value) && value >= 0 && value <= maxTime;
const maxTime = 8.64e15;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value);
