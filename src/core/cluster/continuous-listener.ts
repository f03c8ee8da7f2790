// A listener that is joined again, at the same host or another one, without that its owner notices: it gets each fact once, and `joined` once.
import type { CancelAccepted, SequencedFact } from '../../../machines/facts.ts';
import type {
  ModelPreview,
  OutputDelta,
  SpeechChange,
  TextDelta,
  ToolProgress,
  ToolWaiting,
} from '../../../machines/live-view.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import type {
  CallStop,
  Joined,
  JoinedSessionEnd,
  PresenceChange,
  ReplayFrom,
  SessionListener,
} from '../session/api.ts';

export class ContinuousListener implements SessionListener {
  readonly #to: SessionListener;
  readonly #isOver: (reason: JoinedSessionEnd) => boolean;
  /** The last fact that was passed on. Null: `joined` says it. */
  #seq: number | null;
  /** Who is there, as far as the owner was notified. Null: it is not known. */
  #present: ReadonlySet<SpeakerId> | null = null;
  #state: 'new' | 'joined' | 'replayed' = 'new';

  /** `isOver`: called when the session has ended at its host; returns whether it has ended for the owner. */
  constructor(to: SessionListener, from: ReplayFrom, isOver: (reason: JoinedSessionEnd) => boolean) {
    this.#to = to;
    this.#isOver = isOver;
    this.#seq = from === null ? null : typeof from === 'number' ? from : 0;
  }

  /** Whether the owner was notified that it has joined. */
  get isJoined(): boolean {
    return this.#state !== 'new';
  }

  /** The last fact that was passed on. */
  get seq(): number {
    return this.#seq ?? 0;
  }

  joined(joined: Joined): void {
    this.#seq ??= joined.seq;
    const present = joined.room ? new Set(joined.room.present) : null;
    if (this.#state === 'new') {
      this.#state = 'joined';
      this.#present = present;
      return this.#to.joined(joined);
    }
    for (const block of joined.blocks) this.#to.text(block); // a client adds what it does not have
    for (const speaker of this.#present ?? [])
      if (present && !present.has(speaker)) this.presence({ speaker, present: false });
    for (const speaker of present ?? [])
      if (this.#present && !this.#present.has(speaker)) this.presence({ speaker, present: true });
    this.#present = present ?? this.#present;
  }

  replayed(): void {
    if (this.#state === 'joined') this.#to.replayed?.();
    this.#state = 'replayed';
  }

  waitForRoom(): Promise<void> | null {
    return this.#to.waitForRoom?.() ?? null;
  }

  fact(event: SequencedFact): void {
    if (event.seq <= this.seq) return;
    this.#seq = event.seq;
    this.#to.fact(event);
  }

  text(delta: TextDelta): void {
    this.#to.text(delta);
  }

  preview(preview: ModelPreview): void {
    this.#to.preview?.(preview);
  }

  output(delta: OutputDelta): void {
    this.#to.output(delta);
  }

  progress(progress: ToolProgress): void {
    this.#to.progress(progress);
  }

  waiting(waiting: ToolWaiting): void {
    this.#to.waiting?.(waiting);
  }

  accepted(receipt: CancelAccepted): void {
    this.#to.accepted(receipt);
  }

  presence(change: PresenceChange): void {
    const present = new Set(this.#present ?? []);
    if (change.present) present.add(change.speaker);
    else present.delete(change.speaker);
    this.#present = present;
    this.#to.presence?.(change);
  }

  speech(change: SpeechChange): void {
    this.#to.speech?.(change);
  }

  stopCall(stop: CallStop): void {
    this.#to.stopCall?.(stop);
  }

  ended(reason: JoinedSessionEnd): void {
    if (this.#isOver(reason)) this.#to.ended(reason);
  }
}
