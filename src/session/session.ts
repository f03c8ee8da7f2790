// A session while it is awake: its machine, and all that lies beside it, put together and taken apart again.
//
// Owner: runtime.ts. Neighbors: provide.ts ties the charts to workers; entrance.ts is where events come in.
// 1. A fact is told after its commit, and never again once the session has ended.
// 2. It has two ends: `finish`, when all has settled, and `demolish`, when nothing can be written or decided any more.
import { createActor } from 'xstate';
import type { Fact, SequencedFact } from '../../machines/facts.ts';
import { abandonedEnded } from '../../machines/late-facts.ts';
import type { LiveNode } from '../../machines/live-view.ts';
import type { sessionMachine } from '../../machines/session.ts';
import type { Cause, NodeId } from '../../machines/vocabulary.ts';
import { createBudgets } from '../live/budgets.ts';
import { createShields } from '../live/shields.ts';
import { createRivals } from '../live/superseding-calls.ts';
import { createOutlet } from '../live/text-stream.ts';
import { createTree, type Entry } from '../live/tree.ts';
import type { Sources } from '../sources/sources.ts';
import type { KeyService } from '../tools/keys.ts';
import { createHistory } from '../transcript/history.ts';
import { createJournal, type Journal } from '../transcript/journal.ts';
import type { Log } from '../transcript/log.ts';
import { type Inspector, type Interceptor, type Plane, tie } from '../workers/services.ts';
import type { Limits } from '../workers/session-limits.ts';
import { createDecisions, sayRefused } from './actions.ts';
import type { Caller, SayReply, SayRequest, SessionEnd, SessionListener } from './api.ts';
import { holdBack, pageSize, replay } from './catch-up.ts';
import { readRegister, take } from './claim.ts';
import { createUnwind } from './crash.ts';
import { createSays } from './idempotency-keys.ts';
import { createEntrance } from './inbox.ts';
import { createHooks } from './observers.ts';
import { createMembers } from './presence.ts';
import { createRegister } from './receipt-index.ts';
import { createReceipts } from './receipts.ts';
import { sheltered } from './safe-standing.ts';
import type { Observer, SessionSpec } from './session-spec.ts';
import { createDeadlines } from './turn-deadlines.ts';
import { statusOf } from './turn-status.ts';

/** What a configuration gives to each session. */
export interface SessionParts {
  readonly log: Log;
  readonly roots?: readonly string[];
  readonly interceptors?: readonly Interceptor[];
  readonly observers?: readonly Observer[];
  readonly inspector?: Inspector;
  readonly buildContext?: Plane['buildContext'] & {};
  readonly ownerOfCall?: Plane['ownerOfCall'] & {};
}

/** What all sessions of a runtime share. */
export interface Shared {
  readonly config: SessionParts;
  /** The session's chart with its workers. */
  readonly logic: typeof sessionMachine;
  readonly limits: Limits;
  readonly sources: Sources;
  readonly keys: KeyService;
  readonly holder: string;
  readonly offer: Plane['offer'];
  /** By name, where the configuration says so. */
  readonly toolTimeouts: ReadonlyMap<string, number>;
  /** Ends processes that a dead host has left behind; says of which calls. */
  endLeftovers(calls: readonly NodeId[], facts: readonly Fact[]): Promise<readonly NodeId[]>;
  warn(message: string, error?: unknown): void;
}

/** How often a demolished session looks whether its last worker has ended. */
const lookMs = 20;

export type Host = ReturnType<typeof createHost>;

export function createHost(id: string, spec: SessionSpec, shared: Shared) {
  const { config, limits, sources, keys, toolTimeouts, warn } = shared;
  const { clock } = sources;
  const interceptors = config.interceptors ?? [];
  const own = spec.standing ? { standing: sheltered(spec.standing, warn) } : {};

  // -- beside the machines
  const tree = createTree({ onCut: (entry) => entry.kind === 'turn' && outlet.mute(entry.id) });
  const outlet = createOutlet({
    clock,
    checkpointMs: limits.checkpointMs,
    checkpoint: (piece) => void append([{ type: 'text_checkpoint', ...piece }]),
  });
  const budgets = createBudgets(tree, clock);
  const budgetMs = (forced: boolean) => (forced ? limits.forceCancelMs : limits.toolCancelMs);
  const shields = createShields({ tree, budgets, clock, budgetMs });
  const history = createHistory(limits);
  const register = createRegister();
  const says = createSays({ clock, tombstoneMs: limits.tombstoneMs });
  const hooks = createHooks({ session: id, observers: config.observers ?? [], interceptors, warn });
  let journal: Journal | null = null;
  let epoch = 0;
  const append = (facts: readonly Fact[]): Promise<void> => journal?.append(facts) ?? new Promise(() => {});
  const receipts = createReceipts({ tree, clock, append });
  const members = createMembers({
    clock,
    graceMs: limits.disconnectGraceMs,
    onGone: (speaker) => {
      if (spec.onDisconnect === 'cancel') entrance.cancelAll('disconnect', speaker, 'mine');
    },
  });
  const deadlines = createDeadlines({
    clock,
    tree,
    turnMs: limits.turnMs,
    expire: (...due) => entrance.expire(...due),
  });
  const stopWatchingKeys = tree.watch((entry) => {
    if (tree.get(entry.id)) keys.markAbandoned(entry.id);
    else keys.release(entry.id);
  });
  const toAll = (tell: (listener: SessionListener) => void) => {
    for (const listener of members.listeners()) tell(listener);
  };
  outlet.listen({
    text: (piece) => toAll((listener) => listener.text(piece)),
    output: (piece) => toAll((listener) => listener.output(piece)),
    progress: (progress) => toAll((listener) => listener.progress(progress)),
  });

  const plane: Plane = {
    session: id,
    policy: spec.policy,
    ...own,
    sources,
    limits,
    tree,
    budgets,
    shields,
    outlet,
    history,
    keys,
    interceptors,
    rivals: createRivals(tree),
    roots: config.roots ?? [],
    drafts: new Map(),
    offer: shared.offer,
    ...(config.buildContext && { buildContext: config.buildContext }),
    ...(config.ownerOfCall && { ownerOfCall: config.ownerOfCall }),
    ...(config.inspector && { inspector: config.inspector }),
    append,
    deliver: (event) => entrance.enter(() => event),
    spawn: (turn) => entrance.enter(() => ({ type: 'SPAWN', turn, cut: tree.get(turn.id)?.cut ?? null })),
    expire: (...due) => entrance.expire(...due),
    timeOut: (...due) => entrance.timeOut(...due),
    timeoutOf: ({ name, timeoutMs }) => toolTimeouts.get(name) ?? (typeof timeoutMs === 'number' ? timeoutMs : 0),
    supersede: (...wish) => entrance.supersede(...wish),
    cancelAgent: (...wish) => entrance.cancelAgent(...wish),
    statusOf: (turn) =>
      statusOf(turn, { facts: history.facts(), tree, speakers: members.speakers(), now: clock.now() }),
    participants: members.participants,
    warn,
    actions: {
      recover,
      accept: (plan, event) => decisions.accept(plan, event),
      refuse: (plan, event) => decisions.refuse(plan, event),
      opened: (event) => decisions.opened(event),
      refuseSay: (event, code) => decisions.refuseSay(event, code),
      answer: (event) => decisions.answer(event),
      refuseAnswer: (event, code) => decisions.refuseAnswer(event, code),
      unwind: (node) => {
        unwind(node).catch((error: unknown) => warn(`${node} could not be unwound`, error));
      },
    },
  };
  const decisions = createDecisions({
    plane,
    receipts,
    register,
    listeners: members.listeners,
    wholeRegister: () => readRegister(config.log, id),
  });
  const unwind = createUnwind(plane);
  const entrance = createEntrance({
    tree,
    sources,
    members,
    says,
    decisions,
    send: (event) => {
      if (end.reason === null) actor.send(event);
    },
    tellTimeout: (node, ms) => void append([{ type: 'tool_timeout', node, ms }]),
  });

  // -- the life of the session
  const opened = Promise.withResolvers<void>();
  const end: { reason: SessionEnd | null; readonly done: PromiseWithResolvers<void> } = {
    reason: null,
    done: Promise.withResolvers<void>(),
  };
  opened.promise.catch(() => {}); // who opens hears it

  async function recover(): Promise<void> {
    try {
      const taken = await take(config.log, id, shared.holder, clock.now());
      epoch = taken.epoch;
      journal = createJournal({
        log: config.log,
        session: id,
        epoch,
        last: taken.last,
        clock,
        storeDeadlineMs: limits.storeDeadlineMs,
        onNumbered: learn,
        onCommitted: tellAll,
        onEnd: demolish,
      });
      history.add(taken.facts);
      hooks.learn(taken.facts);
      register.learn(taken.facts);
      const first: Fact[] = taken.last === 0 ? [{ type: 'session_opened', kind: spec.kind, policy: spec.policy }] : [];
      const ended = await shared.endLeftovers(taken.leftOver, taken.facts);
      const said = new Set(taken.missing.flatMap((fact) => (fact.type === 'abandoned_ended' ? fact.node : [])));
      const late = ended.filter((node) => !said.has(node)).map((node) => abandonedEnded(node));
      await journal.append([...first, ...taken.missing, ...late]);
    } catch (error) {
      opened.reject(error);
      throw error;
    }
  }
  function learn(events: readonly SequencedFact[]): void {
    const facts = events.map(({ fact }) => fact);
    history.add(facts);
    register.learn(facts);
    receipts.learn(facts);
    deadlines.learn(facts);
    if (spec.interruptible) return;
    for (const fact of facts) {
      if (fact.type === 'turn_started' && fact.parent === null) shields.begin(fact.turn, limits.shieldMs);
    }
  }
  function tellAll(events: readonly SequencedFact[]): void {
    for (const event of events) {
      const { fact } = event;
      toAll((listener) => listener.fact(event));
      if (fact.type === 'model_started') outlet.show(fact.turn, fact.index);
      hooks.hear(event.seq, fact);
    }
  }

  const actor = createActor(shared.logic, { input: { policy: spec.policy, laneLimit: limits.laneTurns, ...own } });
  tie(actor, plane);
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

  const isIdle = () => members.size === 0 && tree.size === 0 && receipts.size === 0;
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
  /** The other end: all is cut, nothing is claimed; recovery closes what is open. */
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
    /** Whether commands can be handed over at once. */
    isReady: () => end.reason === null && !actor.getSnapshot().matches('recovering'),

    start: () => actor.start(),

    /** Asks the session to end if nobody is in it and nothing happens: asked again in the tick in which it would. */
    sleep: () => entrance.enter(() => (isIdle() ? { type: 'CLOSE' } : null)),
    /** Asks the session to end: with a CANCEL first, when there is something to stop. */
    close(force: boolean): void {
      entrance.cancelAll('shutdown', null, 'session', force);
      entrance.enter(() => ({ type: 'CLOSE' }));
    },
    demolish,

    async join(member: Caller, listener: SessionListener, after: number | null): Promise<void> {
      const committed = () => journal?.committed ?? 0;
      const place = { session: id, kind: spec.kind, policy: spec.policy, seq: committed() };
      const questions = tree.all().flatMap(({ question }) => question?.asked ?? []);
      const joined = { ...place, nodes: tree.all().map(liveNode), blocks: outlet.streaming(), questions };
      if (after === null) {
        members.join(member, listener);
        listener.joined(joined);
        return;
      }
      const held = holdBack(listener);
      members.join(member, held.listener);
      listener.joined(joined);
      try {
        const read = (seq: number) => config.log.read(id, seq, pageSize);
        await replay(held, { after, read, committed, isWanted: () => members.hears(held.listener) });
      } catch (error) {
        members.leave(member.connection, 'left');
        throw error;
      }
    },

    leave(connection: string, how: 'left' | 'lost'): void {
      says.forget(connection);
      members.leave(connection, how);
    },

    say(member: Caller, { text, ref }: SayRequest): Promise<SayReply> {
      if (end.reason !== null) return Promise.resolve(sayRefused('session_closing'));
      if (text.length > limits.sayChars) {
        const message = `text has ${text.length} characters; the limit is ${limits.sayChars}`;
        return Promise.resolve({ type: 'say_refused', code: 'text_too_long', message });
      }
      if (ref !== undefined && says.isBuried(member.connection, ref))
        return Promise.resolve(sayRefused('cancelled_before_start'));
      return entrance.say(member, text, ref ?? null);
    },

    cancel: entrance.cancel,
    settled: (cancel: string) => decisions.settled(cancel),
    answer: entrance.answer,
    nodes: (): readonly LiveNode[] => tree.all().map(liveNode),
  };
}

function liveNode({ id: node, kind, owner, parent, name, since, state, cut }: Entry): LiveNode {
  const now = state === 'settled' ? 'settled' : cut ? 'stopping' : 'running';
  return { node, kind, owner, parent, name, state: now, since };
}
