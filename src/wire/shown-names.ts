// Frames, facts and reports as people read them: the names of speakers and tools in them with what cannot be seen written out. Pages and terminals use it; what programs read stays as it is.
import { fieldsOf } from '../core/collections/fields.ts';
import { writeOutHidden, writeOutName } from '../core/text/printable.ts';
import type { ServerFrame } from './server-frames.ts';

type Listener = (frame: ServerFrame) => void;

/** What sends frames: the part of a session that is read. */
interface FrameSource<State extends string> {
  readonly state: State;
  on(type: '*', listener: Listener): () => void;
  on(type: 'state', listener: (state: State) => void): () => void;
}

/** The fields that have names. */
const shownBy: Readonly<Record<string, (name: string) => string>> = {
  owner: writeOutName,
  speaker: writeOutName,
  by: writeOutName,
  via: writeOutName,
  to: writeOutName,
  name: writeOutHidden,
};
/** The fields whose values have names themselves. */
const nested = [
  'nodes',
  'questions',
  'waitsFor',
  'cause',
  'receipt',
  'ranOn',
  'room',
  'members',
  'delegations',
  'invites',
];

/** Returns a frame, a fact or a report with its names written out; the same one where there is nothing to write out. */
export function showNames<Value extends object>(value: Value): Value {
  const changes: Record<string, unknown> = {};
  for (const [field, part] of Object.entries(value)) {
    const shown = shownPart(field, part);
    if (shown !== part) changes[field] = shown;
  }
  return Object.keys(changes).length === 0 ? value : { ...value, ...changes };
}

function shownPart(field: string, part: unknown): unknown {
  if (typeof part === 'string') return shownBy[field]?.(part) ?? part;
  if (field === 'present' && Array.isArray(part)) return part.map((name) => writeOutName(String(name)));
  if (!nested.includes(field) || typeof part !== 'object' || part === null) return part;
  if (!Array.isArray(part)) return showNames(fieldsOf(part));
  const shown = part.map((each: unknown) => (typeof each === 'object' && each !== null ? showNames(each) : each));
  return shown.some((each, at) => each !== part[at]) ? shown : part;
}

/** Returns the session with its names written out, for a view that people read. */
export function withShownNames<State extends string>(session: FrameSource<State>): FrameSource<State> {
  function on(type: '*', listener: Listener): () => void;
  function on(type: 'state', listener: (state: State) => void): () => void;
  function on(type: '*' | 'state', listener: Listener | ((state: State) => void)): () => void {
    return type === '*'
      ? session.on('*', (frame) => (listener as Listener)(showNames(frame))) // the overloads pair each type with its listener
      : session.on('state', listener as (state: State) => void); // likewise
  }
  return {
    get state() {
      return session.state;
    },
    on,
  };
}
