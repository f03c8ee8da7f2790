// Encodes what happens in a turn as events of AG-UI, in the order that its verifier accepts: what a run has opened it closes before it ends.
import type { NodeId } from '../../../machines/vocabulary.ts';
import { outcomeText } from '../../core/words/receipt-words.ts';
import { callResultText } from '../door-turns/result-text.ts';
import type { ShownEvent } from '../door-turns/turn-events.ts';
import type { AGUIEvent, Interrupt } from './ag-ui-event.ts';

type EventOf<T extends ShownEvent['type']> = Extract<ShownEvent, { readonly type: T }>;
type BlockEvent = EventOf<'text_start' | 'text' | 'text_end' | 'reasoning_start' | 'reasoning' | 'reasoning_end'>;
type AgentStart = EventOf<'agent_start'>;

const tagOf = (agent: NodeId | null) => (agent === null ? {} : { subagentRunId: agent });

export class AGUIEvents {
  readonly #write: (event: AGUIEvent) => void;
  /** The open step of each agent, by its call; null: of the turn. */
  readonly #steps = new Map<NodeId | null, string>();
  /** The sub-agents that work. */
  readonly #agents = new Map<NodeId, AgentStart>();
  /** Those that were started in this run. */
  readonly #started = new Set<NodeId>();
  /** Calls that a model is writing. */
  readonly #written = new Set<string>();

  constructor(write: (event: AGUIEvent) => void) {
    this.#write = write;
  }

  /** @param isNew Whether the reader does not have it yet: an earlier run has had the rest. */
  onEvent(event: ShownEvent, isNew: boolean): void {
    if (event.type === 'agent_start') this.#agents.set(event.call.node, event);
    if (event.type === 'agent_end') {
      if (isNew) this.#endAgent(event);
      this.#agents.delete(event.call.node);
    }
    if (!isNew) return;
    for (const agent of this.#agents.values()) this.#startAgent(agent);
    this.#encode(event);
  }

  /** Closes what is open, before the run ends. Sub-agents that work are suspended by what the run waits for. */
  close(interrupts: readonly Interrupt[]): void {
    for (const id of this.#written) this.#endCall(id);
    for (const agent of this.#steps.keys()) this.#endStep(agent);
    for (const subagentRunId of [...this.#started].reverse()) {
      const own = interrupts.filter((interrupt) => interrupt.subagentRunId === subagentRunId).map(({ id }) => id);
      this.#write(
        interrupts.length > 0
          ? { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'suspended', interruptIds: own } }
          : { type: 'SUBAGENT_ERROR', subagentRunId, message: 'It runs on without its turn.', code: 'continues' },
      );
    }
    this.#started.clear();
  }

  #encode(event: ShownEvent): void {
    switch (event.type) {
      case 'model_start':
        return this.#startStep(event);
      case 'text_start':
      case 'text':
      case 'text_end':
      case 'reasoning_start':
      case 'reasoning':
      case 'reasoning_end':
        return this.#writeBlock(event);
      case 'input_start':
        return this.#startCall(event);
      case 'input':
        return this.#write({ type: 'TOOL_CALL_ARGS', toolCallId: event.id, delta: event.text });
      case 'input_dropped':
        return this.#endCall(event.id);
      case 'call':
        return this.#completeCall(event);
      case 'output': {
        const { call, text, skipped = 0 } = event;
        return this.#custom('output', { toolCallId: call.id, node: call.node, text, skipped });
      }
      case 'closed': {
        const { question, answer, text, by } = event;
        return this.#custom('question_closed', {
          type: question.type,
          node: question.call.node,
          toolCallId: question.call.id,
          answer,
          text,
          by,
        });
      }
      case 'result':
        return this.#showResult(event);
      case 'stop_accepted':
      case 'stop_settled':
        return this.#custom('receipt', event.receipt);
      default:
    }
  }

  #startStep({ agent, index }: EventOf<'model_start'>): void {
    this.#endStep(agent);
    const stepName = `model_call_${index}`;
    this.#steps.set(agent, stepName);
    this.#write({ type: 'STEP_STARTED', stepName, ...tagOf(agent) });
  }

  #endStep(agent: NodeId | null): void {
    const stepName = this.#steps.get(agent);
    this.#steps.delete(agent);
    if (stepName !== undefined) this.#write({ type: 'STEP_FINISHED', stepName, ...tagOf(agent) });
  }

  #writeBlock(event: BlockEvent): void {
    const { id: messageId, agent } = event;
    const tag = tagOf(agent);
    switch (event.type) {
      case 'text_start':
        return this.#write({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...tag });
      case 'text':
        return this.#write({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: event.text, ...tag });
      case 'text_end':
        return this.#write({ type: 'TEXT_MESSAGE_END', messageId, ...tag });
      case 'reasoning_start':
        this.#write({ type: 'REASONING_START', messageId, ...tag });
        return this.#write({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', ...tag });
      case 'reasoning':
        return this.#write({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta: event.text, ...tag });
      case 'reasoning_end':
        this.#write({ type: 'REASONING_MESSAGE_END', messageId, ...tag });
        return this.#write({ type: 'REASONING_END', messageId, ...tag });
      default:
    }
  }

  #startCall({ id, name, turn, index, agent }: Omit<EventOf<'input_start'>, 'type'>): void {
    this.#written.add(id);
    const parentMessageId = `${turn}:${index}`;
    this.#write({ type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, parentMessageId, ...tagOf(agent) });
  }

  #completeCall({ call, written }: EventOf<'call'>): void {
    if (!this.#written.has(call.id)) this.#startCall(call);
    const before = written ?? '';
    const rest = call.arguments.startsWith(before) ? call.arguments.slice(before.length) : '';
    if (rest !== '') this.#write({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta: rest });
    this.#endCall(call.id);
  }

  #endCall(id: string): void {
    this.#written.delete(id);
    this.#write({ type: 'TOOL_CALL_END', toolCallId: id });
  }

  #showResult({ call, result }: EventOf<'result'>): void {
    const { outcome, effect, code } = result;
    const belay = { node: call.node, outcome, effect, ...(code !== undefined && { code }) };
    this.#write({
      type: 'TOOL_CALL_RESULT',
      messageId: `${call.id}:result`,
      toolCallId: call.id,
      content: callResultText(result),
      role: 'tool',
      ...tagOf(call.agent),
      metadata: { belay },
    });
  }

  #startAgent({ call, task }: AgentStart): void {
    const { node, agent, name, id: parentToolCallId } = call;
    if (this.#started.has(node)) return;
    this.#started.add(node);
    const parent = agent === null ? {} : { parentSubagentRunId: agent };
    this.#write({
      type: 'SUBAGENT_STARTED',
      subagentRunId: node,
      name,
      description: task,
      ...parent,
      parentToolCallId,
    });
  }

  #endAgent({ call: { node }, outcome }: EventOf<'agent_end'>): void {
    const agent = this.#agents.get(node);
    if (agent) this.#startAgent(agent);
    this.#endStep(node);
    this.#started.delete(node);
    this.#write(
      outcome === 'completed'
        ? { type: 'SUBAGENT_FINISHED', subagentRunId: node, outcome: { type: 'success' } }
        : { type: 'SUBAGENT_ERROR', subagentRunId: node, message: outcomeText(outcome), code: outcome },
    );
  }

  #custom(name: string, value: object): void {
    this.#write({ type: 'CUSTOM', name: `belay.${name}`, value });
  }
}
