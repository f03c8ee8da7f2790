// Runs one task in a session, for scripts: prints its progress, answers its questions, stops it at an interrupt.

import type { ClientSession } from '../client/joined-session.ts';
import type { TurnEvent } from '../client/turn-in-flight.ts';
import { SessionView } from '../client/view/session-view.ts';
import { printErrorLine, printJson, printLine } from '../core/text/print-line.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { showNames, withShownNames } from '../wire/shown-names.ts';
import { InterruptibleTurns } from './interruptible-turns.ts';
import { renderLines } from './render-line.ts';
import { failedCode } from './run-as-program.ts';
import { interruptedCode } from './signals.ts';

export interface TaskSession {
  readonly session: ClientSession;
  readonly speaker: string;
}

export interface TaskOptions {
  /** Print every event as JSON, instead of the result. */
  readonly isJson: boolean;
  /** The answer to every approval. */
  readonly approveAll: boolean;
  readonly interrupts: {
    /** Rejects if the start is interrupted. */
    readonly duringStart: Promise<never>;
    /** The task has started: `stop` is called for every interrupt, with its reason. */
    stopWith(stop: (reason: string) => void): void;
  };
}

const printError = (error: Error) => printErrorLine(`! ${error.message}`);

/** Resolves with the exit code. Rejects if the task was refused, or the start interrupted. */
export async function runTask(
  { session, speaker }: TaskSession,
  task: string,
  { isJson, approveAll, interrupts }: TaskOptions,
): Promise<number> {
  using view = new SessionView(withShownNames(session));
  await Promise.race([interrupts.duringStart, session.joined]);
  const turns = new InterruptibleTurns(session);
  turns.onError(printError);
  const printer = new TaskPrinter(view, speaker, isJson);
  const turn = turns.say(task);
  let wasInterrupted = false;
  interrupts.stopWith((reason) => {
    wasInterrupted = true;
    interruptTask(turns, reason);
  });
  // a receipt comes after the end of its turn, so that it is no event of it
  const receipts: ServerFrameOf<'cancel_settled'>[] = [];
  session.on('cancel_settled', (frame) => {
    if (frame.nodes.some(({ node }) => node === turn.id)) receipts.push(frame);
  });
  for await (const event of turn.withSubAgents()) {
    printer.print(event);
    answerQuestion(session, event, approveAll);
  }
  const { outcome } = await turn.ended;
  await turns.waitForStop();
  for (const receipt of receipts) printer.print(receipt);
  if (outcome !== 'completed') return wasInterrupted ? interruptedCode : failedCode;
  if (!isJson) printLine(await turn.reply());
  return 0;
}

function interruptTask(turns: InterruptibleTurns, reason: string): void {
  switch (turns.interrupt(reason)) {
    case 'cancelling':
      return printErrorLine('Received interrupt. Cancelling all running tools...');
    case 'forcing':
      return printErrorLine('Received interrupt again. Forcing...');
    case 'repeated':
      return process.exit(interruptedCode);
    case 'idle':
      return; // its turn has ended, and the process is about to
  }
}

/** Prints events as lines on stderr, or as JSON on stdout. */
class TaskPrinter {
  readonly #view: SessionView;
  readonly #speaker: string;
  readonly #isJson: boolean;

  constructor(view: SessionView, speaker: string, isJson: boolean) {
    this.#view = view;
    this.#speaker = speaker;
    this.#isJson = isJson;
  }

  print(frame: ServerFrame): void {
    if (this.#isJson) printJson(frame);
    if (this.#isJson && frame.type !== 'cancel_settled') return;
    const isQuestion = frame.type === 'approval_requested' || frame.type === 'question_asked';
    // of a question there is nothing to type: to no speaker it says what
    const viewer = { speaker: isQuestion ? '' : this.#speaker, isMine: () => true };
    for (const line of renderLines(showNames(frame), this.#view.getSnapshot(), viewer)) printErrorLine(line);
  }
}

/** Nobody is there to be asked: approvals have one answer, and a call that asks a question is stopped. */
function answerQuestion(session: ClientSession, event: TurnEvent, approveAll: boolean): void {
  if (event.type === 'approval_requested') {
    const answer = approveAll
      ? session.approve(event.node, { question: event.question })
      : session.deny(event.node, { question: event.question });
    answer.catch(printError);
  }
  if (event.type === 'question_asked') session.cancel(event.node, { reason: 'nobody is there to answer' });
}
