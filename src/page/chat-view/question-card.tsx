// An approval or a question of a call, in the place of the call.
import { type FormEvent, useId, useState } from 'react';
import type { Answer } from '../../client/answer-options.ts';
import type { QuestionView } from '../../client/view/snapshot.ts';
import { writeOutHidden } from '../../core/text/printable.ts';
import { clockText } from '../page-state/time-text.ts';
import { CallArguments } from './argument-list.tsx';
import { type InputGuard, useInputGuard } from './input-guard.ts';
import { SchemaFields } from './schema-fields.tsx';
import { useSession } from './session-context.ts';

/** Sends the answers to a question. Each rejects where it does not count. */
export interface QuestionAnswers {
  readonly approve: () => Promise<unknown>;
  readonly deny: () => Promise<unknown>;
  readonly answer: (given: Answer) => Promise<unknown>;
}

interface AskedCardProps {
  readonly question: QuestionView;
  /** How it is answered; null: the speaker may not. */
  readonly answers: QuestionAnswers | null;
}

/** Asks the addressee or a moderator; to anybody else it says who is asked. */
export function QuestionCard({ question }: { readonly question: QuestionView }) {
  const { speaker, isModerator, opened } = useSession();
  const { session } = opened;
  const { node } = question;
  const options = { question: question.id ?? undefined };
  const answers = {
    approve: () => session.approve(node, options),
    deny: () => session.deny(node, options),
    answer: (given: Answer) => session.answer(node, given, options),
  };
  return <AskedCard question={question} answers={question.to === speaker || isModerator ? answers : null} />;
}

/** A question of any session. */
export function AskedCard({ question, answers }: AskedCardProps) {
  const guard = useInputGuard();
  return (
    <div
      className="question"
      onPointerDownCapture={guard.onPressStart}
      onKeyDownCapture={guard.onPressStart}
      onPointerUpCapture={guard.onPressEnd}
      onPointerCancelCapture={guard.onPressEnd}
      onKeyUpCapture={guard.onPressEnd}
      data-armed={guard.isArmed}
    >
      <QuestionText question={question} />
      {answers ? (
        <Choices question={question} guard={guard} answers={answers} />
      ) : (
        <p className="soft">Waits for {question.to}.</p>
      )}
      {question.expiresAt !== null && <p className="soft small">It expires at {clockText(question.expiresAt)}.</p>}
    </div>
  );
}

/** The text of a question. An approval of a call shows each argument by its name: all of what would run is read, not the beginning of it. */
function QuestionText({ question }: { readonly question: QuestionView }) {
  const { name, arguments: args, remark } = question;
  if (name === null || args === null) return <OwnWords question={question} />;
  const shown = args === '{}' ? null : <CallArguments text={args} />;
  if (remark === null)
    return (
      <>
        <OwnWords question={question} />
        {shown}
      </>
    );
  return (
    <>
      <p>
        Run <strong>{writeOutHidden(name)}</strong>
        {shown ? ' with these arguments?' : '?'}
      </p>
      {shown}
      {remark !== '' && <p className="question-text">{writeOutHidden(remark)}</p>}
    </>
  );
}

/** The text of a question. */
function OwnWords({ question: { text, whole } }: { readonly question: QuestionView }) {
  const [isWhole, setIsWhole] = useState(false);
  return (
    <>
      <p className="question-text">{writeOutHidden(isWhole && whole !== null ? whole : text)}</p>
      {whole !== null && (
        <button type="button" className="button button-small" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all of it'}
        </button>
      )}
    </>
  );
}

interface ChoicesProps {
  readonly question: QuestionView;
  readonly guard: InputGuard;
  readonly answers: QuestionAnswers;
}

function Choices({ question, guard, answers }: ChoicesProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isSent, setIsSent] = useState(false);
  const send = (reply: Promise<unknown>) => {
    setIsSent(true);
    reply.catch((error: Error) => {
      setProblem(error.message);
      setIsSent(false);
    });
  };
  const answer = (content: Answer) => send(answers.answer(content));
  const isOff = !guard.isArmed || isSent;
  const press = (act: () => void) => () => {
    if (guard.accepts() && !isSent) act();
  };
  return (
    <div className="question-actions">
      {question.kind === 'approval' && (
        <>
          <button
            type="button"
            className="button button-main"
            aria-disabled={isOff}
            onClick={press(() => send(answers.approve()))}
          >
            Approve
          </button>
          <button type="button" className="button" aria-disabled={isOff} onClick={press(() => send(answers.deny()))}>
            Deny
          </button>
        </>
      )}
      {question.choices.map((choice) => (
        <button
          key={choice}
          type="button"
          className="button"
          aria-disabled={isOff}
          onClick={press(() => answer(choice))}
        >
          {writeOutHidden(choice)}
        </button>
      ))}
      {question.kind === 'question' && <OwnAnswer question={question} isOff={isOff} onAnswer={answer} />}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface OwnAnswerProps {
  readonly question: QuestionView;
  readonly isOff: boolean;
  readonly onAnswer: (answer: Answer) => void;
}

/** An answer in words, or by the values that the question asks for. */
function OwnAnswer({ question, isOff, onAnswer }: OwnAnswerProps) {
  const field = useId();
  const [text, setText] = useState('');
  if (question.schema) return <SchemaFields schema={question.schema} isOff={isOff} onAnswer={onAnswer} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isOff && text !== '') onAnswer(text);
  };
  return (
    <form className="question-form" onSubmit={submit}>
      <label className="visually-hidden" htmlFor={field}>
        Your answer
      </label>
      <input
        id={field}
        className="field"
        placeholder={question.choices.length > 0 ? 'or in your words' : 'Your answer'}
        readOnly={isOff}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button" aria-disabled={isOff}>
        Answer
      </button>
    </form>
  );
}
