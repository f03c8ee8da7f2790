// Collects the texts of an outside agent as the report that the model reads, and hands every update on to be shown live.
import { type BoundedResult, BoundedText } from '../../core/text/bound-text.ts';
import type { AgentUpdate } from './agent-updates.ts';
import { LiveActivity } from './live-activity.ts';

export interface AgentReportOptions {
  /** The longest report, in characters: its beginning and its end together. */
  readonly maxChars: number;
  /** The limit of everything that is shown live, in characters, without the line that says that there is more. */
  readonly maxLiveChars: number;
  show(text: string): void;
}

export class AgentReport {
  readonly #text: BoundedText;
  readonly #activity: LiveActivity;
  /** `interrupted`: the agent has done something else since its last text. */
  #state: 'empty' | 'text' | 'interrupted' = 'empty';

  constructor({ maxChars, maxLiveChars, show }: AgentReportOptions) {
    this.#text = new BoundedText(maxChars);
    this.#activity = new LiveActivity(maxLiveChars, show);
  }

  addUpdate(update: AgentUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#addText(update.content.text);
      case 'agent_thought_chunk':
        this.#activity.showThought(update.content.text);
        return this.#interrupt();
      case 'plan':
        this.#activity.showPlan(update.entries);
        return this.#interrupt();
      case 'tool_call':
      case 'tool_call_update':
        this.#activity.showToolCall(update);
        return this.#interrupt();
      case 'usage_update':
        return;
    }
  }

  /** Returns the title that the agent gave to one of its tool calls. */
  titleOf(toolCallId: string): string | undefined {
    return this.#activity.titleOf(toolCallId);
  }

  /** Returns the report so far, shortened in the middle if it is too long. */
  bounded(): BoundedResult {
    return this.#text.result();
  }

  #addText(text: string): void {
    if (text === '') return;
    if (this.#state === 'interrupted') this.#text.push('\n\n');
    this.#text.push(text);
    this.#activity.showText(text);
    this.#state = 'text';
  }

  #interrupt(): void {
    if (this.#state === 'text') this.#state = 'interrupted';
  }
}
