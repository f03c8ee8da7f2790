// The approvals and questions of all sessions that the speaker may answer, in one place; the one that expires first is the first.
import type { Answer } from '../client/answer-options.ts';
import { AskedCard } from './chat-view/question-card.tsx';
import { useConnection } from './page-state/connection-context.ts';
import { type AskedQuestion, answerQuestion, type HttpAnswer, useOverview } from './page-state/overview.ts';
import { routeHref } from './page-state/routing.ts';
import { useSessionTitles } from './page-state/use-session-titles.ts';

const never = Number.POSITIVE_INFINITY;
const expiryOf = ({ question }: AskedQuestion): number => question.expiresAt ?? never;

/** The view. */
export function QuestionsView() {
  const { questions } = useOverview();
  const sorted = questions.toSorted((a, b) => Math.sign(expiryOf(a) - expiryOf(b)) || 0);
  return (
    <div className="view">
      <div className="sheet questions">
        {sorted.length === 0 && <p className="soft">No session asks you anything.</p>}
        {sorted.map((asked) => (
          <Asked key={asked.question.id ?? asked.question.node} asked={asked} />
        ))}
      </div>
    </div>
  );
}

function Asked({ asked }: { readonly asked: AskedQuestion }) {
  const connection = useConnection();
  const { refresh } = useOverview();
  const title = useSessionTitles().get(asked.session) || asked.session;
  const send = (answer: HttpAnswer) => answerQuestion(connection, asked, answer).finally(refresh);
  const answers = {
    approve: () => send({ verb: 'approve' }),
    deny: () => send({ verb: 'deny' }),
    answer: (given: Answer) =>
      send({ verb: 'answer', given: typeof given === 'string' ? { text: given } : { values: given } }),
  };
  return (
    <section className="asked" aria-label={`Asked in ${title}`}>
      <h2 className="asked-session">
        <a href={routeHref({ view: 'chat', session: asked.session })}>{title}</a>
      </h2>
      <AskedCard question={asked.question} answers={answers} />
    </section>
  );
}
