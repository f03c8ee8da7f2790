// What an outside agent says while it works: its words are the report that the model reads; what it does is shown beside them.
import { z } from 'zod';
import { type BoundedResult, createBoundedText } from '../text/bound-text.ts';

/** As much of a `session/update` as is shown. Kinds that are not known here, new ones among them, are passed over. */
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

export interface ReportOptions {
  /** Of the words, head and tail together. */
  readonly maxChars: number;
  /** Of all that is shown while it comes. */
  readonly maxLiveChars: number;
  show(text: string): void;
}

export interface Report {
  /** The parameters of a `session/update`, from outside: nonsense is passed over. */
  hear(params: unknown): void;
  /** What the agent has called a tool call of its own. */
  titleOf(toolCallId: string): string | undefined;
  end(): BoundedResult;
}

/** Of the agent's own calls; those before are forgotten. */
const maxTitles = 256;
const maxTitleChars = 200;

export function createReport({ maxChars, maxLiveChars, show }: ReportOptions): Report {
  const words = createBoundedText(maxChars);
  const titles = new Map<string, string>();
  let live = maxLiveChars;
  /** Where the next word begins: behind what was shown in between, on a line of its own. */
  let place: 'start' | 'words' | 'line' | 'apart' = 'start';

  const tell = (text: string) => {
    const shown = text.slice(0, live);
    live -= shown.length;
    if (shown !== '') show(shown);
  };
  const say = (text: string) => {
    if (text === '') return;
    if (place === 'apart') words.push('\n\n');
    words.push(text);
    tell(text);
    place = text.endsWith('\n') ? 'line' : 'words';
  };
  const aside = (line: string) => {
    tell(`${place === 'words' ? '\n' : ''}[${line}]\n`);
    if (place !== 'start') place = 'apart';
  };
  const name = (id: string, title: string) => {
    titles.set(id, title.slice(0, maxTitleChars));
    if (titles.size > maxTitles) titles.delete(titles.keys().next().value as string);
  };

  return {
    hear(params) {
      const parsed = updateSchema.safeParse(params);
      if (!parsed.success) return;
      const { update } = parsed.data;
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          return say(update.content.text);
        case 'tool_call':
          name(update.toolCallId, update.title);
          return aside(titles.get(update.toolCallId) ?? '');
        case 'tool_call_update': {
          const { toolCallId, title, status } = update;
          if (typeof title === 'string') name(toolCallId, title);
          if (status === 'completed' || status === 'failed')
            aside(`${titles.get(toolCallId) ?? toolCallId}: ${status}`);
          return;
        }
      }
    },
    titleOf: (toolCallId) => titles.get(toolCallId),
    end: () => words.end(),
  };
}
