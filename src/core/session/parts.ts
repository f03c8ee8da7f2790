// The parts of one awake session, each made with the parts that it needs, in the order of their needs.
import type { AnyActorRef } from 'xstate';
import type { speechMachine } from '../../../machines/speech.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { defaultVoiceRules, type VoiceRules } from '../../../machines/voice.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { BlobStore } from '../contracts/blobs.ts';
import type { Log } from '../contracts/log.ts';
import type { Processes } from '../contracts/processes.ts';
import { stopPhraseReader } from '../intent/cancel-intent.ts';
import { StopBudgets } from '../live/budgets.ts';
import { Shields } from '../live/shields.ts';
import { SpokenText } from '../live/spoken-text.ts';
import { TextStream } from '../live/text-stream.ts';
import { LiveTree } from '../live/tree.ts';
import { DecidedCommands } from '../transcript/decided-commands.ts';
import { History } from '../transcript/history.ts';
import { Journal, type JournalFailure, type Projection } from '../transcript/journal.ts';
import { SessionBlobs } from '../transcript/session-blobs.ts';
import { SessionMembers } from '../transcript/session-members.ts';
import type { RuntimeServices, Services } from '../workers/services.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { JoinedSessionEnd, SessionListener } from './api.ts';
import { CancelCommands } from './cancels.ts';
import { Commands } from './commands.ts';
import { DeferredInputs } from './deferred-inputs.ts';
import { Delegations } from './delegations.ts';
import { ExternalCalls } from './external-calls.ts';
import { GivenTitle } from './given-title.ts';
import { GoOn } from './go-on.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import { Inbox, Replies } from './inbox.ts';
import { ModelCancels } from './model-cancels.ts';
import { notifyObservers, Observers } from './observers.ts';
import { OwnSpeech, type PlayedSpeech } from './own-speech.ts';
import { Presence, Rooms } from './presence.ts';
import { ReceiptIndex } from './receipt-index.ts';
import { ReceiptLookup } from './receipt-lookup.ts';
import { Receipts } from './receipts.ts';
import type { FactReader } from './recover-session.ts';
import type { ReportedEnds } from './reported-ends.ts';
import { RootTurnTimers } from './root-turn-timers.ts';
import { safeStanding } from './safe-standing.ts';
import { preparePhrases } from './said-content.ts';
import { SessionInvites } from './session-invites.ts';
import type { Observer, SessionSpec } from './session-spec.ts';
import type { SpeakerLedger } from './speaker-ledger.ts';
import { Speech, type SpeechAudience } from './speech.ts';
import { ToolTimeouts } from './tool-timeouts.ts';
import { type SpeakerTurns, TurnShares } from './turn-shares.ts';
import { StatusReader } from './turn-status.ts';
import { hasUsageLimits, UsageLimits } from './usage-limits.ts';

/** The rules of what is spoken in a session: in a text session those of its speakers' own connections. */
const voiceRulesOf = ({ voice = {} }: SessionSpec): VoiceRules => ({ ...defaultVoiceRules, ...dropUndefined(voice) });

/** Everybody who listens just now, as the audience of a speech. */
const listenersAs = (listeners: () => readonly SessionListener[]): SpeechAudience => ({
  speech: (change) => {
    for (const listener of listeners()) listener.speech?.(change);
  },
});

export interface PartsOptions {
  readonly id: string;
  readonly spec: SessionSpec;
  readonly runtime: RuntimeServices;
  readonly log: Log;
  readonly processes: Processes;
  readonly blobs: BlobStore;
  readonly observers: readonly Observer[];
  readonly reportedEnds: ReportedEnds;
  readonly ledger: SpeakerLedger;
  /** The open turns of the speakers of the host. */
  readonly speakerTurns: SpeakerTurns;
  /** The chart of the bot's speech with its actions. */
  readonly speechLogic: typeof speechMachine;
  /** Called when the journal has closed by itself. `error`: of the log. */
  onJournalFailure(reason: JournalFailure, error: unknown): void;
}

export class SessionParts {
  readonly inbox = new Inbox();
  readonly tree = new LiveTree();
  readonly replies = new Replies();
  readonly index = new ReceiptIndex();
  readonly members = new SessionMembers();
  readonly rooms = new Rooms(this.members.moderators);
  readonly invites: SessionInvites;
  readonly delegations: Delegations;
  readonly calls: ExternalCalls;
  readonly turnShares: TurnShares;
  readonly journal: Journal;
  readonly inputs: DeferredInputs;
  readonly presence: Presence;
  readonly history: History;
  readonly blobs: SessionBlobs;
  readonly text: TextStream;
  readonly budgets: StopBudgets;
  readonly shields: Shields;
  readonly receipts: Receipts;
  readonly observers: Observers;
  readonly keys: IdempotencyKeys;
  readonly lookup: ReceiptLookup;
  readonly decided: DecidedCommands;
  readonly acknowledgements: Acknowledgements;
  readonly commands: Commands;
  readonly cancels: CancelCommands;
  readonly timeouts = new ToolTimeouts();
  readonly title = new GivenTitle();
  /** The speech of the bridge of a voice session; null: it is a text session. */
  readonly speech: Speech | null;
  /** What is spoken at connections of speakers. */
  readonly ownSpeech: OwnSpeech;
  /** Everything that is spoken. */
  readonly speeches: Speech[] = [];
  /** The usage limits; empty: there are none. */
  readonly usageLimits: readonly UsageLimits[];
  readonly goOn: GoOn;

  /** The machine of the session, once it is inspected. */
  #inspectedBelow: AnyActorRef | null = null;

  constructor(options: PartsOptions) {
    const { id, spec, runtime, log, processes, blobs, observers, reportedEnds, ledger, speakerTurns } = options;
    const { limits, extensions, warn, sources, approve } = runtime;
    const { clock, ids } = sources;
    const { inbox, tree, replies, index, rooms } = this;
    const { storeDeadlineMs, disconnectGraceMs: graceMs, absentMs, checkpointMs, roomSpeakers, acceptWaitMs } = limits;
    const roomLimit = roomSpeakers;
    const { onDisconnect, whileRunning, stopPhrases } = spec;
    void preparePhrases(stopPhraseReader, stopPhrases);
    this.journal = new Journal({ log, session: id, clock, storeDeadlineMs, onFailure: options.onJournalFailure });
    this.inputs = new DeferredInputs({ tree, journal: this.journal, replies, clock });
    this.delegations = new Delegations(clock);
    this.invites = new SessionInvites(clock);
    const onConnections = (speaker: SpeakerId) => this.calls.followOpener(speaker);
    this.presence = new Presence({ clock, inbox, rooms, graceMs, absentMs, onDisconnect, roomLimit, onConnections });
    this.turnShares = new TurnShares(speakerTurns);
    this.history = new History(limits);
    this.blobs = new SessionBlobs({ store: blobs, session: id, limits, warn });
    this.text = new TextStream({ clock, listener: this.presence, journal: this.journal, checkpointMs });
    this.budgets = new StopBudgets(tree, clock, limits, (call) => processes.areEnding(call));
    this.shields = new Shields(tree, this.budgets, clock);
    this.receipts = new Receipts(tree, clock, inbox);
    this.acknowledgements = this.#createAcknowledgements(options);
    const { interceptors } = extensions;
    this.observers = new Observers({ session: id, observers, interceptors, reportedEnds, clock, warn });
    this.keys = new IdempotencyKeys(clock, limits.tombstoneMs);
    this.decided = new DecidedCommands(log, id);
    this.usageLimits = hasUsageLimits(limits) ? [new UsageLimits({ tree, inbox, limits, ledger, warn })] : [];
    const { keys, decided, receipts, journal, presence, history } = this;
    this.lookup = new ReceiptLookup({ session: id, log, tree, receipts, index, journal, clock, acceptWaitMs });
    const bridged = spec.kind === 'voice' ? this.#startSpeech(options, null) : null;
    this.speech = bridged?.speech ?? null;
    this.ownSpeech = this.#createOwnSpeech(options, bridged);
    this.calls = new ExternalCalls({ clock, ids, inbox, tree, journal, history, decided, presence, approve, limits });
    this.goOn = this.#createGoOn(spec);
    this.commands = new Commands({
      inbox,
      tree,
      journal,
      history,
      keys,
      decided,
      blobs: this.blobs,
      replies,
      members: this.members,
      invites: this.invites,
      rooms,
      presence: this.presence,
      delegations: this.delegations,
      calls: this.calls,
      speech: this.speech,
      ownSpeech: this.ownSpeech,
      speeches: this.speeches,
      whileRunning,
      stopPhrases,
      turnShares: this.turnShares,
      offers: runtime.offers,
      models: runtime.models,
      timeouts: this.timeouts,
      title: this.title,
      tools: runtime.tools,
      ids,
      clock,
      limits,
    });
    this.cancels = new CancelCommands({ inbox, tree, keys, decided, rooms, clock, acceptWaitMs });
    tree.observe(this.text, ['cut']);
    tree.observe(runtime.keys, ['settled', 'gone']);
    this.journal.setProjections(this.#projections(spec, runtime));
  }

  #createAcknowledgements({ spec, runtime }: PartsOptions): Acknowledgements {
    const { acknowledgement, limits, sources } = runtime;
    return new Acknowledgements({
      mode: spec.acknowledge ?? acknowledgement.mode,
      emoji: acknowledgement.emoji,
      kind: spec.kind,
      isParallel: spec.whileRunning === 'parallel',
      clock: sources.clock,
      ids: sources.ids,
      tree: this.tree,
      inbox: this.inbox,
      limits,
      journal: this.journal,
      history: this.history,
      presence: this.presence,
    });
  }

  #createGoOn(spec: PartsOptions['spec']): GoOn {
    const { resumePhrases: rule, stopPhrases: phrases, addressedFrom } = spec;
    const { tree, history } = this;
    return new GoOn({ rule, phrases, addressedFrom, tree, history, voice: voiceRulesOf(spec) });
  }

  /** Starts a speech. `speaker`: the only one whose turns it is of; null: it is of all. */
  #startSpeech(options: PartsOptions, speaker: SpeakerId | null): PlayedSpeech {
    const { id, spec, runtime, speechLogic: logic, observers } = options;
    const { addressedFrom } = spec;
    const { clock, ids } = runtime.sources;
    const { inbox, journal, presence, tree } = this;
    const { acknowledge = runtime.acknowledgement.mode } = spec;
    const spoken = new SpokenText(this.text, speaker);
    const speech: Speech = new Speech({
      logic,
      addressedFrom,
      tree,
      ids,
      journal,
      floor: speaker === null ? 'one' : 'each',
      acknowledgeMs: acknowledge === 'on' ? runtime.limits.acknowledgeMs : 0,
      audience: speaker === null ? presence : listenersAs(() => presence.listenersOf(speaker)),
      spoken,
      clock,
      rules: voiceRulesOf(spec),
      post: (event) => inbox.post({ type: 'SPEECH', to: speech, event }),
      observe: (event) => notifyObservers(observers, (observer) => observer.voice?.(id, event), runtime.warn),
    });
    tree.observe(speech, ['cut']);
    this.text.onPublished = (turn) => {
      for (const one of this.speeches) one.onPublished(turn);
    };
    if (this.#inspectedBelow) speech.inspectBelow(this.#inspectedBelow);
    this.speeches.push(speech);
    return { speech, spoken };
  }

  /** Shows the machines of what is spoken, now and later, below that of the session. */
  inspectSpeeches(session: AnyActorRef): void {
    this.#inspectedBelow = session;
    for (const speech of this.speeches) speech.inspectBelow(session);
  }

  #createOwnSpeech(options: PartsOptions, bridged: PlayedSpeech | null): OwnSpeech {
    const { spec, runtime } = options;
    const { presence, history, tree, speeches } = this;
    const project = () => this.journal.setProjections(this.#projections(spec, runtime));
    return new OwnSpeech({
      bridged,
      startSpeech: (speaker) => {
        const played = this.#startSpeech(options, speaker);
        project();
        return played;
      },
      endSpeech: (speech) => {
        speech.endAll();
        speech.close();
        tree.unobserve(speech);
        speeches.splice(speeches.indexOf(speech), 1);
        project();
      },
      isConnected: (connection) => presence.isJoined(connection),
      ownerOf: (turn) => history.roots.findLast((root) => root.turn === turn)?.owner,
    });
  }

  /** Everything that has to see the facts of the session, in this order. */
  #projections({ interruptible, shieldMs }: SessionSpec, { limits, sources }: RuntimeServices): readonly Projection[] {
    const { tree, inbox } = this;
    const times = { turnMs: limits.turnMs, shieldMs: interruptible ? null : (shieldMs ?? limits.shieldMs) };
    return [
      this.history,
      this.members,
      this.invites,
      this.delegations,
      this.timeouts,
      this.title,
      this.turnShares,
      this.index,
      this.decided,
      this.receipts,
      this.acknowledgements,
      ...this.speeches,
      ...this.usageLimits,
      ...(times.turnMs > 0 || times.shieldMs !== null ? [new RootTurnTimers(tree, inbox, sources.clock, times)] : []),
      this.presence,
      this.text,
      this.observers,
    ];
  }

  /** The narrow services that the session's workers may use. */
  servicesFor(id: string, { kind, policy, addressedFrom, standing }: SessionSpec, runtime: RuntimeServices): Services {
    const { inbox, tree, text, shields, journal, history, blobs, presence, cancels, acknowledgements } = this;
    const external = this.calls;
    const timeoutSetFor = (tool: string) => this.timeouts.all.get(tool);
    const timeoutOf: RuntimeServices['timeoutOf'] = (tool, askedMs) => {
      const setMs = timeoutSetFor(tool.name);
      if (setMs === undefined) return runtime.timeoutOf(tool, askedMs);
      return Math.min(setMs, askedMs || setMs, runtime.limits.toolTimeoutMaxMs); // 0 asks for no limit
    };
    return {
      runtime: { ...runtime, timeoutOf, timeoutSetFor },
      session: {
        id,
        kind,
        policy,
        addressedFrom,
        standing: standing && safeStanding(standing, runtime.warn),
      },
      inbox,
      tree,
      text,
      shields,
      journal,
      history,
      blobs,
      presence,
      cancels: new ModelCancels({ tree, cancels }),
      external,
      acknowledgements,
      status: new StatusReader(history, tree, presence, runtime.sources.clock),
    };
  }

  /** Everything that has to see the facts of earlier lives of the session. */
  get replayed(): readonly FactReader[] {
    return [
      this.history,
      this.blobs,
      this.members,
      this.invites,
      this.delegations,
      this.timeouts,
      this.title,
      this.observers,
      this.index,
      this.decided,
      this.goOn,
      ...this.usageLimits,
    ];
  }

  /** Whether nobody is in the session and nothing happens there. */
  get isIdle(): boolean {
    return this.presence.size === 0 && this.isAtRest;
  }

  /** Whether nothing happens in the session, but that the bot may be speaking. */
  get isAtRest(): boolean {
    const openNodes = this.speeches.reduce((sum, speech) => sum + speech.openNodes, 0);
    return this.tree.size === openNodes && this.receipts.size === 0;
  }

  /** Stops accepting and publishing. Those who have joined receive the reason; `error` is for those who wait for a reply. */
  close(reason: JoinedSessionEnd, error: unknown): void {
    this.inbox.close();
    this.commands.close(error);
    this.cancels.close(error);
    this.text.close();
    this.keys.close();
    this.presence.close(reason);
    this.receipts.close();
    this.budgets.close();
    this.turnShares.close();
    this.calls.close();
    this.acknowledgements.close();
  }

  /** Entries of every collection that is kept for nodes, commands or connections, by part: they return to what they were. */
  sizes(): Readonly<Record<string, number>> {
    const {
      tree,
      replies,
      turnShares,
      journal,
      presence,
      rooms,
      text,
      receipts,
      observers,
      keys: idempotencyKeys,
      acknowledgements,
      calls,
      ownSpeech,
    } = this;
    const parts = { tree, replies, turnShares, journal, presence, rooms, text, receipts, observers, idempotencyKeys };
    const sizes = Object.entries({ ...parts, acknowledgements, calls, ownSpeech }).map(([name, { size }]) => [
      name,
      size,
    ]);
    return { ...Object.fromEntries(sizes), receiptFold: receipts.foldSize, treeObservers: tree.observers };
  }
}
