// The approvals and questions that are put to the person at a terminal: shown above the input, one after the other, and answered by a key or a typed text.
import type { ClientSession } from '../client/joined-session.ts';
import { isAnswerTime } from '../client/view/question-guard.ts';
import type { SessionView } from '../client/view/session-view.ts';
import type { QuestionView, SessionSnapshot } from '../client/view/snapshot.ts';
import { fieldsOf } from '../core/collections/fields.ts';
import { msBetween } from '../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../core/sources/sources.ts';
import { writeOutHidden } from '../core/text/printable.ts';
import { countText } from '../core/words/count-text.ts';
import { approvalLines } from './approval-lines.ts';
import { wrapLine } from './chat-lines/line-width.ts';
import { lineOf, plainText } from './chat-lines/styled-text.ts';
import type { KeyQuestion, LiveSize, TerminalView } from './terminal/terminal-view.ts';

export interface AskedQuestionsOptions {
  readonly terminal: TerminalView;
  readonly session: Pick<ClientSession, 'approve' | 'deny' | 'answer'>;
  readonly view: Pick<SessionView, 'getSnapshot' | 'subscribe'>;
  readonly speaker: string;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly onError: (error: unknown) => void;
}

/** Lines of a text that are shown before it is expanded. */
const maxTextLines = 8;
const indent = '  ';

export class AskedQuestions {
  readonly #options: AskedQuestionsOptions;
  /** What closes each open one, in the order in which they came. */
  readonly #open = new Map<string, () => void>();
  readonly #unsubscribe: () => void;

  constructor(options: AskedQuestionsOptions) {
    this.#options = options;
    this.#unsubscribe = options.view.subscribe(() => this.#update(options.view.getSnapshot()));
    this.#update(options.view.getSnapshot());
  }

  close(): void {
    this.#unsubscribe();
    for (const close of this.#open.values()) close();
    this.#open.clear();
  }

  #update({ questions, nodes }: SessionSnapshot): void {
    const { speaker, terminal } = this.#options;
    const asked = questions.filter(({ to }) => to === speaker);
    for (const [key, close] of this.#open) {
      if (asked.some((question) => keyOf(question) === key)) continue;
      this.#open.delete(key);
      close();
    }
    for (const question of asked) {
      if (this.#open.has(keyOf(question))) continue;
      const name = nodes.find(({ id }) => id === question.node)?.name ?? 'A call';
      this.#open.set(keyOf(question), terminal.openQuestion(this.#keyQuestion(question, name)));
    }
  }

  #keyQuestion(question: QuestionView, name: string): KeyQuestion {
    const { terminal, clock } = this.#options;
    let shownAt: MonotonicTime | null = null;
    const isAnswer = (beganAt: MonotonicTime) => isAnswerTime(shownAt === null ? null : msBetween(shownAt, beganAt));
    const whole = approvalLines(question);
    const title =
      question.kind === 'approval'
        ? `${writeOutHidden(name)} asks for your approval:`
        : `${writeOutHidden(name)} asks you:`;
    const all = () => [terminal.style('yellow', title), ...whole.map((line) => `${indent}${line}`)];
    const answers = this.#answers(question);
    const guarded = (act: () => void) => () => {
      if (!isAnswer(clock.elapsed())) return false; // it was meant for the input
      act();
      return true;
    };
    const keys = { ...answers.keys, v: () => terminal.print(all()) };
    return {
      keys: Object.fromEntries(Object.entries(keys).map(([key, act]) => [key, guarded(act)])),
      ...(answers.onText && {
        onText: (text: string, since: MonotonicTime) => {
          if (text.startsWith('/') || !isAnswer(since)) return false;
          answers.onText?.(text);
          return true;
        },
      }),
      expand: all,
      render: ({ columns }: LiveSize) => {
        shownAt ??= clock.elapsed();
        const rows = whole
          .flatMap((line) => wrapLine(lineOf(line), Math.max(10, columns - indent.length)))
          .map(plainText);
        const shown = rows.length > maxTextLines ? rows.slice(0, maxTextLines - 1) : rows;
        const hidden = rows.length - shown.length;
        const waiting = this.#open.size - 1;
        return [
          terminal.style(['bold', 'yellow'], title),
          ...shown.map((row) => `${indent}${row}`),
          ...(hidden > 0
            ? [terminal.style('dim', `${indent}… ${countText(hidden, 'more line')}: v shows all of it`)]
            : []),
          ...fieldLines(question).map((line) => `${indent}${line}`),
          `${indent}${terminal.style('bold', answers.hint)}${hidden > 0 ? '  v all' : ''}${waiting > 0 ? terminal.style('dim', `  (${countText(waiting, 'more question')} after this one)`) : ''}`,
        ];
      },
    };
  }

  /** What each key does, what a typed text does, and the words for it. */
  #answers(question: QuestionView): {
    readonly keys: Readonly<Record<string, () => void>>;
    readonly onText?: (text: string) => void;
    readonly hint: string;
  } {
    const { session, onError } = this.#options;
    const { node, id, choices } = question;
    const options = { question: id ?? undefined };
    if (question.kind === 'approval') {
      return {
        keys: {
          y: () => void session.approve(node, options).catch(onError),
          n: () => void session.deny(node, options).catch(onError),
        },
        hint: 'y yes  n no',
      };
    }
    const answer = (text: string) => void session.answer(node, text, options).catch(onError);
    const byKey = choices.slice(0, 9).map((choice, i) => [String(i + 1), () => answer(choice)] as const);
    const listed = choices.slice(0, 9).map((choice, i) => `${i + 1} ${writeOutHidden(choice)}`);
    return {
      keys: Object.fromEntries(byKey),
      onText: answer,
      hint:
        listed.length > 0
          ? listed.join('  ')
          : 'Type the answer, and press Enter. /steer says something else to the bot.',
    };
  }
}

const keyOf = ({ id, node }: QuestionView): string => id ?? node;

/** Returns a line for each value that a question with a schema asks for, and how to write them. */
function fieldLines({ schema }: QuestionView): readonly string[] {
  if (schema === null) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(fieldsOf(schema['properties'])).map(([name, property]) => {
    const { title, description, type, enum: values } = fieldsOf(property);
    const kind = Array.isArray(values) ? values.join(' / ') : String(type ?? 'text');
    const about = [title, description].filter((text) => typeof text === 'string' && text !== name).join(': ');
    const line = `${name} (${kind}${required.includes(name) ? '' : ', may be left out'})${about === '' ? '' : `: ${about}`}`;
    return writeOutHidden(line).replaceAll('\n', ' ');
  });
  return [...fields, 'Write name=value; name=value'];
}
