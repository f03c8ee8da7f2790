// Names of actors for people: the kind of each, its name, its owner, and its state in words.
import { outcomeText } from '../../../core/words/receipt-words.ts';
import type { StateValue } from '../../../wire/inspection.ts';
import { type ActorView, type Picture, unknownName } from './picture.ts';

/** What names an actor. It does not change. */
export type ActorIdentity = Pick<ActorView, 'session' | 'parent' | 'name' | 'chart' | 'node' | 'context'>;

/** Finds an actor by its id. */
export type FindActor = (id: string) => ActorIdentity | undefined;

/** `worker`: a promise of a machine, like a model call. `link`: passes events on to the turn tree below it. */
export type ActorKind = 'session' | 'connection' | 'speech' | 'turn' | 'call' | 'agent' | 'link' | 'worker';

const kindsByChart: Readonly<Record<string, ActorKind>> = {
  session: 'session',
  connection: 'connection',
  speech: 'speech',
  turn: 'turn',
  'tool-call': 'call',
  'sub-agent': 'agent',
};

/** The kinds as people read them. */
export const kindNames: Readonly<Record<ActorKind, string>> = {
  session: 'session',
  connection: 'connection',
  speech: 'speech',
  turn: 'turn',
  call: 'tool call',
  agent: 'sub-agent',
  link: 'link',
  worker: 'worker',
};

/** Returns the kind of an actor. */
export function kindOf({ chart, name }: Pick<ActorIdentity, 'chart' | 'name'>): ActorKind {
  if (chart !== null) return kindsByChart[chart] ?? 'worker';
  return name === 'link' ? 'link' : 'worker';
}

/** Returns the name of an actor: of the tool, the agent, the session; else what its parent calls it. */
export function actorTitle(actor: ActorIdentity, find: FindActor): string {
  const { name, session, context } = actor;
  const ownName = textField(context, 'name');
  switch (kindOf(actor)) {
    case 'session':
      return session;
    case 'connection':
      return textField(context, 'speaker') ?? textField(context, 'owner') ?? 'connection';
    case 'turn': {
      const above = actor.parent === null ? undefined : find(actor.parent);
      return above && kindOf(above) === 'agent' ? `turn of ${actorTitle(above, find)}` : 'turn';
    }
    case 'call':
      return ownName ?? 'unknown tool';
    case 'agent':
      return textField(context, 'agent') ?? ownName ?? 'sub-agent';
    case 'speech':
    case 'link':
    case 'worker':
      return name === unknownName ? 'started earlier' : name;
  }
}

/** Returns the name of an actor on the screen, which for a session is its title, if it has one. */
export const screenTitle = (kind: ActorKind, title: string, sessionTitles: ReadonlyMap<string, string>): string =>
  kind === 'session' ? (sessionTitles.get(title) ?? title) : title;

/** Writes a state for a narrow place: that a state is `active` goes without saying. */
export const shortState = (status: string): string => status.replace(/ › active$/, '');

/** Returns the speaker that an actor works for: its own, or that of the nearest actor above it. */
export function actorOwner(actor: ActorIdentity, find: FindActor): string | null {
  let at: ActorIdentity | undefined = actor;
  for (let depth = 0; at && depth < 100; depth++) {
    const owner = textField(at.context, 'owner');
    if (owner !== null) return owner;
    at = at.parent === null ? undefined : find(at.parent);
  }
  return null;
}

/** Writes the value of a chart like a path: `acting › interrupted`; parallel states stand beside each other. */
export function stateText(value: StateValue | null): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([name, inner]) => {
      const below = stateText(inner ?? null);
      return below === '' ? name : `${name} › ${below}`;
    })
    .join(', ');
}

/** Returns what an actor is doing, in a word or two. */
export function statusText(actor: ActorView, { nodes }: Pick<Picture, 'nodes'>): string {
  const outcome = actor.node === null ? null : nodes.get(actor.node)?.outcome;
  if (outcome && kindOf(actor) !== 'link') return outcomeText(outcome);
  if (actor.value !== null) return stateText(actor.value);
  if (actor.status === 'active') return kindOf(actor) === 'worker' ? 'working' : '';
  return actor.status;
}

const textField = (fields: ActorView['context'], name: string): string | null => {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
};
