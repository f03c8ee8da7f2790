// Collects the texts of an outside agent as the report that the model reads. Shows the texts and the agent's tool calls live.
import { z } from 'zod';
import { BoundedMap } from '../collections/bounded-map.ts';
import { type BoundedResult, BoundedText } from '../text/bound-text.ts';
import { LiveOutput } from '../text/live-output.ts';

/** The part of a `session/update` that is used. Other kinds, unknown ones among them, are skipped. */
const updateSchema = z.object({
  update: z.discriminatedUnion('sessionUpdate', [
    z.object({
      sessionUpdate: z.literal('agent_message_chunk'),
      content: z.object({ type: z.literal('text'), text: z.string() }),
    }),
    z.object({ sessionUpdate: z.literal('tool_call'), toolCallId: z.string(), title: z.string() }),
    z.object({
      sessionUpdate: z.literal('tool_call_update'),
      toolCallId: z.string(),
      title: z.string().nullish(),
      status: z.string().nullish(),
    }),
  ]),
});

export interface AgentReportOptions {
  /** The longest report, in characters: its beginning and its end together. */
  readonly maxChars: number;
  /** The limit of everything that is shown live, in characters, without the line that says that there is more. */
  readonly maxLiveChars: number;
  show(text: string): void;
}

/** The limit of tool calls of the agent whose titles are kept. The oldest is dropped first. */
const maxTitles = 256;
const maxTitleChars = 200;

export class AgentReport {
  readonly #text: BoundedText;
  readonly #titles = new BoundedMap<string, string>(maxTitles);
  readonly #live: LiveOutput;
  /** What the live output ends with: text, a whole line of text, or a line about a tool call. */
  #shownLast: 'nothing' | 'words' | 'line' | 'tool call' = 'nothing';

  constructor({ maxChars, maxLiveChars, show }: AgentReportOptions) {
    this.#text = new BoundedText(maxChars);
    this.#live = new LiveOutput(maxLiveChars, show);
  }

  /** Adds the parameters of a `session/update`, unchecked. Skips an update that does not fit the schema. */
  addUpdate(params: unknown): void {
    const parsed = updateSchema.safeParse(params);
    if (!parsed.success) return;
    const { update } = parsed.data;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#addWords(update.content.text);
      case 'tool_call':
        this.#setTitle(update.toolCallId, update.title);
        return this.#showToolCall(this.#titles.get(update.toolCallId) ?? '');
      case 'tool_call_update': {
        const { toolCallId, title, status } = update;
        if (typeof title === 'string') this.#setTitle(toolCallId, title);
        if (status === 'completed' || status === 'failed')
          this.#showToolCall(`${this.#titles.get(toolCallId) ?? toolCallId}: ${status}`);
      }
    }
  }

  /** Returns the title that the agent gave to one of its tool calls. */
  titleOf(toolCallId: string): string | undefined {
    return this.#titles.get(toolCallId);
  }

  /** Returns the report so far, shortened in the middle if it is too long. */
  bounded(): BoundedResult {
    return this.#text.result();
  }

  #addWords(text: string): void {
    if (text === '') return;
    if (this.#shownLast === 'tool call') this.#text.push('\n\n');
    this.#text.push(text);
    this.#live.push(text);
    this.#shownLast = text.endsWith('\n') ? 'line' : 'words';
  }

  #showToolCall(line: string): void {
    this.#live.push(`${this.#shownLast === 'words' ? '\n' : ''}[${line}]\n`);
    if (this.#shownLast !== 'nothing') this.#shownLast = 'tool call';
  }

  #setTitle(toolCallId: string, title: string): void {
    this.#titles.set(toolCallId, title.slice(0, maxTitleChars));
  }
}
