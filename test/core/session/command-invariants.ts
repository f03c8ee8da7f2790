// Invariants between the commands of a random conversation and its log: refs, answers, repeated CANCELs, and the text that was shown.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { SentCommand } from '../../support/conversation-record.ts';
import type { Invariants, RecordView } from '../../support/conversation-view.ts';

/** Returns a text that is equal for two commands with the same content; `force` does not count. */
function contentOf(sent: SentCommand): string {
  if (sent.kind === 'say') return `${sent.steers ? 'steer' : 'say'} ${sent.text}`;
  if (sent.kind === 'resume') return `resume ${sent.request.turn} ${sent.request.text}`;
  if (sent.kind === 'cancel') return `cancel ${sent.request.target}`;
  const { target, question, answer, text } = sent.request;
  return `answer ${[target, question, answer, text].join()}`;
}

const keyOf = ({ by, ref }: SentCommand) => `${by} ${ref}`;
/** The replies after which nothing is decided under the ref. */
const undecided = ['say_refused', 'answer_refused', 'ref_reused'];
const isDecided = ({ reply }: SentCommand) => reply !== null && !undecided.includes(reply.type);

type SentAnswer = Extract<SentCommand, { kind: 'answer' }>;
const acceptedAnswers = ({ record }: RecordView) =>
  record.sent.filter((sent): sent is SentAnswer => sent.kind === 'answer' && sent.reply?.type === 'answer_taken');

/** The facts of questions that a person has closed. */
const closedByAnswer = (view: RecordView) =>
  [...view.of('approval_closed'), ...view.of('question_closed')].filter(({ by }) => by !== null);

const firstQuestionOf = (view: RecordView, node: string) => {
  const isAsked = (fact: RecordedFact) => fact.type === 'approval_requested' || fact.type === 'question_asked';
  const asked = view.log.find((fact) => isAsked(fact) && 'node' in fact && fact.node === node);
  return asked && 'question' in asked ? asked.question : undefined;
};

/** Returns a problem if members were not shown the whole text of a model call. Of one that was cut off they may have seen only the beginning. */
function wrongText(
  view: RecordView,
  { turn, index, text, cutOff }: { turn: string; index: number; text: string; cutOff: boolean },
) {
  const shown = view.record.shown.get(`${turn}/${index}`) ?? '';
  const isWhole = shown === text || (cutOff && text.startsWith(shown));
  return isWhole ? [] : [`${turn}/${index} has ${JSON.stringify(text)}, shown was ${JSON.stringify(shown)}`];
}

export const commandInvariants: Invariants = {
  'a ref counts for one command of its speaker': (view) => {
    const { sent } = view.record;
    const decided = new Map<string, string>();
    return sent.flatMap((command) => {
      if (command.ref === undefined) return [];
      const [key, content] = [keyOf(command), contentOf(command)];
      if (command.reply?.type === 'ref_reused') {
        const others = sent.filter((other) => keyOf(other) === key && contentOf(other) !== content);
        return others.length === 0 ? [`${key} was refused without another command under it`] : [];
      }
      if (!isDecided(command)) return [];
      const before = decided.get(key);
      decided.set(key, content);
      return before !== undefined && before !== content ? [`${key}: ${before}, then ${content}`] : [];
    });
  },

  'a SAY that comes again opens no second turn': (view) => {
    const turns = new Map<string, string>();
    const opened = view.of('turn_opened').flatMap(({ owner, ref, turn }) => {
      const key = `${owner} ${ref}`;
      if (ref === null) return [];
      const before = turns.get(key);
      turns.set(key, turn);
      return before === undefined ? [] : [`${key} opened ${before} and ${turn}`];
    });
    const replies = view.record.sent.flatMap((sent) =>
      sent.kind === 'say' &&
      sent.ref !== undefined &&
      sent.reply?.type === 'turn_opened' &&
      turns.get(keyOf(sent)) !== sent.reply.turn
        ? [`${keyOf(sent)} has the reply ${sent.reply.turn}`]
        : [],
    );
    return [...opened, ...replies];
  },

  'a repeated CANCEL stops no root turn that its sender had neither seen nor said': (view) => {
    const { sent: all } = view.record;
    return all.flatMap((sent, index) => {
      if (sent.kind !== 'cancel' || sent.reply?.type !== 'cancel_accepted' || sent.reply.repeated) return [];
      const { by, ref, request } = sent;
      const { target, seen, says = [] } = request;
      if (ref === undefined || (target !== 'mine' && target !== 'session')) return [];
      const { cancel, stopping, pending } = sent.reply.receipt;
      // the first copy reaches everything, each later one what there was when the first one had its reply
      const before = all.slice(0, index).filter((other) => keyOf(other) === keyOf(sent) && isDecided(other));
      const upTo = seen ?? Math.min(...before.map((other) => (other.kind === 'cancel' ? other.repliedAt : 0)));
      return [...stopping, ...pending].flatMap((node) => {
        const root = view.pathOf(node).at(-1) ?? node;
        const openedAt = view.seqOf((fact) => fact.type === 'turn_opened' && fact.turn === root);
        const opened = view.log[openedAt - 1];
        const isSaid = opened?.type === 'turn_opened' && opened.owner === by && says.includes(opened.ref ?? '');
        // a turn that a deferred input has opened counts from the time at which the input was said
        const saidAt = Math.min(
          openedAt,
          view.seqOf((fact) => fact.type === 'input_deferred' && fact.input === root),
        );
        return saidAt <= upTo || isSaid
          ? []
          : [`${cancel} under ${ref} stopped ${node} of ${root}, opened at ${openedAt}, which was known up to ${upTo}`];
      });
    });
  },

  'an answer closes the question it names': (view) => {
    const unmatched = closedByAnswer(view);
    const answers = acceptedAnswers(view);
    const wrong = answers.flatMap(({ by, request: { target, question = firstQuestionOf(view, target), answer } }) => {
      const at = unmatched.findIndex(
        (fact) => fact.question === question && fact.node === target && fact.by === by && fact.answer === answer,
      );
      if (at < 0) return [`${by} answered ${question} of ${target} by ${answer}, but it was not closed so`];
      unmatched.splice(at, 1);
      return [];
    });
    // a process that was killed may have closed a question without a reply
    const unanswered = view.record.killed
      ? []
      : unmatched.map(({ question, by }) => `${question} was closed by ${by}, who did not answer it`);
    return [...wrong, ...unanswered];
  },

  'the text that was shown of a model call is that of its end': (view) =>
    view.record.poisoned || view.record.killed ? [] : view.of('model_ended').flatMap((ended) => wrongText(view, ended)),

  'the text of a turn with a pending stop is shown and kept': (view) => {
    const { lives, poisoned, killed } = view.record;
    if (poisoned || killed) return [];
    const pending = new Set(view.of('cancel_accepted').flatMap((accepted) => accepted.pending));
    return view.of('model_ended').flatMap((ended) => {
      const { turn, text, cutOff, outcome, at } = ended;
      const isPending = view.pathOf(turn).some((id) => pending.has(id));
      const cutAt = lives.flatMap(({ cuts }) => cuts.get(turn)?.at ?? []);
      if (!isPending || cutAt.some((cut) => cut <= at)) return [];
      const isKept = outcome === 'completed' && !cutOff && text.endsWith('end');
      return [...(isKept ? [] : [`${turn} has ${outcome}, ${JSON.stringify(text)}`]), ...wrongText(view, ended)];
    });
  },
};
