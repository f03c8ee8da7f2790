// Encodes what happens in a turn as chunks of the UI message stream.
//
// 1. A message is a turn, a step is one of its own model calls. Calls of sub-agents are calls too, with the sub-agent in their metadata; texts of sub-agents are a data part.
// 2. Every call is `providerExecuted`: it runs here, and a client has nothing to run. A question makes its call the client's until it is answered.
import type { Finish, NodeId } from '../../../machines/vocabulary.ts';
import { callKind } from '../../core/words/call-kinds.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import { callResultText } from '../door-turns/result-text.ts';
import type { ShownCall, ShownEvent, ShownQuestion } from '../door-turns/turn-events.ts';
import type { CallMetadata, FinishReason, UIChunk } from './ui-chunk.ts';

const maxAgentChars = 65_536;

/** What a data part shows of a sub-agent. */
interface AgentData {
  readonly node: NodeId;
  readonly turn: NodeId;
  readonly name: string;
  readonly task: string;
  readonly text: string;
  readonly outcome: string | null;
}

type EventOf<T extends ShownEvent['type']> = Extract<ShownEvent, { readonly type: T }>;

export class UIChunks {
  readonly #session: string;
  readonly #write: (chunk: UIChunk) => void;
  readonly #agents = new Map<NodeId, AgentData>();
  #step: 'none' | 'open' = 'none';
  /** Whether the reader has what is read now. */
  #isKnown = false;

  constructor(session: string, write: (chunk: UIChunk) => void) {
    this.#session = session;
    this.#write = write;
  }

  /** Ends the step that is open. */
  endStep(): void {
    if (this.#step === 'open') this.#send({ type: 'finish-step' });
    this.#step = 'none';
  }

  /** @param isNew Whether the reader does not have it yet. */
  onEvent(event: ShownEvent, isNew: boolean): void {
    this.#isKnown = !isNew;
    this.#encode(event);
    this.#isKnown = false;
  }

  #encode(event: ShownEvent): void {
    switch (event.type) {
      case 'model_start':
        return event.agent === null ? this.#startStep() : undefined;
      case 'model_end':
        return event.agent === null ? undefined : this.#addAgentText(event.agent, event.text);
      case 'text_start':
      case 'text':
      case 'text_end':
      case 'reasoning_start':
      case 'reasoning':
      case 'reasoning_end':
        return event.agent === null ? this.#send(blockChunk(event)) : undefined;
      case 'input_start': {
        const { id: toolCallId, name: toolName } = event;
        return this.#send({ type: 'tool-input-start', toolCallId, toolName, dynamic: true, providerExecuted: true });
      }
      case 'input':
        return this.#send({ type: 'tool-input-delta', toolCallId: event.id, inputTextDelta: event.text });
      case 'input_dropped':
        return this.#dropInput(event);
      case 'call':
      case 'changed':
        return this.#showCall(event.call);
      case 'output': {
        const { call, text, skipped = 0 } = event;
        return this.#data('data-output', undefined, { toolCallId: call.id, node: call.node, text, skipped }, true);
      }
      case 'asked':
        return this.#ask(event.question);
      case 'closed':
        return this.#close(event);
      case 'result':
        return this.#endCall(event);
      case 'agent_start': {
        const { call, turn, task } = event;
        return this.#showAgent({ node: call.node, turn, name: call.name, task, text: '', outcome: null });
      }
      case 'agent_end': {
        const agent = this.#agents.get(event.call.node);
        return agent && this.#showAgent({ ...agent, outcome: event.outcome });
      }
      case 'stop_accepted':
      case 'stop_settled':
        return this.sendReceipt(event.receipt);
    }
  }

  /** Sends the receipt of a stop; its second half takes the place of its first. */
  sendReceipt(receipt: ServerFrameOf<'cancel_accepted' | 'cancel_settled'>): void {
    this.#data('data-receipt', receipt.cancel, receipt);
  }

  #startStep(): void {
    this.endStep();
    this.#send({ type: 'start-step' });
    this.#step = 'open';
  }

  #dropInput({ id, name, text }: EventOf<'input_dropped'>): void {
    const errorText = 'The call was stopped before the model had written it.';
    const tool = { toolCallId: id, toolName: name, dynamic: true, providerExecuted: true } as const;
    this.#send({ type: 'tool-input-error', ...tool, input: text, errorText });
  }

  #showCall(call: ShownCall, question?: ShownQuestion): void {
    this.#send({
      type: 'tool-input-available',
      toolCallId: call.id,
      toolName: call.name,
      input: inputOf(call),
      dynamic: true,
      providerExecuted: question === undefined,
      toolMetadata: metadataOf(call, question),
    });
  }

  #ask(question: ShownQuestion): void {
    const { type, call, text } = question;
    this.#showQuestion(question, {});
    if (type === 'question') return this.#showCall(call, question);
    const approvalId = approvalIdOf(question);
    this.#send({ type: 'tool-approval-request', approvalId, toolCallId: call.id, reason: text });
  }

  #close({ question, answer, text, by }: EventOf<'closed'>): void {
    this.#showQuestion(question, { answer, answerText: text, by });
    if (question.type === 'question') return this.#showCall(question.call);
    const approved = answer === 'approved';
    const reason = approved || answer === 'denied' ? {} : { reason: answer };
    this.#send({ type: 'tool-approval-response', approvalId: approvalIdOf(question), approved, ...reason });
  }

  #showQuestion(question: ShownQuestion, closed: object): void {
    const { type, call, to, text, choices, schema, expiresAt } = question;
    const asked = { type, toolCallId: call.id, node: call.node, to, text, choices, schema, expiresAt };
    this.#data('data-question', approvalIdOf(question), { ...asked, answer: null, ...closed });
  }

  #endCall({ call, result, wasDenied }: EventOf<'result'>): void {
    const { outcome, output = '', parts } = result;
    const end = {
      toolCallId: call.id,
      dynamic: true,
      providerExecuted: true,
      toolMetadata: metadataOf(call),
    } as const;
    if (wasDenied) return this.#send({ type: 'tool-output-denied', toolCallId: call.id });
    if (outcome !== 'completed')
      return this.#send({ type: 'tool-output-error', ...end, errorText: callResultText(result) });
    const blobs = `/api/sessions/${encodeURIComponent(this.#session)}/blobs/`;
    const media = parts?.map((part) => (part.type === 'text' ? part : { ...part, url: blobs + part.blob }));
    this.#send({ type: 'tool-output-available', ...end, output: media ? { text: output, parts: media } : output });
  }

  #addAgentText(node: NodeId, text: string): void {
    const agent = this.#agents.get(node);
    if (!agent || text === '') return;
    this.#showAgent({ ...agent, text: `${agent.text}${agent.text && '\n\n'}${text}`.slice(-maxAgentChars) });
  }

  #showAgent(agent: AgentData): void {
    this.#agents.set(agent.node, agent);
    this.#data('data-agent', agent.node, agent);
  }

  #send(chunk: UIChunk): void {
    if (!this.#isKnown) this.#write(chunk);
  }

  #data(
    type: Extract<UIChunk, { readonly data: object }>['type'],
    id: string | undefined,
    data: object,
    isTransient = false,
  ): void {
    this.#send({ type, ...(id !== undefined && { id }), data, ...(isTransient && { transient: true }) });
  }
}

type BlockEvent = EventOf<'text_start' | 'text' | 'text_end' | 'reasoning_start' | 'reasoning' | 'reasoning_end'>;

/** The types of the chunks of a block. */
const blockTypes = {
  text_start: 'text-start',
  text: 'text-delta',
  text_end: 'text-end',
  reasoning_start: 'reasoning-start',
  reasoning: 'reasoning-delta',
  reasoning_end: 'reasoning-end',
} as const satisfies Readonly<Record<BlockEvent['type'], string>>;

const blockChunk = (event: BlockEvent): UIChunk =>
  'text' in event
    ? { type: blockTypes[event.type], id: event.id, delta: event.text }
    : { type: blockTypes[event.type], id: event.id };

/** Returns the arguments; a text that is no JSON stays one. */
function inputOf({ arguments: text }: ShownCall): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const metadataOf = ({ node, turn, name, agent }: ShownCall, question?: ShownQuestion): CallMetadata => ({
  belay: {
    node,
    turn,
    kind: callKind(name),
    ...(agent !== null && { agent }),
    ...(question && { question: question.question }),
  },
});

const separator = '/';

/** Returns the id of an approval, which names its call and its question. */
export const approvalIdOf = ({ call, question }: ShownQuestion): string =>
  question === '' ? call.node : `${call.node}${separator}${question}`;

/** Returns what the id of an approval names. */
export function questionOfApproval(id: string): { readonly target: NodeId; readonly question?: string } {
  const at = id.indexOf(separator);
  return at === -1 ? { target: id } : { target: id.slice(0, at), question: id.slice(at + 1) };
}

const finishReasons: Readonly<Record<Finish, FinishReason>> = {
  stop: 'stop',
  tool_calls: 'tool-calls',
  length: 'length',
  content_filter: 'content-filter',
  refusal: 'content-filter',
  empty: 'other',
  reasoning_only: 'other',
};

/** Returns why an answer has ended, in the words of the protocol. */
export const finishReasonOf = (finish: Finish | undefined): FinishReason =>
  finish === undefined ? 'stop' : finishReasons[finish];
