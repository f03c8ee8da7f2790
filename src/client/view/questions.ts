// Open questions of a session: what calls have asked, and nobody has answered.
import type { JoinedFrame } from '../../wire/server-frames.ts';
import type { QuestionView } from './snapshot.ts';

type Questions = readonly QuestionView[];

/** The question of a fact. */
export function questionOf(asked: JoinedFrame['questions'][number]): QuestionView {
  const { type, question: id = null, node, to, text, expiresAt } = asked;
  return type === 'question_asked'
    ? {
        id,
        node,
        kind: 'question',
        to,
        text,
        whole: null,
        choices: asked.choices,
        schema: asked.schema ?? null,
        expiresAt,
      }
    : { id, node, kind: 'approval', to, text, whole: asked.whole ?? null, choices: [], schema: null, expiresAt };
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
