// The questions that the tool of one call asks a person.
import type { CallWorkInput } from '../../../machines/contracts.ts';
import type { QuestionOptions } from '../contracts/tool.ts';
import type { QuestionAnswer } from '../live/node-entry.ts';
import { approvalOf, cannotAsk, isUnaskable, putQuestion, questionInWords } from './question.ts';
import type { Job } from './worker.ts';

type Needs = 'runtime' | 'session' | 'tree' | 'journal' | 'inbox' | 'text' | 'shields' | 'status' | 'cancels';

/** The questions of one call, one after the other: an answer names the call, and nothing else. */
export class CallQuestions {
  readonly #work: CallWorkInput;
  readonly #job: Job<Needs>;
  readonly #isOver: () => boolean;
  #last: Promise<unknown> = Promise.resolve();

  /** `isOver`: whether the call accepts no more answers. */
  constructor(work: CallWorkInput, job: Job<Needs>, isOver: () => boolean) {
    this.#work = work;
    this.#job = job;
    this.#isOver = isOver;
  }

  ask(question: QuestionOptions): Promise<string> {
    return this.#inOrder(async () => {
      const newQuestion = questionInWords({
        ...this.#textOf(question),
        choices: question.choices ?? [],
        schema: question.schema,
      });
      return answerOrThrow(await putQuestion(newQuestion, this.#job)).text ?? '';
    });
  }

  requestApproval(question: Omit<QuestionOptions, 'choices'>): Promise<boolean> {
    return this.#inOrder(async () => {
      const newQuestion = approvalOf(this.#textOf(question));
      return answerOrThrow(await putQuestion(newQuestion, this.#job)).answer === 'approved';
    });
  }

  #inOrder<T>(put: () => Promise<T>): Promise<T> {
    const answered = this.#last.then(() => {
      if (this.#isOver()) throw new Error('The call is over.');
      return put();
    });
    this.#last = answered.catch(() => {});
    return answered;
  }

  #textOf({ text, to = this.#work.call.owner, expiresMs, signal }: Omit<QuestionOptions, 'choices'>) {
    const { turn, id: node } = this.#work;
    return { turn, node, text, to, expiresMs, withdrawn: signal };
  }
}

function answerOrThrow(answer: QuestionAnswer | null): QuestionAnswer {
  if (answer === null) throw new Error('The question was withdrawn.');
  if (isUnaskable(answer)) throw new Error(cannotAsk);
  return answer;
}
