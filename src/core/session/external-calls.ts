// The calls of a session that bridges and programs run themselves: opened, reported on and settled by them, stopped through them.
//
// 1. A call belongs to the speaker for whom it was opened; only the speaker of the connection that has opened it reports on it and settles it, over any connection.
// 2. It is a call of a turn without a model: gates, standing, budgets, receipts and recovery are those of every call.
// 3. If its opener has no connection in the session for the grace, it is stopped; if nobody settles it then, it is abandoned, and not waited for any more.
import type { OpenCallEvent } from '../../../machines/session-events.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import type { LiveTree, NodeChange, TreeObserver } from '../live/tree.ts';
import type { Clock, Disarm, Ids } from '../sources/sources.ts';
import { matchesPattern } from '../tools/require-approval.ts';
import {
  commandKeyFor,
  commandName,
  type DecidedCommand,
  type DecidedCommands,
} from '../transcript/decided-commands.ts';
import type { FactSource } from '../transcript/history.ts';
import type { Appender } from '../transcript/journal.ts';
import { measuredText } from '../words/durations.ts';
import type { ExternalCallSource, OpenedCall } from '../workers/services.ts';
import type { Limits } from '../workers/session-limits.ts';
import type {
  CallStop,
  NoOpenCall,
  OpenCallReply,
  OpenCallRequest,
  ReportCallReply,
  ReportCallRequest,
  SettleCallReply,
  SettleCallRequest,
} from './call-api.ts';
import type { Caller } from './caller.ts';
import { ExternalCall } from './external-call.ts';
import type { Inbox } from './inbox.ts';
import { refReused } from './inbox.ts';
import type { Presence } from './presence.ts';
import { minTimeoutMs } from './tool-timeouts.ts';

export interface ExternalCallsParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly inbox: Inbox;
  readonly tree: LiveTree;
  readonly journal: Appender;
  readonly history: FactSource;
  readonly decided: DecidedCommands;
  readonly presence: Pick<Presence, 'listenersOf'>;
  /** Patterns of the names of calls that need the yes of their owner. */
  readonly approve: readonly string[];
  readonly limits: Pick<
    Limits,
    'openCalls' | 'openCallsPerSpeaker' | 'disconnectGraceMs' | 'toolTimeoutMaxMs' | 'toolCancelMs' | 'forceCancelMs'
  >;
}

export class ExternalCalls implements ExternalCallSource, TreeObserver {
  readonly #parts: ExternalCallsParts;
  /** By their ids, from their OPEN_CALL until their turn is gone. */
  readonly #calls = new Map<NodeId, ExternalCall>();
  /** Openers without a connection, with the timer of their grace. */
  readonly #away = new Map<SpeakerId, Disarm>();

  constructor(parts: ExternalCallsParts) {
    this.#parts = parts;
  }

  /** The calls whose turns are not gone. */
  get size(): number {
    return this.#calls.size;
  }

  // -- the commands

  async open(caller: Caller, request: OpenCallRequest): Promise<OpenCallReply> {
    const { decided, limits, ids, inbox, approve, clock } = this.#parts;
    const { ref = null, timeoutMs, name } = request;
    const key = ref === null ? null : commandKeyFor(caller, ref);
    const known = key && (decided.needsLookup(key) ? await decided.findLogged(key) : decided.findRecent(key));
    if (known) return repeatedReply(known, caller);
    const { toolTimeoutMaxMs } = limits;
    if (timeoutMs !== undefined && !(timeoutMs >= minTimeoutMs && timeoutMs <= toolTimeoutMaxMs)) {
      const message = `timeoutMs must be a whole number from ${minTimeoutMs} to ${toolTimeoutMaxMs} (limits.toolTimeoutMaxMs), not ${timeoutMs}.`;
      return { type: 'timeout_out_of_range', message, limit: toolTimeoutMaxMs };
    }
    const commandKey = key && commandName(key);
    const inFlight = [...this.#calls.values()].find((call) => commandKey !== null && call.key === commandKey);
    if (key && inFlight) {
      const reply = await inFlight.opened.promise;
      const opened = decided.findRecent(key); // a copy has a reply of its own, like every other repeat
      return opened ? repeatedReply(opened, caller) : reply;
    }
    const { speaker, via } = caller;
    const opener = via ?? speaker.id;
    const limit = this.#limitReached(opener);
    if (limit !== null) return { type: 'too_many_calls', limit };
    const call = new ExternalCall({
      id: ids('call'),
      turn: ids('turn'),
      owner: speaker.id,
      opener,
      key: commandKey,
      request,
      needsApproval: approve.some((pattern) => matchesPattern(pattern, name)),
      clock,
      budgets: { ms: limits.toolCancelMs, forceMs: limits.forceCancelMs },
      onStop: ({ opener: id }, stop) => {
        for (const listener of this.#parts.presence.listenersOf(id)) listener.stopCall?.(stop);
      },
    });
    this.#add(call);
    const turn = { id: call.turn, owner: call.owner, depth: 0, text: '', agent: null, opensCall: call.id };
    inbox.post({ type: 'OPEN_CALL', turn, ref, ...dropUndefined({ via }) });
    return call.opened.promise;
  }

  report(caller: Caller, { node, text }: ReportCallRequest): ReportCallReply {
    const call = this.#openCallOf(caller, node);
    if ('type' in call) return call;
    call.report(text);
    return { type: 'reported' };
  }

  settle(caller: Caller, request: SettleCallRequest): SettleCallReply {
    const { node } = request;
    const call = this.#openCallOf(caller, node, request.ref);
    if ('type' in call) return call;
    return call.settle(request) ? { type: 'settled', node } : { type: 'call_settled' };
  }

  // -- the decision of the session's machine

  /** The ref has been decided since the command was posted: true, and nothing is opened. */
  refuseDecided({ ref, turn, via }: OpenCallEvent): boolean {
    const { decided } = this.#parts;
    if (ref === null || !decided.findRecent({ speaker: via ?? turn.owner, ref })) return false;
    this.#calls.get(turn.opensCall)?.opened.resolve(refReused);
    this.#remove(turn.opensCall);
    return true;
  }

  /** Writes that the turn of a call was opened, and replies after the commit. */
  confirm({ turn: { id: turn, owner, opensCall: call }, ref, via }: OpenCallEvent): void {
    const about = { turn, kind: 'call', owner, lane: turn, text: '', ref, call, ...dropUndefined({ via }) } as const;
    const opened = this.#calls.get(call)?.opened;
    void this.#parts.journal
      .append([{ type: 'turn_opened', ...about }])
      .then(() => opened?.resolve({ type: 'call_opened', node: call, turn }));
    this.followOpener(via ?? owner);
  }

  /** The session is closing. */
  refuse({ turn: { opensCall } }: OpenCallEvent): void {
    this.#calls.get(opensCall)?.opened.reject(new Error('The session is closing.'));
    this.#remove(opensCall);
  }

  // -- for the workers

  find(call: NodeId): OpenedCall | null {
    return this.#calls.get(call) ?? null;
  }

  // -- the connections of openers

  /** A connection of the speaker has come or gone, or the speaker opens a call. */
  followOpener(opener: SpeakerId): void {
    if (!this.#isOpener(opener)) return;
    const { clock, limits } = this.#parts;
    if (this.#isHere(opener)) {
      this.#away.get(opener)?.();
      this.#away.delete(opener);
    } else if (!this.#away.has(opener))
      this.#away.set(
        opener,
        clock.after(limits.disconnectGraceMs, () => this.#stopCallsOf(opener)),
      );
  }

  /** The stops that calls of the opener are to obey: for a connection that has just joined. */
  stopsFor(opener: SpeakerId): readonly CallStop[] {
    return this.#callsOf(opener).flatMap(({ stop }) => stop ?? []);
  }

  nodeChanged({ id, workers, opensCall }: NodeEntry, change: NodeChange): void {
    if (change === 'gone') return opensCall === null ? undefined : this.#forget(opensCall);
    const call = change === 'settled' ? this.#calls.get(id) : undefined;
    if (!call) return;
    if (workers === 0) call.close();
    else if (!this.#isHere(call.opener)) call.release(); // it was abandoned
  }

  close(): void {
    for (const disarm of this.#away.values()) disarm();
    this.#away.clear();
    this.#parts.tree.unobserve(this);
    for (const call of this.#calls.values()) this.#releaseAbandoned(call); // nobody can settle them any more
  }

  #isHere(opener: SpeakerId): boolean {
    return this.#parts.presence.listenersOf(opener).length > 0;
  }

  #isOpener(speaker: SpeakerId): boolean {
    return this.#callsOf(speaker).length > 0;
  }

  #callsOf(opener: SpeakerId): readonly ExternalCall[] {
    return this.#calls.size === 0 ? [] : [...this.#calls.values()].filter((call) => call.opener === opener);
  }

  /** The grace of an opener without a connection is over. */
  #stopCallsOf(opener: SpeakerId): void {
    const { inbox, limits, tree } = this.#parts;
    this.#away.delete(opener);
    const reason = `${opener}, who runs it, has had no connection for ${measuredText(limits.disconnectGraceMs)}`;
    for (const call of this.#callsOf(opener)) {
      if (tree.get(call.id)?.runsOn) inbox.expire(call.turn, reason);
      else this.#releaseAbandoned(call);
    }
  }

  /** What was abandoned is not waited for any more. One that has no outcome yet may still be at work. */
  #releaseAbandoned(call: ExternalCall): void {
    if (this.#parts.tree.get(call.id)?.state.kind === 'settled') call.release();
  }

  /** Most sessions have no such call: the tree is observed while there is one. */
  #add(call: ExternalCall): void {
    if (this.#calls.size === 0) this.#parts.tree.observe(this, ['settled', 'gone']);
    this.#calls.set(call.id, call);
  }

  #remove(id: NodeId): void {
    if (this.#calls.delete(id) && this.#calls.size === 0) this.#parts.tree.unobserve(this);
  }

  #forget(id: NodeId): void {
    const call = this.#calls.get(id);
    this.#remove(id);
    if (!call || this.#isOpener(call.opener)) return;
    this.#away.get(call.opener)?.();
    this.#away.delete(call.opener);
  }

  #limitReached(opener: SpeakerId): number | null {
    const { openCalls, openCallsPerSpeaker } = this.#parts.limits;
    if (this.#calls.size >= openCalls) return openCalls;
    return this.#callsOf(opener).length >= openCallsPerSpeaker ? openCallsPerSpeaker : null;
  }

  /** Returns the call of the opener that has not ended, or that was settled under this ref. */
  #openCallOf({ speaker, via }: Caller, node: NodeId, ref?: string): ExternalCall | NoOpenCall {
    const opener = via ?? speaker.id;
    const call = this.#calls.get(node);
    if (call?.opener === opener) return call.hasEnded && ref === undefined ? { type: 'call_settled' } : call;
    const opened = this.#parts.history.facts().findLast((fact) => fact.type === 'turn_opened' && fact.call === node);
    const isTheirs = opened?.type === 'turn_opened' && (opened.via ?? opened.owner) === opener;
    return { type: !call && isTheirs ? 'call_settled' : 'unknown_call' };
  }
}

/** The reply to an OPEN_CALL whose ref was decided before. */
function repeatedReply({ fact }: DecidedCommand, { speaker }: Caller): OpenCallReply {
  if (fact.type !== 'turn_opened' || fact.call === undefined || fact.owner !== speaker.id) return refReused;
  return { type: 'call_opened', node: fact.call, turn: fact.turn, repeated: fact };
}
