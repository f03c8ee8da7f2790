// Finds the host for a command: this one where it holds the session, else its holder over the bus; where nobody holds it, this host claims it.
//
// 1. A command to a session that this host holds goes on in the same tick: nothing is added to its road.
// 2. A host that drains has another one claim it.
// 3. A question without a reply is asked again under the same id, and the holder does it once.
import { fieldsOf } from '../collections/fields.ts';
import type { Bus } from '../contracts/bus.ts';
import { msSince } from '../sources/monotonic-time.ts';
import { pause } from '../sources/pause.ts';
import type { Clock, Ids } from '../sources/sources.ts';
import { errorFrom, type HolderQuestion, type HolderReply } from './forwarded-commands.ts';
import type { HeldSessions } from './held-sessions.ts';
import type { HostDrain } from './host-drain.ts';
import { offersSubject, sessionSubject } from './subjects.ts';

/** How long a reply may take, in milliseconds. A holder that needs longer says that it is working. */
const replyMs = 1_000;
/** For how long the holder of a session is looked for, in milliseconds. */
const findMs = 2_000;
/** For how long a session is looked for that its holder gives away, in milliseconds: the next one may be a host that has just started. */
const findMovingMs = 10_000;
const firstPauseMs = 100;
const maxPauseMs = 800;

/** The host that holds the session did not reply, and may have done what was asked. */
export class HolderSilent extends Error {
  override readonly name = 'HolderSilent';
  readonly code = 'unavailable';

  constructor(session: string) {
    super(
      `The host that holds the session ${session} did not reply in time, and may have done what was asked. Send it again under the same ref.`,
    );
  }
}

/** Whether another host holds the session, and nothing was done. */
export const isHeldElsewhere = (error: unknown): boolean => fieldsOf(error)['code'] === 'held_elsewhere';

/** Whether the error passes when the holder is back, or its lease has run out. */
export const isPassing = (error: unknown): boolean => isHeldElsewhere(error) || error instanceof HolderSilent;

type Asked =
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'none' | 'silent' | 'moved' | 'working' };

export interface RouterParts {
  readonly bus: Bus;
  readonly held: HeldSessions;
  readonly drain: Pick<HostDrain, 'isOn' | 'takersOf' | 'keep'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A command on both of its roads. */
export interface RoutedCommand<T> {
  readonly session: string;
  /** Runs it here. */
  local(): Promise<T>;
  /** What the holder is asked. Called when it is known that another host may hold the session. */
  question(): Omit<HolderQuestion, 'id'>;
  /** Makes the result of the holder's reply. */
  result(value: unknown): T | Promise<T>;
}

export class CommandRouter {
  readonly #parts: RouterParts;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  /** Runs a command where its session is held. Rejects as it does there, with `HeldElsewhere`, or with `HolderSilent`. */
  run<T>(command: RoutedCommand<T>): Promise<T> {
    const { held } = this.#parts;
    if (!held.has(command.session)) return this.#find(command);
    return command.local().catch((error: unknown) => {
      if (!isHeldElsewhere(error)) throw error;
      held.forget(command.session);
      return this.#find(command);
    });
  }

  async #find<T>(command: RoutedCommand<T>): Promise<T> {
    const { clock, ids, drain } = this.#parts;
    let isMoving = false;
    let lookingSince = clock.elapsed();
    let mayBeDone = false;
    const question: HolderQuestion = { id: ids('ask'), ...command.question() };
    for (let pauseMs = firstPauseMs; ; ) {
      const asked = await this.#askHolderOrTaker(command.session, question);
      if (asked.type === 'done') return command.result(asked.value);
      if (asked.type === 'working') lookingSince = clock.elapsed(); // it is found
      if (asked.type === 'moved' || drain.isOn) isMoving = true;
      const isOver = msSince(clock, lookingSince) >= (isMoving ? findMovingMs : findMs);
      if (asked.type !== 'none') mayBeDone = asked.type !== 'moved';
      if (asked.type === 'silent' && isOver) throw new HolderSilent(command.session);
      if (asked.type === 'silent' || asked.type === 'working') continue;
      try {
        return await command.local();
      } catch (error) {
        if (!isHeldElsewhere(error)) throw error;
        if (isOver) throw mayBeDone ? new HolderSilent(command.session) : error;
      }
      await pause(clock, pauseMs);
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    }
  }

  /** Asks the holder; while this host drains, and nobody holds the session, one host after the other until one has claimed it. `none`: it is for this host to claim it. */
  async #askHolderOrTaker(session: string, question: HolderQuestion): Promise<Asked> {
    const { drain } = this.#parts;
    const text = JSON.stringify(question);
    let asked = await this.#ask(sessionSubject(session), text);
    if (!drain.isOn || asked.type !== 'none') return asked;
    for (const { host } of drain.takersOf(session)) {
      const taken = await this.#ask(offersSubject(host), text);
      if (taken.type === 'done' || taken.type === 'working') return taken;
      if (taken.type === 'silent' || asked.type === 'none') asked = taken; // one that is silent may have done it
    }
    if (asked.type === 'none') drain.keep(session);
    return asked;
  }

  /** `none`: no host answers on the subject. `moved`: its host has not done it. */
  async #ask(subject: string, text: string): Promise<Asked> {
    const { bus } = this.#parts;
    if (bus.state === 'down') return { type: 'none' };
    const answer = await bus.ask(subject, text, replyMs);
    if (answer.type !== 'answer') return answer;
    const reply = JSON.parse(answer.text) as HolderReply; // sealed by a host of the cluster
    if (reply.type === 'failed') throw errorFrom(reply.error);
    return reply.type === 'done' ? { type: 'done', value: reply.value } : { type: reply.type };
  }
}
