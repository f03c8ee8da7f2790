// The contract of a scenario, and the short forms that scenarios are written with.
import type { ContentPart } from '../../../machines/content.ts';
import type { Role } from '../../../machines/vocabulary.ts';
import type { Script, Step } from '../../../src/adapters/models/scripted.ts';
import type { ClientSession } from '../../../src/client/client-session.ts';
import type { AgentSpec } from '../../../src/core/runtime/config.ts';
import type { SessionSpec } from '../../../src/core/session/session-spec.ts';
import type { InterceptorVerdict } from '../../../src/core/workers/extensions.ts';
import type { Limits } from '../../../src/core/workers/session-limits.ts';
import type { FactFrame } from '../../../src/wire/fact-frames.ts';
import type { ResponsePlan } from '../../../test/support/realtime/server-script.ts';
import type { CommandDoor } from './door.ts';

/** The people of every scenario: alice owns the work, bob is another member, carol is a moderator. */
export const scenarioPeople = ['alice', 'bob', 'carol'] as const;
export type Person = (typeof scenarioPeople)[number];

/** What a scenario acts with. */
export interface ScenarioStage extends Readonly<Record<Person, ClientSession>> {
  /** Resolves with the first fact of this type that alice receives; a second call with the second one, and so on. */
  next(type: FactFrame['type']): Promise<FactFrame>;
  /** Resolves after a virtual time. */
  pause(ms: number): Promise<void>;
  /** Breaks the connection of a person, whose client connects again. */
  lose(person: Person): void;
  /** Returns commands of a person that go to the runtime at once. `roles`: those of the person if left out. */
  door(person: Person, roles?: readonly Role[]): CommandDoor;
  /** Sets the time of day so many milliseconds on; the clock that does not step goes on. */
  stepTimeOfDay(ms: number): void;
  /** Lets the store apply no request that is made from now on for so many virtual milliseconds. */
  delayStore(ms: number): void;
  /** Stores an image for the session. Resolves with it as a SAY names it. */
  storeImage(): Promise<ContentPart>;
  /** Deletes the session from the store. Rejects while something lives in it. */
  deleteSession(): Promise<boolean>;
}

/** What the provider of a speech model does that is rare. */
export interface SpeechPlan extends Pick<ResponsePlan, 'lateDeltas' | 'neverAnswersCancel'> {
  /** From the request of a response until it is created, in milliseconds. Left out: none. */
  readonly createdMs?: number;
  /** The first connection is lost at this piece of its responses. */
  readonly dropsAt?: number;
}

export interface Scenario {
  readonly name: string;
  /** The responses of the model, by words that the request has; each round takes the next one. Other words get a short text. */
  readonly model: Readonly<Record<string, readonly Script[]>>;
  readonly session?: Partial<SessionSpec>;
  readonly limits?: Partial<Limits>;
  readonly agents?: Readonly<Record<string, AgentSpec>>;
  /** Bob is a bridge, which relays a room. */
  readonly hasBridge?: true;
  /** The model hears and speaks: its words come over a connection to its provider. A step of a response with a wait or a failure is left out. */
  readonly speechModel?: SpeechPlan;
  /** What an interceptor says of each call, after a while. Left out: there is none. */
  readonly screening?: InterceptorVerdict;
  /** The speakers whose calls those of a tool are. Left out: they belong to the owner of their turn. */
  readonly owners?: Readonly<Record<string, string>>;
  /** How long the embedder works on each request, in milliseconds. Left out: not at all. */
  readonly contextMs?: number;
  /** For how long interceptors and the work on requests go on after their signal, in milliseconds. Left out: they end at once. */
  readonly unwindMs?: number;
  /** Its runs reach the cells of the coverage that no other run has visited: see cell-sweep.ts. */
  readonly fillsCells?: true;
  /** What the people do. It may reject and may stay unfinished, where an injected stop takes away what it waits for. */
  play(stage: ScenarioStage): Promise<unknown>;
}

/** A call that the model asks for. */
export type CallOfModel = readonly [name: string, input?: object];

/** A step of a response: one call. */
export const callStep = (name: string, input: object = {}, i = 0): Step => ({
  call: { callId: `${name}${i}`, name, arguments: JSON.stringify(input) },
});

/** A response with these calls, 5 ms after the request. */
export const askFor = (...made: readonly CallOfModel[]): Script => ({
  steps: [{ waitMs: 5 }, ...made.map(([name, input], i) => callStep(name, input, i))],
});

/** A response with these pieces of text, 10 ms before each. */
export const sayText = (...pieces: readonly string[]): Script => ({
  steps: pieces.flatMap((piece) => [{ waitMs: 10 }, { text: piece }]),
});

/** An agent that may delegate to itself. */
export const helper: Readonly<Record<string, AgentSpec>> = {
  helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] },
};
