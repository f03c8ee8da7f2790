// The actions of the session's machine: what follows from its decision on a SAY, an answer, and a crash; cancels.ts has those of a CANCEL.
import type { AnswerCode, RefusalCode } from '../../../machines/codes.ts';
import type { TurnOpened } from '../../../machines/facts.ts';
import type { DeferredInput } from '../../../machines/lanes.ts';
import type { AcknowledgeEvent, AnswerEvent, OpenCallEvent, SaidEvent } from '../../../machines/session-events.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import { withCommand } from '../transcript/decided-commands.ts';
import type { Services, SessionActions } from '../workers/services.ts';
import { CancelActions, type CancelActionsParts } from './cancels.ts';
import type { CrashHandler } from './crash.ts';
import { refusedSay } from './inbox.ts';
import type { SessionParts } from './parts.ts';

interface ActionsOptions {
  readonly services: Services;
  readonly parts: CancelActionsParts &
    Pick<SessionParts, 'tree' | 'inputs' | 'journal' | 'replies' | 'keys' | 'acknowledgements' | 'calls'>;
  readonly crashes: CrashHandler;
  /** Claims the session and closes what a dead process left open. */
  recover(): Promise<void>;
}

export class Actions implements SessionActions {
  readonly cancels: CancelActions;
  readonly #services: Services;
  readonly #parts: ActionsOptions['parts'];
  readonly #crashes: CrashHandler;
  readonly #recover: () => Promise<void>;

  constructor({ services, parts, crashes, recover }: ActionsOptions) {
    this.cancels = new CancelActions(services, parts);
    this.#services = services;
    this.#parts = parts;
    this.#crashes = crashes;
    this.#recover = recover;
  }

  recover(): Promise<void> {
    return this.#recover();
  }

  confirmSay({ turn: said, lane, ref, command, via, resumption, spoken }: SaidEvent): void {
    const { id: turn, owner, text, parts, options } = said;
    const { journal, replies } = this.#parts;
    const opened: TurnOpened = {
      type: 'turn_opened',
      turn,
      kind: 'say',
      owner,
      lane,
      text,
      ref,
      ...dropUndefined({ parts, options, resumes: resumption?.turn?.id, via, spoken }),
    };
    const seq = journal.lastSeq + 1;
    void journal.append([withCommand(opened, command)]).then(() => {
      replies.says.reply(turn, { type: 'turn_opened', turn, seq });
    });
  }

  confirmCall(event: OpenCallEvent): void {
    this.#parts.calls.confirm(event);
  }

  refuseCall(event: OpenCallEvent): void {
    this.#parts.calls.refuse(event);
  }

  confirmInput(input: DeferredInput): void {
    this.#parts.inputs.add(input);
  }

  queueInput(input: DeferredInput): void {
    this.#parts.inputs.open(input);
  }

  openAcknowledgement(event: AcknowledgeEvent): void {
    this.#parts.acknowledgements.open(event);
  }

  refuseSay({ turn }: SaidEvent, code: RefusalCode): void {
    const { keys, replies } = this.#parts;
    keys.markRefused(turn.id);
    replies.says.reply(turn.id, refusedSay(code));
  }

  closeQuestion({ id, answer, text, by, via, ref, target }: AnswerEvent): void {
    const { tree, replies } = this.#parts;
    tree.get(target)?.question?.answer({ answer, text, by: by.id, via, ref });
    replies.answers.reply(id, { type: 'answer_taken' });
  }

  /** Replies after the commit of what closed the question: a repeated answer gets the reply to the first one before. */
  refuseAnswer({ id, target }: AnswerEvent, code: AnswerCode): void {
    const { journal, replies } = this.#parts;
    void journal.append([]).then(() => replies.answers.reply(id, { type: 'answer_refused', target, code }));
  }

  unwindCrash(node: NodeId): void {
    this.#crashes
      .unwind(node)
      .catch((error: unknown) => this.#services.runtime.warn(`${node} could not be unwound.`, error));
  }
}
