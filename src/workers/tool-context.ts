// What a call's tool gets to work with: its signals, its place, and what it may ask of the runtime.
import type { CallWorkInput } from '../../machines/contracts.ts';
import type { QuestionAnswer } from '../live/tree.ts';
import { type QuestionOptions, shieldRefusals, type Tool, type ToolContext } from '../tools/tool.ts';
import { approvalOf, putQuestion, questionOf } from './question.ts';
import type { Job } from './worker.ts';

export interface OpenContext {
  readonly context: ToolContext;
  /** The call is over: what it has left behind is neither shown nor asked any more. */
  close(): void;
}

const nothing = () => {};

export function openContext(tool: Tool, work: CallWorkInput, job: Job, signal: AbortSignal): OpenContext {
  const { plane, entry } = job;
  const { id: node, turn, call } = work;
  const killer = new AbortController();
  if (tool.cancel === 'killable') entry.killer = killer; // of any other tool it never fires
  let state: 'open' | 'over' = 'open';
  let asking: Promise<void> = Promise.resolve();

  /** An answer names the call, and nothing else: what is asked next is put when this is closed. */
  function inTurn<T>(put: () => Promise<T>): Promise<T> {
    const answered = asking.then(() => {
      if (state === 'over') throw new Error('the call is over');
      return put();
    });
    asking = answered.then(nothing, nothing);
    return answered;
  }
  /** What both kinds of question have in common. */
  const common = ({ text, to = call.owner, expiresMs, signal: withdrawn }: Omit<QuestionOptions, 'choices'>) => ({
    turn,
    node,
    text,
    to,
    ...(expiresMs !== undefined && { expiresMs }),
    ...(withdrawn && { withdrawn }),
  });
  const answered = (answer: QuestionAnswer | null): QuestionAnswer => {
    if (answer === null) throw new Error('the question was withdrawn');
    return answer;
  };

  const context: ToolContext = {
    signal,
    kill: killer.signal,
    skipGrace: entry.hurrier.signal,
    session: plane.session,
    turn,
    call: node,
    speaker: call.owner,
    roots: plane.roots,
    depth: work.depth,
    clock: plane.sources.clock,
    output(text) {
      if (state === 'open' && entry.state === 'open') plane.outlet.output(node, text); // no frame follows the end of an abandoned call
    },
    recordProcess: (process) => void plane.append([{ type: 'process_started', node, ...process }]),

    async shield(region) {
      const end = tool.cancel === 'shielded' ? plane.shields.begin(node, tool.shieldMaxMs ?? 0) : 'undeclared';
      if (typeof end === 'string') throw new Error(shieldRefusals[end]);
      try {
        return await region();
      } finally {
        end();
      }
    },

    ask: (question) =>
      inTurn(async () => {
        const { choices = [] } = question;
        const answer = await putQuestion(questionOf({ ...common(question), choices }), job);
        return answered(answer).text ?? '';
      }),
    requestApproval: (leave) =>
      inTurn(async () => {
        const answer = await putQuestion(approvalOf(common(leave)), job);
        return answered(answer).answer === 'approved';
      }),

    status: () => plane.statusOf(turn),
    cancelAgent: (agent, reason) => plane.cancelAgent(agent, call.owner, reason),
  };
  return {
    context,
    close() {
      state = 'over';
      entry.question?.withdraw();
    },
  };
}
