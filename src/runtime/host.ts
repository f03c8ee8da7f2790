// A session while it is awake: its machine, and all that lies beside it, put together and taken apart again.
//
// Owner: runtime.ts. Neighbors: provide.ts ties the charts to workers, this file ties them to one session's world.
// 1. Every event enters on a fresh stack, in the order of the calls, with the live tree read in that moment.
// 2. A fact is told after its commit, and never again once the session has ended.
import { createActor } from 'xstate';
import type { CancelWish } from '../../machines/cancel.ts';
import type { Fact } from '../../machines/facts.ts';
import { abandonedEnded } from '../../machines/late.ts';
import type { SessionEvent } from '../../machines/session.ts';
import type { Cause, CauseSource, NodeId, Speaker } from '../../machines/vocabulary.ts';
import type { Limits } from '../actors/limits.ts';
import { type Plane, tie } from '../actors/plane.ts';
import { createBudgets } from '../live/budgets.ts';
import { createOutlet } from '../live/outlet.ts';
import { createTree, type Entry } from '../live/tree.ts';
import type { Sources } from '../sources/sources.ts';
import type { Schedule } from '../tools/schedule.ts';
import { createHistory } from '../transcript/history.ts';
import { createJournal, type Journal } from '../transcript/journal.ts';
import type { RuntimeConfig, SessionSpec } from './config.ts';
import { createDeadlines } from './deadlines.ts';
import { createDecisions, sayRefused } from './decisions.ts';
import type {
  CancelAnswer,
  CancelRequest,
  Listener,
  LiveNode,
  Member,
  SayAnswer,
  SequencedFact,
  SessionEnd,
} from './face.ts';
import { createHooks } from './hooks.ts';
import { createMembers } from './members.ts';
import { sessionLogic } from './provide.ts';
import { createReceipts } from './receipts.ts';
import { createRegister } from './register.ts';
import { holdBack, replay } from './replay.ts';
import { createSays } from './says.ts';
import { take } from './store.ts';
import { createUnwind } from './unwind.ts';

/** What all sessions of a runtime share. */
export interface Shared {
  readonly config: RuntimeConfig;
  readonly limits: Limits;
  readonly sources: Sources;
  readonly keys: Schedule;
  readonly holder: string;
  readonly offer: Plane['offer'];
  /** Ends processes that a dead host has left behind; says of which calls. */
  endLeftovers(calls: readonly NodeId[], facts: readonly Fact[]): Promise<readonly NodeId[]>;
  warn(message: string, error?: unknown): void;
}

/** How often a demolished session looks whether its last worker has ended. */
const lookMs = 20;

export type Host = ReturnType<typeof createHost>;

export function createHost(id: string, spec: SessionSpec, shared: Shared) {
  const { config, limits, sources, keys, warn } = shared;
  const { clock } = sources;

  // -- beside the machines
  const tree = createTree({ onCut: (entry) => entry.kind === 'turn' && outlet.close(entry.id) });
  const outlet = createOutlet({
    clock,
    checkpointMs: limits.checkpointMs,
    checkpoint: (piece) => void append([{ type: 'text_checkpoint', ...piece }]),
  });
  const budgets = createBudgets(tree, clock);
  const history = createHistory(limits);
  const register = createRegister();
  const says = createSays({ clock, tombstoneMs: limits.tombstoneMs });
  const hooks = createHooks(id, config.observers ?? [], warn);
  let journal: Journal | null = null;
  const append = (facts: readonly Fact[]): Promise<void> => journal?.append(facts) ?? new Promise(() => {});
  const receipts = createReceipts({ tree, clock, append });
  const expire = (node: NodeId, reason: string) =>
    enter(() => {
      const entry = tree.get(node);
      return entry?.state === 'open' && !entry.cut ? cancelEvent(wish('deadline', null, node, { reason })) : null;
    });
  const deadlines = createDeadlines({ clock, turnMs: limits.turnMs, expire });
  const members = createMembers({
    clock,
    graceMs: limits.disconnectGraceMs,
    onGone: (speaker) => {
      if (spec.onDisconnect === 'cancel')
        enter(() =>
          tree.below('mine', speaker.id).length > 0 ? cancelEvent(wish('disconnect', speaker, 'mine')) : null,
        );
    },
  });
  const stopWatchingKeys = tree.watch((entry) => {
    if (tree.get(entry.id)) keys.abandoned(entry.id);
    else keys.release(entry.id);
  });
  outlet.listen({
    text: (piece) => {
      for (const listener of members.listeners()) listener.text(piece);
    },
    output: (piece) => {
      for (const listener of members.listeners()) listener.output(piece);
    },
  });

  // -- events enter here
  /** Reads the event in a tick of its own: null if what it was meant for is over by then. */
  const enter = (read: () => SessionEvent | null) =>
    queueMicrotask(() => {
      if (end.reason !== null) return;
      const event = read();
      if (event) actor.send(event);
    });
  const wish = (
    source: CauseSource,
    by: Speaker | null,
    target: string,
    { ref, reason, force = false }: Pick<CancelRequest, 'ref' | 'reason' | 'force'> = {},
  ): CancelWish => ({
    cancel: sources.ids('cancel'),
    ref: ref ?? null,
    source,
    by,
    reason: reason ?? null,
    target,
    force,
  });
  const cancelEvent = (wished: CancelWish): SessionEvent => {
    const by = wished.by?.id ?? null;
    return {
      type: 'CANCEL',
      wish: wished,
      nodes: tree
        .below(wished.target, by)
        .map((entry) => ({ id: entry.id, kind: entry.kind, owner: entry.owner, cut: entry.cut, shielded: false })),
      detached: tree.detachedFrom(wished.target, by),
      evidence: { source: wished.source, participants: members.participants(by) },
    };
  };

  const plane: Plane = {
    session: id,
    policy: spec.policy,
    sources,
    limits,
    tree,
    budgets,
    outlet,
    history,
    keys,
    roots: config.roots ?? [],
    drafts: new Map(),
    offer: shared.offer,
    ...(config.buildContext && { buildContext: config.buildContext }),
    ...(config.ownerOfCall && { ownerOfCall: config.ownerOfCall }),
    append,
    deliver: (event) => enter(() => event),
    spawn: (turn) => enter(() => ({ type: 'SPAWN', turn, cut: tree.get(turn.id)?.cut ?? null })),
    expire,
    warn,
    actions: {
      recover,
      accept: (plan, event) => decisions.accept(plan, event),
      refuse: (plan, event) => decisions.refuse(plan, event),
      opened: (event) => decisions.opened(event),
      refuseSay: (event, code) => decisions.refuseSay(event, code),
      unwind: (node) => {
        unwind(node).catch((error: unknown) => warn(`${node} could not be unwound`, error));
      },
    },
  };
  const decisions = createDecisions({ plane, receipts, register, listeners: members.listeners });
  const unwind = createUnwind(plane);

  // -- the life of the session
  const opened = Promise.withResolvers<void>();
  const end: { reason: SessionEnd | null; readonly done: PromiseWithResolvers<void> } = {
    reason: null,
    done: Promise.withResolvers<void>(),
  };
  opened.promise.catch(() => {}); // who opens hears it

  async function recover(): Promise<void> {
    try {
      const taken = await take(config.log, id, shared.holder);
      journal = createJournal({
        log: config.log,
        session: id,
        epoch: taken.epoch,
        last: taken.last,
        clock,
        storeDeadlineMs: limits.storeDeadlineMs,
        onNumbered: learn,
        onCommitted: tellAll,
        onEnd: demolish,
      });
      epoch = taken.epoch;
      history.add(taken.facts);
      register.learn(taken.facts);
      const first: Fact[] = taken.last === 0 ? [{ type: 'session_opened', kind: spec.kind, policy: spec.policy }] : [];
      const ended = await shared.endLeftovers(taken.leftOver, taken.facts);
      await journal.append([...first, ...taken.missing, ...ended.map((node) => abandonedEnded(node))]);
    } catch (error) {
      opened.reject(error);
      throw error;
    }
  }
  let epoch = 0;
  function learn(events: readonly SequencedFact[]): void {
    const facts = events.map(({ fact }) => fact);
    history.add(facts);
    register.learn(facts);
    receipts.learn(facts);
    deadlines.learn(facts);
  }
  function tellAll(events: readonly SequencedFact[]): void {
    for (const event of events) {
      for (const listener of members.listeners()) listener.fact(event);
      hooks(event.seq, event.fact);
    }
  }

  const actor = createActor(sessionLogic, { input: { policy: spec.policy, laneLimit: limits.laneTurns } });
  tie(actor.system, plane);
  actor.subscribe({
    next: (state) => {
      if (state.matches('open')) opened.resolve();
    },
    complete: () => void finish(),
    error: (error) => {
      warn(`the machine of the session ${id} threw`, error);
      opened.reject(error);
      demolish('session_failed');
    },
  });

  const dismiss = (reason: SessionEnd) => {
    const listeners = members.listeners();
    for (const part of [members, outlet, says, deadlines]) part.end();
    for (const listener of listeners) listener.ended(reason);
    receipts.close();
    budgets.close();
  };
  /** The orderly end: all has settled. */
  async function finish(): Promise<void> {
    if (end.reason !== null) return;
    await receipts.allTold();
    await journal?.append([]);
    if (end.reason !== null) return;
    end.reason = 'shutdown';
    journal?.end();
    try {
      if (journal) await config.log.release(id, epoch);
    } catch (error) {
      warn(`the session ${id} could not be given back to the store`, error);
    }
    dismiss('shutdown');
    stopWatchingKeys();
    end.done.resolve();
  }
  /** The other end: nothing can be written any more, or nobody is left to decide. All is cut, nothing is claimed. */
  function demolish(reason: SessionEnd): void {
    if (end.reason !== null) return;
    end.reason = reason;
    journal?.end();
    const cause: Cause = { source: 'crash', by: null, reason, target: 'session' };
    const all = tree.all();
    tree.cut(new Map(all.map((entry) => [entry.id, entry.cut ?? cause])));
    dismiss(reason);
    const graceOver = clock.now() + limits.termGraceMs;
    const look = () => {
      const busy = all.filter((entry) => entry.working > 0 && entry.kind === 'tool-call');
      if (busy.length > 0 && clock.now() >= graceOver) for (const { id: node } of busy) tree.kill(node);
      if (busy.length > 0 && clock.now() < graceOver + limits.toolCancelMs) return void clock.after(lookMs, look);
      actor.stop(); // demolition: what is still at work has been told to stop twice
      for (const { id: node } of all) tree.leave(node);
      stopWatchingKeys();
      if (busy.length > 0) warn(`${busy.length} calls of ${id} were still at work when its session was demolished`);
      end.done.resolve();
    };
    look();
  }

  return {
    id,
    kind: spec.kind,
    policy: spec.policy,
    /** Resolves when the session takes events; rejects when it could not be taken from the store. */
    opened: opened.promise,
    /** Resolves when nothing of it is left. */
    ended: end.done.promise,
    isOpen: () => end.reason === null,
    isIdle: () => members.size === 0 && tree.size === 0 && receipts.size === 0,

    start: () => actor.start(),

    /** Asks the session to end: with a CANCEL first, when there is something to stop. */
    close(): void {
      enter(() => (tree.below('session', null).length > 0 ? cancelEvent(wish('shutdown', null, 'session')) : null));
      enter(() => ({ type: 'CLOSE' }));
    },
    demolish,

    async join(member: Member, listener: Listener, after: number | null): Promise<void> {
      const seq = journal?.committed ?? 0;
      const held = holdBack(listener, seq);
      members.join(member, held.listener);
      const joined = {
        session: id,
        kind: spec.kind,
        policy: spec.policy,
        seq,
        nodes: liveNodes(tree.all()),
        blocks: outlet.streaming(),
      };
      listener.joined(joined);
      try {
        await replay(config.log, joined, after, listener);
        held.flow();
      } catch (error) {
        members.leave(member.connection, 'left');
        throw error;
      }
    },

    leave(connection: string, how: 'left' | 'lost'): void {
      says.forget(connection);
      members.leave(connection, how);
    },

    say(
      { speaker, connection }: Member,
      { text, ref }: { readonly text: string; readonly ref?: string },
    ): Promise<SayAnswer> {
      if (end.reason !== null) return Promise.resolve(sayRefused('session_closing'));
      if (text.length > limits.sayChars) {
        const message = `text has ${text.length} characters; the limit is ${limits.sayChars}`;
        return Promise.resolve({ type: 'say_refused', code: 'text_too_long', message });
      }
      if (ref !== undefined && says.isBuried(connection, ref))
        return Promise.resolve(sayRefused('cancelled_before_start'));
      const turn = sources.ids('turn');
      if (ref !== undefined) says.said(connection, ref, turn);
      return new Promise((resolve) => {
        decisions.awaitSay(turn, resolve);
        const input = { id: turn, owner: speaker.id, depth: 0, text, agent: null };
        enter(() => ({ type: 'SAY', lane: speaker.id, turn: input, ref: ref ?? null }));
      });
    },

    cancel({ speaker, connection }: Member, request: CancelRequest): Promise<CancelAnswer> {
      const { target, ...rest } = request;
      const sayRef = target.startsWith('say:') ? target.slice('say:'.length) : null;
      const turn = sayRef === null ? target : says.turnOf(connection, sayRef);
      if (turn === undefined) {
        says.bury(connection, sayRef ?? '');
        return Promise.resolve({ type: 'unknown_target', target });
      }
      const wished = wish('client', speaker, turn, rest);
      return new Promise((resolve) => {
        enter(() => {
          if (tree.below(turn, speaker.id).length === 0) {
            resolve(decisions.nothingToPlan(wished));
            return null;
          }
          decisions.awaitCancel(wished.cancel, resolve);
          return cancelEvent(wished);
        });
      });
    },

    nodes: () => liveNodes(tree.all()),
  };
}

function liveNodes(entries: readonly Entry[]): readonly LiveNode[] {
  return entries.map(({ id: node, kind, owner, parent, name, since, state, cut }) => ({
    node,
    kind,
    owner,
    parent,
    name,
    state: state === 'settled' ? 'settled' : cut ? 'stopping' : 'running',
    since,
  }));
}
