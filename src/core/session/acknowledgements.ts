// The acknowledgements of a session: after a stop that a person caused, the model says in its own words that it was understood.
//
// 1. A receipt has one sign at most: the words of an acknowledgement (a turn of its own kind), or an emoji or a sound in its place.
// 2. No stop waits for one: it is opened after `cancel_settled`, where nothing runs or waits in its lane, and yields to the next words there.
// 3. The stop of an acknowledgement is silent: it has a receipt, and no sign.
import { ruleOfCause } from '../../../machines/cause-rules.ts';
import type { CancelAccepted, Earcon, Fact, Reaction, TurnOpened } from '../../../machines/facts.ts';
import type { AcknowledgeEvent } from '../../../machines/session-events.ts';
import type { AcknowledgeMode, NodeId, OutcomeKind, SessionKind, SpeakerId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import type { LiveTree } from '../live/tree.ts';
import { readTarget } from '../receipt/cancel-target.ts';
import { listedNodes } from '../receipt/receipt.ts';
import { addMs, msSince } from '../sources/monotonic-time.ts';
import type { Clock, Disarm, Ids, MonotonicTime } from '../sources/sources.ts';
import type { FactSource } from '../transcript/history.ts';
import type { Appender, FactHandlers, Projection } from '../transcript/journal.ts';
import { measuredText } from '../words/durations.ts';
import type { AcknowledgementProgress } from '../workers/services.ts';
import type { Inbox } from './inbox.ts';
import type { Presence } from './presence.ts';
import type { Receipt } from './receipts.ts';

export interface AcknowledgementsOptions {
  readonly mode: AcknowledgeMode;
  readonly kind: SessionKind;
  /** Turns of one speaker run beside each other: each has a lane of its own. */
  readonly isParallel: boolean;
  readonly emoji: string;
  readonly limits: AcknowledgementLimits;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tree: LiveTree;
  readonly inbox: Inbox;
  readonly journal: Appender;
  readonly history: FactSource;
  readonly presence: Pick<Presence, 'hasListeners'>;
}

/** See src/core/workers/session-limits.ts. */
export interface AcknowledgementLimits {
  readonly acknowledgeMs: number;
  readonly acknowledgeEveryMs: number;
}

/** A stop that is to be acknowledged. */
interface Stop {
  /** The id of the receipt. */
  readonly cancel: string;
  /** Who has caused it. */
  readonly to: SpeakerId;
  /** When it was accepted. */
  readonly since: MonotonicTime;
}

/** An acknowledgement that has not ended. */
interface OpenAcknowledgement extends Stop {
  readonly turn: NodeId;
  readonly lane: string;
  /** `signed`: its first words have come, or something else stands in their place. */
  state: 'silent' | 'signed';
  readonly disarm: Disarm;
}

/** Whether an acknowledgement that ended like this without a word has failed. Any other was stopped. */
const hasFailed: Readonly<Record<OutcomeKind, boolean>> = {
  completed: true,
  cancelled: false,
  timed_out: true,
  superseded: false,
  failed: true,
  denied: false,
  abandoned: false,
  continues: false,
};

/** Lanes whose last acknowledgement is remembered. */
const maxLanes = 1_000;

export class Acknowledgements implements Projection, AcknowledgementProgress {
  static readonly #handlers: FactHandlers<Acknowledgements> = {
    turn_ended(fact) {
      const open = this.#open.get(fact.turn);
      if (!open) return;
      this.#open.delete(fact.turn);
      if (open.state === 'silent' && hasFailed[fact.outcome]) this.#standIn(open);
      sign(open);
    },
  };
  readonly committed = Acknowledgements.#handlers;
  readonly #options: AcknowledgementsOptions;
  readonly #open = new Map<NodeId, OpenAcknowledgement>();
  /** When the last acknowledgement of a lane was opened. */
  #openedAt: BoundedMap<string, MonotonicTime> | null = null;

  constructor(options: AcknowledgementsOptions) {
    this.#options = options;
  }

  /** Acknowledgements that have not ended. */
  get size(): number {
    return this.#open.size;
  }

  /** Acknowledges a stop when its receipt has settled, if a person has caused it. To be called before the cut. */
  expect({ accepted, settled }: Receipt): void {
    const { mode, clock } = this.#options;
    const { cancel, source, by: to } = accepted;
    if (mode === 'off' || to === null || !ruleOfCause(source).isRequest || !this.#stopsWork(accepted)) return;
    const lane = this.#laneOf(accepted.target, to);
    if (lane === null) return;
    const stop = { cancel, to, since: clock.elapsed() };
    void settled.then(() => this.#acknowledge(stop, lane));
  }

  /** Writes that an acknowledgement was opened. Its first words have to come in time. */
  open({ turn: { id: turn, owner: to }, lane, cancel, ageMs }: AcknowledgeEvent): void {
    const { journal, clock, limits } = this.#options;
    const opened = {
      type: 'turn_opened',
      turn,
      kind: 'acknowledgement',
      owner: to,
      lane,
      text: '',
      ref: null,
    } as const;
    void journal.append([{ ...opened, cancel }]);
    this.#openedAt ??= new BoundedMap(maxLanes);
    this.#openedAt.set(lane, clock.elapsed());
    const disarm = clock.after(limits.acknowledgeMs, () => this.#giveUp(turn));
    const since = addMs(clock.elapsed(), -ageMs);
    this.#open.set(turn, { cancel, to, since, turn, lane, state: 'silent', disarm });
  }

  /** Text of an acknowledgement has come. */
  noteText(turn: NodeId): void {
    const open = this.#open.get(turn);
    if (open?.state !== 'silent') return;
    sign(open);
    void this.#options.journal.append([{ type: 'acknowledged', ...this.#signOf(open), turn }]);
  }

  /** Returns the acknowledgements that yield to words of the speaker in the lane, each with the speaker who owns it. */
  inWayOf(lane: string, speaker: SpeakerId): readonly { readonly turn: NodeId; readonly owner: SpeakerId }[] {
    return [...this.#open.values()]
      .filter((open) => open.lane === lane || open.to === speaker)
      .map(({ turn, to: owner }) => ({ turn, owner }));
  }

  /** The session has ended: nothing is signed any more. */
  close(): void {
    for (const open of this.#open.values()) sign(open);
    this.#open.clear();
  }

  /** Whether it stops anything but acknowledgements. */
  #stopsWork(accepted: CancelAccepted): boolean {
    const { tree } = this.#options;
    return listedNodes(accepted).some((id) => tree.get(id)?.acknowledges === null);
  }

  /** The lane of the turn that was stopped, or else that of the speaker; null: the target is neither a turn, nor `mine`, nor the session. */
  #laneOf(target: string, speaker: SpeakerId): string | null {
    if (target === 'mine' || target === 'session') return this.#laneOfSpeaker(speaker);
    const { reach, named } = readTarget(target);
    if (reach === 'tools') return null;
    const opened = this.#options.history
      .facts()
      .findLast((fact) => fact.type === 'turn_opened' && fact.turn === named) as TurnOpened | undefined; // the type is compared
    if (!opened) return null;
    return opened.kind === 'say' ? opened.lane : this.#laneOfSpeaker(speaker);
  }

  #laneOfSpeaker(speaker: SpeakerId): string {
    const { isParallel, ids } = this.#options;
    return isParallel ? ids('lane') : speaker;
  }

  /** Where nobody has joined, nobody would read it. */
  #acknowledge(stop: Stop, lane: string): void {
    const { mode, clock, limits, ids, inbox, presence } = this.#options;
    if (!presence.hasListeners) return;
    if (mode === 'reaction') return this.#standIn(stop);
    const before = this.#openedAt?.get(lane);
    if (before !== undefined && msSince(clock, before) < limits.acknowledgeEveryMs) return;
    const { cancel, to: owner, since } = stop;
    const turn = { id: ids('turn'), owner, depth: 0, text: '', agent: null, acknowledges: cancel };
    inbox.deliver({ type: 'ACKNOWLEDGE', lane, turn, cancel, ageMs: msSince(clock, since) });
  }

  /** The first words have not come in time. */
  #giveUp(turn: NodeId): void {
    const { inbox, limits } = this.#options;
    const open = this.#open.get(turn);
    if (open?.state !== 'silent') return;
    sign(open);
    this.#standIn(open);
    inbox.expire(turn, `no words within ${measuredText(limits.acknowledgeMs)}`);
  }

  /** Writes what stands in the place of words. */
  #standIn(stop: Stop): void {
    const { journal, kind, emoji } = this.#options;
    const fields = this.#signOf(stop);
    const earcon: Earcon = { type: 'earcon', ...fields, sound: 'stopped' };
    const reaction: Reaction = { type: 'reaction', ...fields, emoji };
    const fact: Fact = kind === 'voice' ? earcon : reaction;
    void journal.append([fact]);
  }

  #signOf({ cancel, to, since }: Stop): Pick<Reaction, 'cancel' | 'to' | 'ms'> {
    return { cancel, to, ms: msSince(this.#options.clock, since) };
  }
}

/** Nothing more is written for it, and it has no deadline any more. */
function sign(open: OpenAcknowledgement): void {
  open.state = 'signed';
  open.disarm();
}
