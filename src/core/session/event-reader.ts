// Turns a message of the inbox into an event of the session's machine. It reads the live tree in the same tick, and judges a CANCEL by that, once.
//
// What was armed earlier (an expiry, a supersession, a timeout) is checked again here, and void when the reason for it is over.

import { type CancelCommand, judgeCancel, type PlannedView } from '../../../machines/cancel.ts';
import { ruleOfCause } from '../../../machines/cause-rules.ts';
import type { SaidEvent, SayEvent, SessionCancelEvent, SessionEvent } from '../../../machines/session-events.ts';
import { type Evidence, opensShields } from '../../../machines/standing.ts';
import type { CauseSource, NodeId, Speaker, SpeakerId } from '../../../machines/vocabulary.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree } from '../live/tree.ts';
import { readTarget } from '../receipt/cancel-target.ts';
import type { Ids } from '../sources/sources.ts';
import {
  commandTypeOf,
  type DecidedCommand,
  type DecidedCommands,
  unmatchedCancel,
} from '../transcript/decided-commands.ts';
import type { History } from '../transcript/history.ts';
import type { Appender } from '../transcript/journal.ts';
import { findResumedTurn } from '../transcript/resumed-turns.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import { readAnswer } from './answer-reading.ts';
import { isWithin, type Scope } from './cancel-scope.ts';
import { type Delegations, standingNodeOf } from './delegations.ts';
import type { ExternalCalls } from './external-calls.ts';
import type { GoOn } from './go-on.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import type { Inbox } from './inbox.ts';
import { type Replies, refReused } from './inbox.ts';
import type { CancelMessage, CloseMessage, InboxMessage, SayMessage } from './inbox-messages.ts';
import { readLaneReach } from './lane-reach.ts';
import type { Presence } from './presence.ts';
import type { ReceiptLookup } from './receipt-lookup.ts';
import type { Receipts } from './receipts.ts';
import type { SessionSpec } from './session-spec.ts';
import type { Speech } from './speech.ts';
import { readSteer } from './steer-reading.ts';
import { supersedeEarlierTurns } from './superseded-turns.ts';
import { timeoutOf } from './tool-timeouts.ts';
import { readToolsReach } from './tools-reach.ts';

export interface EventReaderParts {
  readonly tree: LiveTree;
  readonly inbox: Inbox;
  readonly presence: Presence;
  readonly journal: Appender;
  readonly history: Pick<History, 'facts' | 'roots'>;
  readonly receipts: Pick<Receipts, 'findCovering'>;
  readonly lookup: ReceiptLookup;
  readonly replies: Replies;
  readonly keys: IdempotencyKeys;
  readonly decided: DecidedCommands;
  readonly delegations: Delegations;
  readonly goOn: Pick<GoOn, 'findTurn'>;
  readonly acknowledgements: Pick<Acknowledgements, 'inWayOf'>;
  readonly calls: Pick<ExternalCalls, 'refuseDecided'>;
  /** What is spoken: by a bridge in a voice session, and at connections of speakers. */
  readonly speeches: readonly Speech[];
  /** Whether nobody is in the session and nothing happens there. */
  readonly isIdle: boolean;
  /** Whether nothing happens in the session. */
  readonly isAtRest: boolean;
}

/** The limit of the reason of a CANCEL by a stop phrase, which is its words: that of a frame. */
const maxPhraseReasonChars = 500;

/** The rules of the session that a decision reads, beside its policy. */
type DecisionRules = Pick<SessionSpec, 'kind' | 'addressedFrom' | 'whileRunning'>;

/** The rules of the session by which a CANCEL is judged: the custom one never throws. */
type JudgingRules = Pick<SessionSpec, 'policy' | 'standing'>;

export class EventReader {
  readonly #parts: EventReaderParts;
  readonly #rules: Omit<DecisionRules, 'whileRunning'>;
  readonly #judging: JudgingRules;
  readonly #interrupts: boolean;
  /** Whether each turn has a lane of its own. */
  readonly #isParallel: boolean;
  readonly #ids: Ids;

  constructor(
    parts: EventReaderParts,
    { kind, addressedFrom, whileRunning }: DecisionRules,
    judging: JudgingRules,
    ids: Ids,
  ) {
    this.#parts = parts;
    this.#rules = { kind, addressedFrom };
    this.#judging = judging;
    this.#interrupts = whileRunning === 'interrupt';
    this.#isParallel = whileRunning === 'parallel';
    this.#ids = ids;
  }

  /** Reads the live tree into the event of a message; null: the message is void. */
  read(message: InboxMessage): SessionEvent | null {
    switch (message.type) {
      case 'EVENT':
        return message.event;
      case 'SAY':
        return this.#readSay(message);
      case 'OPEN_CALL':
        return this.#parts.calls.refuseDecided(message) ? null : message;
      case 'SPAWN':
        return { ...message, cut: this.#parts.tree.get(message.turn.id)?.cut ?? null };
      case 'ANSWER':
        return readAnswer(message, this.#parts);
      case 'SHIELD_ENDED':
        return this.#readShieldEnd(message.turn);
      case 'CANCEL':
        return this.#readCancel(message);
      case 'BARGE_IN':
        message.to.bargeIn(message);
        return null;
      case 'SPEECH':
        message.to.handle(message.event);
        return null;
      case 'CLOSE':
        return this.#readClose(message);
    }
  }

  #readClose({ when, reply }: CloseMessage): SessionEvent | null {
    const { isIdle, isAtRest } = this.#parts;
    const closes = when === 'now' || (when === 'idle' ? isIdle : isAtRest);
    reply?.(closes);
    return closes ? { type: 'CLOSE' } : null;
  }

  /** Its ref may have been decided since it was posted. */
  #readSay(message: SayMessage): SessionEvent | null {
    const { decided, replies, keys } = this.#parts;
    const { ref, via, turn } = message;
    if (ref === null || !decided.findRecent({ speaker: via ?? turn.owner, ref })) {
      const event = this.#sayEvent(message);
      if (event.stop) return event;
      supersedeEarlierTurns(event, this.#parts, this.#interrupts);
      return event;
    }
    keys.markRefused(turn.id);
    replies.says.reply(turn.id, refReused);
    return null;
  }

  /** A stop phrase targets the whole session: standing decides node by node. Where nothing runs, it is an ordinary message. */
  #sayEvent(said: SayMessage): SaidEvent {
    const { by, phrase, steer: wanted, resumes: named, ...message } = said;
    const newest = this.#parts.history.roots.findLast(({ kind, owner }) => kind === 'say' && owner === by.id);
    const resumes = named ?? (newest?.end?.outcome === 'cancelled' ? this.#parts.goOn.findTurn(said, by) : undefined);
    if (resumes !== undefined) return this.#resumeEvent(message, { by, resumes });
    const say: SaidEvent = wanted
      ? { ...message, type: 'STEER', steer: readSteer(wanted, by, this.#rules, this.#parts) }
      : message;
    const nodes = phrase ? this.#parts.tree.below('session', by.id) : [];
    const { via, ref, turn, command: type } = say;
    if (nodes.length === 0) return say;
    const reason = turn.text.slice(0, maxPhraseReasonChars);
    const command = this.#commandOf({ source: 'phrase', by, via, ref: ref ?? undefined, target: 'session', reason });
    return { ...say, stop: this.#cancelEvent({ ...command, command: type }, phrase?.addressed, nodes, []) };
  }

  /** The turn has the options of the one that it resumes, unless words that go on ask for others. */
  #resumeEvent(say: SayEvent, { by, resumes }: { readonly by: Speaker; readonly resumes: NodeId }): SayEvent {
    const turn = findResumedTurn(this.#parts.history.facts(), resumes);
    return { ...say, turn: { ...say.turn, options: say.turn.options ?? turn?.options }, resumption: { by, turn } };
  }

  #readCancel(message: CancelMessage): SessionEvent | null {
    const { tree, journal, replies, keys, decided, lookup } = this.#parts;
    const { target, say, by, via, ref, armedFor = [], isArmed, timeoutMs, reply } = message;
    if (!armedFor.every((id) => tree.get(id)?.runsOn) || isArmed?.() === false) return null;
    if (say !== undefined && keys.wasRefused(target)) {
      reply?.({ type: 'unknown_target', target: say });
      return null;
    }
    if (timeoutMs !== undefined) void journal.append([timeoutOf(target, tree.get(target), timeoutMs)]);
    const speaker = via ?? by?.id;
    const before = ref === undefined || speaker === undefined ? null : decided.findRecent({ speaker, ref });
    if (before && !isSameCancel(before, message)) {
      reply?.(refReused);
      return null;
    }
    const command = this.#commandOf(message);
    const scope = this.#scopeOf(message, before);
    const { reach, named } = readTarget(target);
    const tools = reach === 'tools' ? readToolsReach(named, by?.id ?? null, scope === null, this.#parts) : null;
    const lane = reach === 'lane' ? readLaneReach(named, this.#isParallel, this.#parts) : null;
    const live = (tools ?? lane)?.live ?? tree.below(target, by?.id ?? null);
    const nodes = scope
      ? live.filter((entry) => (tools ? tools.isWithin(scope, entry) : isWithin(scope, tree.originOf(entry))))
      : live;
    const running = scope
      ? live.filter((entry) => !nodes.includes(entry) && !entry.firstCause).map(({ id }) => id)
      : [];
    const earlier = before?.fact.type === 'cancel_accepted' ? before.fact : undefined;
    if (nodes.length === 0) {
      // it is recorded: it dates the CANCEL, should that come again
      if (reply && !before) void journal.append(unmatchedCancel(command));
      reply?.(lookup.replyWithoutPlan(command, earlier, running));
      return null;
    }
    if (reply) replies.cancels.add(command.cancel, reply);
    return { ...this.#cancelEvent(command, message.addressed, nodes, running, (tools ?? lane)?.detached), earlier };
  }

  #evidenceOf(source: CauseSource, by: SpeakerId | null, addressed: number | undefined): Evidence {
    const { presence, tree } = this.#parts;
    return { ...this.#rules, source, addressed, participants: presence.countParticipants(by, tree.entries()) };
  }

  /**
   * The root turns that a CANCEL reaches, or the calls that one of tools reaches, where it is not sent for the first time: it was not meant for what its
   * sender did not know then. Null: all. A node that is named by its id was known.
   */
  #scopeOf({ target, by, via, seen, says = [] }: CancelMessage, before: DecidedCommand | null): Scope | null {
    const { keys, decided } = this.#parts;
    const speaker = via ?? by?.id;
    const isNode = target !== 'mine' && target !== 'session' && readTarget(target).reach === 'node';
    if (isNode || speaker === undefined) return null;
    if (seen === undefined) return before && { upTo: before.seq, turns: new Set() };
    const turns = says.flatMap((ref) => {
      const fact = decided.findRecent({ speaker, ref })?.fact;
      return fact?.type === 'turn_opened' ? fact.turn : (keys.sayInFlight({ speaker, ref })?.turn ?? []);
    });
    return { upTo: seen, turns: new Set(turns) };
  }

  #commandOf({ source, by, via, door, target, ref, reason, force }: Omit<CancelMessage, 'type'>): CancelCommand {
    const cancel = this.#ids('cancel');
    return { cancel, ref: ref ?? null, source, by, via, door, reason: reason ?? null, target, force: force ?? false };
  }

  #cancelEvent(
    command: CancelCommand,
    addressed: number | undefined,
    nodes: readonly NodeEntry[],
    running: readonly NodeId[],
    detached = this.#parts.tree.detachedFrom(command.target, command.by?.id ?? null),
  ): SessionCancelEvent {
    const { tree, delegations, receipts } = this.#parts;
    const { source } = command;
    const by = command.by?.id ?? null;
    const reach = {
      nodes: nodes.map((entry) => ({
        ...standingNodeOf(entry, by, { tree, delegations }),
        cut: ruleOfCause(source).isRoutine ? entry.cut : entry.firstCause,
        shield: this.#shieldOver(entry, command),
      })),
      detached,
      running,
    };
    const evidence = this.#evidenceOf(source, by, addressed);
    const { policy, standing } = this.#judging;
    const judgment = judgeCancel(command, reach, evidence, policy, standing);
    const { plan, hasStanding } = judgment;
    const planned = new Map([...plan.stop, ...plan.deferred]);
    const isRepeat = hasStanding && [...planned].every(([id, cause]) => tree.get(id)?.firstCause === cause);
    const repeated = isRepeat ? receipts.findCovering(planned.keys()) : undefined;
    return { type: 'CANCEL', command, evidence, judgment, repeats: repeated?.accepted.cancel ?? null };
  }

  /** The shield that holds up a CANCEL of a node. */
  #shieldOver(entry: NodeEntry, { source, by, force }: CancelCommand): PlannedView['shield'] {
    const { tree } = this.#parts;
    // an input has no work that a shield protects
    if (opensShields(by, force) || entry.kind === 'input') return null;
    const turnShield = tree.turnShieldOver(entry);
    const isEndless = turnShield?.until === null;
    if (turnShield && !entry.cut && !ruleOfCause(source).isRoutine && !(source === 'shutdown' && isEndless))
      return 'turn';
    return tree.shieldedUntil(entry) === null ? null : 'region';
  }

  /** Stops what was deferred at and below a turn, if there is anything. */
  #readShieldEnd(turn: NodeId): SessionEvent | null {
    const { tree } = this.#parts;
    const nodes = tree.below(turn, null).filter(({ state }) => state.kind === 'pending');
    if (nodes.length === 0) return null;
    const stop = new Map(nodes.flatMap(({ id, firstCause }) => (firstCause ? [[id, firstCause] as const] : [])));
    const pending = nodes.filter((entry) => tree.shieldedUntil(entry) !== null).map(({ id }) => id);
    return {
      type: 'SHIELD_ENDED',
      plan: { stop, deferred: new Map(), pending, refused: [], detached: [], running: [] },
    };
  }
}

/** Whether a CANCEL is the one that was decided. `force` and `reason` may differ: a repeat with `force` skips the grace. */
const isSameCancel = ({ fact }: DecidedCommand, { target, by }: CancelMessage): boolean =>
  commandTypeOf(fact) === 'CANCEL' && 'target' in fact && fact.target === target && fact.by === by?.id;
