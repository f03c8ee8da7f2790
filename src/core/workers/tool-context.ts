// The context that a running call gives to its tool: signals, ids, and the services that the tool may use.
import type { CallWorkInput } from '../../../machines/contracts.ts';
import { shieldRefusals, type Tool, type ToolContext } from '../contracts/tool.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { LateSignal } from '../sources/abort-signals.ts';
import { CallQuestions } from './call-questions.ts';
import type { Services } from './services.ts';
import type { Job } from './worker.ts';

/** The services that a call and its context use. */
export type ContextServices =
  | 'runtime'
  | 'session'
  | 'tree'
  | 'journal'
  | 'inbox'
  | 'text'
  | 'shields'
  | 'status'
  | 'cancels';

export interface OpenContext extends Disposable {
  readonly context: ToolContext;
}

/** Opens the context of a call. Disposing it withdraws an open question; what the tool does after that is not shown. */
export function openContext(
  tool: Tool,
  work: CallWorkInput,
  job: Job<ContextServices>,
  signal: AbortSignal,
): OpenContext {
  const { services, entry } = job;
  const { runtime, session, journal, text: stream } = services;
  const { id: node, turn, call } = work;
  const killer = new LateSignal();
  // of a tool that is not killable the killer never fires
  entry.stopTerms = { killer: tool.cancel === 'killable' ? killer : null, budgetMs: tool.stopBudgetMs ?? null };
  let state: 'open' | 'over' = 'open';
  const questions = new CallQuestions(work, job, () => state === 'over');
  const context: ToolContext = {
    signal,
    get kill() {
      return killer.signal;
    },
    get skipGrace() {
      return entry.graceSkipper.signal;
    },
    session: session.id,
    turn,
    call: node,
    speaker: call.owner,
    roots: runtime.roots,
    protectedPaths: runtime.protectedPaths,
    depth: work.depth,
    clock: runtime.sources.clock,
    output(text) {
      if (state === 'open' && entry.isOpen) stream.output(node, text); // no frame follows the end of an abandoned call
    },
    recordProcess: (process) => void journal.append([{ type: 'process_started', node, ...process }]),
    shield: (region) => runShielded(tool, entry, services, region),
    ask: (question) => questions.ask(question),
    requestApproval: (question) => questions.requestApproval(question),
    status: () => services.status.statusOf(turn),
    cancelCall: (target, reason) => services.cancels.cancelCall(target, node, reason),
  };
  return {
    context,
    [Symbol.dispose]() {
      state = 'over';
      entry.question?.withdraw();
    },
  };
}

async function runShielded<T>(
  tool: Tool,
  { id }: NodeEntry,
  { shields }: Pick<Services, 'shields'>,
  region: () => Promise<T>,
): Promise<T> {
  const end = tool.cancel === 'shielded' ? shields.startRegion(id, tool.shieldMaxMs ?? 0) : 'undeclared';
  if (typeof end === 'string') throw new Error(shieldRefusals[end]);
  try {
    return await region();
  } finally {
    end();
  }
}
