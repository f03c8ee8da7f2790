// Asks the client what the calls of a session ask: approvals by `session/request_permission`, questions by an elicitation or, with choices, as a permission.
//
// 1. A question that is closed in another way (a stop, its time) is withdrawn from the client, and what the client answers then counts for nothing.
// 2. A client that answers `cancelled` cancels the prompt, by the rules of the protocol: its CANCEL is performed, whether or not its `session/cancel` follows.
// 3. A question that the client has no form for is withdrawn at once (`cannot_ask`), and the model reads why.
import type {
  CreateElicitationResponse,
  ElicitationSchema,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { AnswerValues } from '../../client/answer-options.ts';
import type { ClientSession } from '../../client/client-session.ts';
import type { ServerFrame, ServerFrameOf } from '../../wire/server-frames.ts';
import { rawInputOf, textContent, toolKindOf } from './call-content.ts';
import type { AnnouncedCall } from './shown-calls.ts';

type Approval = ServerFrameOf<'approval_requested'>;
type Question = ServerFrameOf<'question_asked'>;

export interface QuestionsOptions {
  readonly sessionId: string;
  readonly session: Pick<ClientSession, 'approve' | 'deny' | 'answer' | 'cancel'>;
  /** Whether the client shows forms. */
  readonly hasForms: boolean;
  callOf(node: string): AnnouncedCall | undefined;
  /** Whether approvals get their yes without a question. */
  isTrusting(): boolean;
  /** Resolves when the client has been sent what the question is about. */
  sent(): Promise<void>;
  requestPermission(request: RequestPermissionRequest, withdrawn: AbortSignal): Promise<RequestPermissionResponse>;
  elicit(
    request: { readonly message: string; readonly toolCallId: string; readonly requestedSchema: ElicitationSchema },
    withdrawn: AbortSignal,
  ): Promise<CreateElicitationResponse>;
  /** Answers that there is nobody to ask. */
  refuse(node: string, question: string | undefined): void;
  /** The client has cancelled the prompt. */
  cancelPrompt(): void;
}

/** Answers that choose from a list: their ids are their places in it. */
const choicePrefix = 'choice-';

export class ClientQuestions {
  readonly #options: QuestionsOptions;
  /** Questions of the client that are open, by the id of their call. */
  readonly #open = new Map<string, AbortController>();
  /** Tools to which the person has said yes for the session. */
  readonly #allowed = new Set<string>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  receive(frame: ServerFrame): void {
    if (frame.type === 'approval_requested') this.#ask(frame, (withdrawn) => this.#askApproval(frame, withdrawn));
    if (frame.type === 'question_asked') this.#ask(frame, (withdrawn) => this.#askQuestion(frame, withdrawn));
    if (frame.type === 'approval_closed' || frame.type === 'question_closed') this.#withdraw(frame.node);
  }

  /** Withdraws all questions. */
  close(): void {
    for (const node of this.#open.keys()) this.#withdraw(node);
  }

  #withdraw(node: string): void {
    this.#open.get(node)?.abort();
    this.#open.delete(node);
  }

  #ask({ node, question }: Approval | Question, ask: (withdrawn: AbortSignal) => Promise<unknown>): void {
    const withdrawing = new AbortController();
    this.#open.set(node, withdrawing);
    ask(withdrawing.signal).catch(() => {
      if (!withdrawing.signal.aborted) this.#options.refuse(node, question); // the client knows no such request, or has failed
    });
  }

  async #askApproval(frame: Approval, withdrawn: AbortSignal): Promise<void> {
    const { node, question, name } = frame;
    const { session, isTrusting, sent } = this.#options;
    if (isTrusting() || (name !== undefined && this.#allowed.has(name)))
      return this.#answered(session.approve(node, { question }));
    await sent();
    const always: PermissionOption[] =
      name === undefined ? [] : [{ optionId: 'always', name: `Allow ${name} in this session`, kind: 'allow_always' }];
    const options: PermissionOption[] = [
      { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
      ...always,
      { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
    ];
    const chosen = await this.#choose({ toolCall: this.#approvalShown(frame), options }, withdrawn);
    if (chosen === null) return;
    if (chosen === 'always' && name !== undefined) this.#allowed.add(name);
    const isYes = chosen === 'allow' || chosen === 'always';
    return this.#answered(isYes ? session.approve(node, { question }) : session.deny(node, { question }));
  }

  #approvalShown({ node, name, text, remark, arguments: given }: Approval): ToolCallUpdate {
    const call = this.#options.callOf(node);
    const said = name === undefined ? text : (remark ?? '');
    return {
      toolCallId: node,
      title: call?.title ?? name ?? node,
      kind: toolKindOf(name ?? call?.name ?? ''),
      status: 'pending',
      content: [...(call?.diff ? [call.diff] : []), ...(said === '' ? [] : [textContent(said)])],
      rawInput: rawInputOf(given ?? call?.arguments ?? ''),
    };
  }

  async #askQuestion(frame: Question, withdrawn: AbortSignal): Promise<void> {
    const { hasForms, sent, refuse } = this.#options;
    if (!hasForms && frame.choices.length === 0) return refuse(frame.node, frame.question);
    await sent();
    return hasForms ? this.#askByForm(frame, withdrawn) : this.#askByChoices(frame, withdrawn);
  }

  async #askByForm({ node, question, text, choices, schema }: Question, withdrawn: AbortSignal): Promise<void> {
    const { session, elicit } = this.#options;
    const answer = { type: 'string' as const, title: 'Answer', ...(choices.length > 0 && { enum: [...choices] }) };
    const requestedSchema = schema
      ? (schema as ElicitationSchema) // MCP has the same schemas
      : { type: 'object' as const, properties: { answer }, required: ['answer'] };
    const response = await elicit({ message: text, toolCallId: node, requestedSchema }, withdrawn);
    if (withdrawn.aborted) return;
    if (response.action !== 'accept') return this.#leaveUnanswered(node);
    const values = (response.content ?? {}) as AnswerValues; // as the schema of the protocol has them
    return this.#answered(session.answer(node, schema ? values : String(values['answer'] ?? ''), { question }));
  }

  async #askByChoices({ node, question, text, choices }: Question, withdrawn: AbortSignal): Promise<void> {
    const options: PermissionOption[] = [
      ...choices.map((name, i) => ({ optionId: `${choicePrefix}${i}`, name, kind: 'allow_once' as const })),
      { optionId: 'none', name: 'No answer', kind: 'reject_once' },
    ];
    const toolCall = { toolCallId: node, title: text, kind: 'think' as const, status: 'pending' as const };
    const chosen = await this.#choose({ toolCall, options }, withdrawn);
    if (chosen === null) return;
    const choice = choices[Number(chosen.slice(choicePrefix.length))];
    if (!chosen.startsWith(choicePrefix) || choice === undefined) return this.#leaveUnanswered(node);
    return this.#answered(this.#options.session.answer(node, choice, { question }));
  }

  /** Resolves with the id of the option that was chosen; null: none counts any more. */
  async #choose(request: Omit<RequestPermissionRequest, 'sessionId'>, withdrawn: AbortSignal): Promise<string | null> {
    const { sessionId, requestPermission, cancelPrompt } = this.#options;
    const { outcome } = await requestPermission({ sessionId, ...request }, withdrawn);
    if (withdrawn.aborted) return null;
    if (outcome.outcome === 'selected') return outcome.optionId;
    cancelPrompt();
    return null;
  }

  /** The person does not want to answer: the call ends without it, and the turn goes on. */
  #leaveUnanswered(node: string): void {
    this.#options.session.cancel(node, { reason: 'The person did not answer the question.' });
  }

  /** An answer that comes too late is refused: the question is closed, which the client sees. */
  async #answered(answer: Promise<unknown>): Promise<void> {
    await answer.catch(() => {});
  }
}
