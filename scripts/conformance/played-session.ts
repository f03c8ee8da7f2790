// The session that the program plays for a client under test: one turn, whose SAY and whose CANCEL get lost once each.
import { defaultGatewayLimits, publishedLimits } from '../../src/gateway/gateway-limits.ts';
import type { CancelFrame, JoinFrame, SayFrame, SessionFrame } from '../../src/wire/client-frames.ts';
import { subprotocol } from '../../src/wire/frame-limits.ts';
import type { ClientObservations } from './client-observations.ts';
import { CommandRecord } from './command-record.ts';

/** A connection of the client. */
export interface PlayedConnection {
  send(...frames: readonly object[]): void;
  /** Breaks it without a close frame. */
  break(): void;
}

const speaker = 'conformance';
const turn = 'turn_1';
const limits = publishedLimits(defaultGatewayLimits);
/** Frames of a type, and fields, that a client cannot know. */
const unknownFrame = { type: 'weather_changed', sky: 'blue' };
const unknownFields = { mood: { of: 'the gateway' } };

/** The feature that a gateway must have listed before a client may send the frame; null: each gateway knows it. The played one lists none. */
function featureOf(frame: SessionFrame): string | null {
  if (frame.type === 'CANCEL') return frame.target.startsWith('tools:') ? 'cancel_tools' : null;
  if (frame.type === 'SET_TIMEOUT') return 'tool_timeouts';
  if (frame.type === 'RENAME') return 'rename';
  return frame.type === 'FORK' ? 'fork' : null;
}

/** What the client has done: it goes through these in their order. */
const steps = [
  'it has not said HELLO',
  'it has not joined',
  'it has said nothing',
  'it has not come back after a break',
  'it has cancelled nothing',
  'it has not sent its CANCEL again',
  'it has not sent its CANCEL again after a fact of another speaker under its ref',
  'all was seen',
] as const;

export class PlayedSession {
  readonly #observations: ClientObservations;
  readonly #commands: CommandRecord;
  readonly #done = Promise.withResolvers<void>();
  /** The facts so far, each with its `seq`. */
  readonly #facts: (object & { readonly seq: number })[] = [];
  #name = '';
  #step = 0;
  /** The highest `seq` that the client has received. */
  #received = 0;
  #say: SayFrame | null = null;
  /** The replay has brought `turn_opened`. */
  #isSayAnswered = false;
  /** The first sending of the CANCEL, with what the client had received then. */
  #cancel: { readonly frame: CancelFrame; readonly seen: number; readonly isSayAnswered: boolean } | null = null;

  constructor(observations: ClientObservations) {
    this.#observations = observations;
    this.#commands = new CommandRecord(observations);
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  get isDone(): boolean {
    return this.#step === steps.length - 1;
  }

  /** What the client has not done yet. */
  get reached(): string {
    return steps[this.#step] ?? '';
  }

  /** The time is over: what the client should have done by itself, and has not, is a violation. */
  close(): void {
    const isSilent = this.#step > 0 && this.#observations.isOpen('client.unknown');
    if (isSilent) this.#observations.break('client.unknown', 'It did nothing more after frames of an unknown type.');
    if (this.#step === 5) this.#observations.break('client.cancel-again', 'It did not come again.');
    if (this.#step === 6) this.#observations.break('client.own-replies', 'It did not send its CANCEL again.');
  }

  greet(line: PlayedConnection): void {
    this.#reach(1);
    const about = { protocol: subprotocol, connection: 'conn_1', speaker, roles: ['member'], limits };
    line.send({ type: 'welcome', ...about, ...unknownFields }, unknownFrame);
  }

  join({ ref, session, after }: JoinFrame, line: PlayedConnection): void {
    if (this.#step >= 3) {
      const because = `It joined with after=${after}, and had received up to ${this.#received}.`;
      this.#observations.judge('client.after', after === this.#received, because);
    }
    if (this.#facts.length === 0) {
      this.#name = session;
      this.#append({ type: 'session_opened', kind: 'text', policy: 'anyone' });
    }
    this.#reach(2);
    const isOpen = this.#facts.length > 1 && !this.isDone;
    line.send(unknownFrame, {
      type: 'joined',
      ref,
      session,
      kind: 'text',
      policy: 'anyone',
      seq: this.#facts.length,
      nodes: isOpen
        ? [{ node: turn, kind: 'turn', owner: speaker, parent: null, name: null, state: 'running', since: 0 }]
        : [],
      blocks: isOpen ? [{ turn, index: 0, offset: 0, text: 'I am ' }] : [],
      questions: [],
      ...unknownFields,
    });
    this.#received = this.#facts.length;
    if (after === undefined) return;
    line.send(...this.#facts.filter(({ seq }) => seq > after), { type: 'replayed', ref, session });
    if (isOpen) line.send(...this.#speech());
    if (!this.#say) return;
    this.#isSayAnswered = true;
    this.#reach(4);
  }

  perform(frame: SessionFrame, line: PlayedConnection): void {
    this.#observations.keep('client.unknown'); // it goes on after such frames
    this.#commands.check(frame);
    const feature = featureOf(frame);
    if (feature !== null)
      this.#observations.break('client.features', `It sent ${frame.type}, and \`${feature}\` was not announced.`);
    if (frame.type === 'SAY') return this.#performSay(frame, line);
    if (frame.type === 'CANCEL') return this.#performCancel(frame, line);
    const about = { ref: frame.ref, session: this.#name };
    if (frame.type === 'RESUME')
      return line.send({ type: 'say_refused', ...about, code: 'unknown_turn', message: 'There is no such turn.' });
    if (frame.type === 'LEAVE') return line.send({ type: 'left', ...about });
    if (frame.type === 'REMOVE') {
      const removed = { type: 'member_removed', speaker: frame.speaker, by: speaker } as const;
      return line.send({ ...removed, ...about, repeated: true });
    }
    if (frame.type === 'DELEGATE') {
      const delegated = {
        type: 'stop_delegated',
        by: speaker,
        to: frame.speaker,
        target: frame.target ?? 'mine',
      } as const;
      return line.send({ ...delegated, until: frame.until ?? null, ...about, repeated: true });
    }
    if (frame.type === 'FORK')
      return line.send({ type: 'error', ...about, code: 'turn_not_forkable', message: 'There is no settled turn.' });
    if (frame.type === 'READ') return line.send({ type: 'read', ...about, offers: [] });
    if (frame.type === 'SPEAKER') {
      const { as: named, present, roles = ['member'] } = frame;
      return line.send({ type: 'speaker', ...about, speaker: named, present, roles });
    }
    if (frame.type === 'TRANSCRIPT' || frame.type === 'BARGE_IN' || frame.type === 'PLAYED')
      return line.send({ type: 'error', ...about, code: 'not_voice', message: 'This is a text session.' });
    if (frame.type === 'OPEN_CALL' || frame.type === 'REPORT_CALL' || frame.type === 'SETTLE_CALL')
      return line.send({ type: 'error', ...about, code: 'as_not_allowed', message: 'Nobody is a bridge here.' });
    if (frame.type === 'INVITE') {
      const invited = { type: 'member_invited', speaker: frame.speaker, by: speaker } as const;
      return line.send({ ...invited, ...about, repeated: true });
    }
    if (frame.type === 'RENAME')
      return line.send({ type: 'session_renamed', title: frame.title, by: speaker, ...about, repeated: true });
    if (frame.type === 'INVITE_LINK')
      return line.send({ type: 'error', ...about, code: 'access_denied', message: 'Nobody can be invited here.' });
    if (frame.type === 'REVOKE') {
      const revoked = { type: 'invite_revoked', invite: frame.invite, by: speaker } as const;
      return line.send({ ...revoked, ...about, repeated: true });
    }
    if (frame.type === 'SET_TIMEOUT') {
      const { tool, ms } = frame;
      return line.send({ type: 'tool_timeout_set', tool, ms, by: speaker, ...about, repeated: true });
    }
    line.send({
      type: 'answer_refused',
      ...about,
      target: frame.target,
      code: 'expired',
      message: 'Nothing is asked.',
    });
  }

  #performSay(frame: SayFrame, line: PlayedConnection): void {
    const { ref } = frame;
    if (!this.#say) {
      this.#say = frame;
      this.#reach(3);
      this.#append({
        type: 'turn_opened',
        turn,
        kind: 'say',
        owner: speaker,
        lane: speaker,
        text: frame.text,
        ref: ref ?? null,
      });
      this.#append({ type: 'turn_started', turn, owner: speaker, parent: null });
      this.#append({ type: 'model_started', turn, index: 0 });
      return line.break(); // the reply gets lost
    }
    if (ref !== undefined && ref === this.#say.ref)
      this.#observations.break('client.answered', 'It sent the SAY again, whose turn_opened was replayed.');
    line.send({ type: 'say_refused', ref, session: this.#name, code: 'lane_full', message: 'One turn is enough.' });
  }

  #performCancel(frame: CancelFrame, line: PlayedConnection): void {
    if (this.#isSayAnswered) this.#observations.keep('client.answered'); // it has gone on without sending the SAY again
    if (!this.#cancel) {
      this.#cancel = { frame, seen: this.#received, isSayAnswered: this.#isSayAnswered };
      this.#reach(5);
      return line.break(); // the reply gets lost
    }
    const { frame: first } = this.#cancel;
    if (frame.ref !== first.ref || frame.ref === undefined) {
      this.#observations.break('client.cancel-again', 'Another CANCEL came before the one that has no reply.');
      const reply = { ref: frame.ref, session: this.#name, target: frame.target, receipt: null };
      return line.send({ type: 'already_settled', ...reply });
    }
    this.#observations.keep('client.cancel-again');
    this.#checkKnowledge(frame);
    if (this.#step === 5) {
      this.#reach(6);
      // a command of another speaker under the same ref: it is no reply, so the CANCEL is sent once more
      const refusal = { ref: frame.ref, source: 'client', by: 'somebody-else', target: turn };
      this.#append({ type: 'cancel_refused', ...refusal, refused: [{ node: turn, reason: 'not_owner' }] });
      return line.break();
    }
    this.#observations.keep('client.own-replies');
    this.#observations.keep('client.features'); // it has sent nothing else by now
    this.#stop(frame, line);
    this.#reach(7);
    this.#done.resolve();
  }

  #checkKnowledge({ seen, says }: CancelFrame): void {
    if (!this.#cancel) return;
    const { isSayAnswered, seen: wantedSeen } = this.#cancel;
    const wantedSays = isSayAnswered ? [] : [this.#say?.ref];
    const isKept = seen === wantedSeen && says !== undefined && says.join() === wantedSays.join();
    const found = `seen=${seen} says=${JSON.stringify(says)}`;
    const wanted = `seen=${wantedSeen} says=${JSON.stringify(wantedSays)}`;
    this.#observations.judge('client.seen', isKept, `${found} instead of ${wanted}.`);
  }

  #stop({ ref = '' }: CancelFrame, line: PlayedConnection): void {
    const receipt = { cancel: 'cancel_1', ref };
    const cause = { source: 'client', by: speaker, reason: null, target: turn };
    const lists = { force: false, stopping: [turn], pending: [], refused: [], detached: [] };
    const usage = { kind: 'unknown', input: null, output: null };
    const end = { outcome: 'cancelled', effect: 'none' };
    line.send(
      this.#append({ type: 'cancel_accepted', ...receipt, ...cause, ...lists }),
      this.#append({
        type: 'model_ended',
        turn,
        index: 0,
        outcome: 'cancelled',
        text: 'I am speaking',
        cutOff: true,
        usage,
      }),
      this.#append({ type: 'turn_ended', turn, ...end, usage }),
      this.#append({ type: 'cancel_settled', ...receipt, cause, nodes: [{ node: turn, kind: 'turn', ...end, ms: 1 }] }),
    );
  }

  /** Deltas, one of them twice. */
  #speech(): readonly object[] {
    const delta = { type: 'text_delta', session: this.#name, turn, index: 0 };
    const [first, second] = [
      { ...delta, offset: 5, text: 'speak' },
      { ...delta, offset: 8, text: 'aking' },
    ];
    return [first, first, second];
  }

  #append(fact: object): object {
    const seq = this.#facts.length + 1;
    const frame = { session: this.#name, seq, at: 1_767_225_600_000 + seq, ...fact };
    this.#facts.push(frame);
    return frame;
  }

  #reach(step: number): void {
    this.#step = Math.max(this.#step, step);
  }
}
