// Collects the words of an outside agent as the report that the model reads, and shows its tool calls beside them.
import { z } from 'zod';
import { BoundedMap } from '../collections/bounded-map.ts';
import { type BoundedResult, BoundedText } from '../text/bound-text.ts';

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
  /** Characters of the report, head and tail together. */
  readonly maxChars: number;
  /** Characters of all that is shown live. */
  readonly maxLiveChars: number;
  show(text: string): void;
}

/** The agent's own calls whose titles are kept; earlier ones are dropped. */
const maxTitles = 256;
const maxTitleChars = 200;

export class AgentReport {
  readonly #text: BoundedText;
  readonly #titles = new BoundedMap<string, string>(maxTitles);
  readonly #show: (text: string) => void;
  #liveCharsLeft: number;
  /** The end of what was shown last: words, a whole line of words, or a line about a tool call. */
  #shownLast: 'nothing' | 'words' | 'line' | 'tool call' = 'nothing';

  constructor({ maxChars, maxLiveChars, show }: AgentReportOptions) {
    this.#text = new BoundedText(maxChars);
    this.#liveCharsLeft = maxLiveChars;
    this.#show = show;
  }

  /** `params`: those of a `session/update`, unchecked. What does not fit the schema is skipped. */
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

  /** The agent's title of one of its own tool calls. */
  titleOf(toolCallId: string): string | undefined {
    return this.#titles.get(toolCallId);
  }

  /** The report so far, cut in the middle if it is too long. */
  bounded(): BoundedResult {
    return this.#text.result();
  }

  #addWords(text: string): void {
    if (text === '') return;
    if (this.#shownLast === 'tool call') this.#text.push('\n\n');
    this.#text.push(text);
    this.#showLive(text);
    this.#shownLast = text.endsWith('\n') ? 'line' : 'words';
  }

  #showToolCall(line: string): void {
    this.#showLive(`${this.#shownLast === 'words' ? '\n' : ''}[${line}]\n`);
    if (this.#shownLast !== 'nothing') this.#shownLast = 'tool call';
  }

  #setTitle(toolCallId: string, title: string): void {
    this.#titles.set(toolCallId, title.slice(0, maxTitleChars));
  }

  #showLive(text: string): void {
    const shown = text.slice(0, this.#liveCharsLeft);
    this.#liveCharsLeft -= shown.length;
    if (shown !== '') this.#show(shown);
  }
}
