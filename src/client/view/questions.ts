// Open questions of a session: what calls have asked, and nobody has answered.
import type { JoinedFrame } from '../../wire/server-frames.ts';
import type { QuestionView } from './snapshot.ts';

type Questions = readonly QuestionView[];

/** The question of a fact. */
export function questionOf(asked: JoinedFrame['questions'][number]): QuestionView {
  const { type, question: id = null, node, to, text, expiresAt } = asked;
  const common = { id, node, to, text, expiresAt };
  if (type === 'question_asked') {
    const { choices, schema = null } = asked;
    return { ...common, kind: 'question', whole: null, name: null, arguments: null, remark: null, choices, schema };
  }
  const { whole = null, name = null, arguments: args = null, remark = null } = asked;
  return { ...common, kind: 'approval', whole, name, arguments: args, remark, choices: [], schema: null };
}

/** Returns what a question asks in one text: an approval names its tool and all of the arguments. */
export function questionWords({ text, name, arguments: args, remark }: QuestionView): string {
  if (name === null || args === null || remark === null) return text;
  return `Run ${name} with ${args}?${remark === '' ? '' : ` ${remark}`}`;
}

/** A call asks one thing at a time: a new question replaces the one before. */
export function openQuestion(questions: Questions, asked: JoinedFrame['questions'][number]): Questions {
  return [...closeQuestion(questions, asked.node), questionOf(asked)];
}

/** Removes the question of a call; the same list if there is none. */
export function closeQuestion(questions: Questions, node: string): Questions {
  return questions.some((question) => question.node === node)
    ? questions.filter((question) => question.node !== node)
    : questions;
}

/** The questions that a person may mean: of one call, if an id or the beginning or end of one is given; else those that were put to the speaker. */
export function findQuestions(
  questions: Questions,
  kind: QuestionView['kind'],
  speaker: string,
  id: string | null,
): Questions {
  return questions.filter(
    (question) =>
      question.kind === kind &&
      (id === null ? question.to === speaker : question.node.startsWith(id) || question.node.endsWith(id)),
  );
}
