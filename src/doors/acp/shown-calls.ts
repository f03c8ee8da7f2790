// The calls of a session as the client shows them: each is announced once, and changed until its end.
//
// 1. The client replaces the content of a call by each update: live output is sent at intervals, the end of it alone.
// 2. A sub-agent has no texts of its own in the protocol: they are the live output of its call. A detached agent is shown as a call, too.
import type { SessionUpdate, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk';
import type { StopDetails } from '../../../machines/vocabulary.ts';
import { titleOfCall } from '../../client/view/call-title.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { capitalize } from '../../core/words/capitalize.ts';
import { failureSentence } from '../../core/words/model-words.ts';
import { endingText } from '../../core/words/receipt-words.ts';
import type { ContentPart } from '../../wire/said-parts.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import { diffOfCall, outputContent, pathOfCall, rawInputOf, textContent, toolKindOf } from './call-content.ts';
import type { SessionFolders } from './stored-folders.ts';
import type { QueuedUpdate } from './update-queue.ts';

const liveEveryMs = 200;
/** Characters of live output that are shown, its end. */
const maxLiveChars = 16_384;

export interface ShownCallsOptions {
  readonly roots: SessionFolders;
  readonly clock: Pick<Clock, 'after'>;
  push(update: QueuedUpdate): void;
  readBlob(blob: string): Promise<Uint8Array | null>;
}

/** A call that has not ended. */
export interface AnnouncedCall {
  readonly node: string;
  readonly name: string;
  readonly title: string;
  readonly arguments: string;
  /** The diff of a call that replaces a file; null: it is none, or the call was before. */
  readonly diff: ToolCallContent | null;
  /** The id of the client's terminal that it runs in; null: none. */
  readonly terminal: string | null;
  readonly live: string;
}

type CallEnd = Pick<
  ServerFrameOf<'tool_result'>,
  'node' | 'outcome' | 'effect' | 'code' | 'message' | 'output' | 'parts' | 'ms' | keyof StopDetails
>;

export class ShownCalls {
  readonly #options: ShownCallsOptions;
  readonly #calls = new Map<string, AnnouncedCall>();
  /** Calls whose live output has grown since it was sent. */
  readonly #grown = new Set<string>();

  constructor(options: ShownCallsOptions) {
    this.#options = options;
  }

  get(node: string): AnnouncedCall | undefined {
    return this.#calls.get(node);
  }

  /** Announces a call. `parent`: the call of the sub-agent that has made it. `isPast`: it is repeated, and the file that it replaced is another one by now. */
  announce(
    { node, name, arguments: text }: Pick<ServerFrameOf<'tool_call'>, 'node' | 'name' | 'arguments'>,
    { parent, isPast }: { readonly parent: AnnouncedCall | undefined; readonly isPast: boolean },
  ): void {
    const { title, path, diff } = this.#describe(name, text, isPast);
    const call: AnnouncedCall = { node, name, title, arguments: text, diff, terminal: null, live: '' };
    this.#calls.set(node, call);
    this.#options.push({
      sessionUpdate: 'tool_call',
      toolCallId: node,
      title: parent ? `${parent.title} > ${title}` : title,
      name,
      kind: toolKindOf(name),
      status: 'pending',
      content: diff ? [diff] : [],
      locations: path === null ? [] : [{ path }],
      rawInput: rawInputOf(text),
      ...(parent && { _meta: { belay: { parent: parent.node } } }),
    });
  }

  /** The arguments of a call were changed before it runs. */
  showChange({ node, arguments: text }: ServerFrameOf<'tool_changed'>): void {
    const call = this.#calls.get(node);
    if (!call) return;
    const { title, path, diff } = this.#describe(call.name, text, false);
    this.#calls.set(node, { ...call, title, arguments: text, diff });
    this.#update(node, {
      title,
      content: diff ? [diff] : [],
      locations: path === null ? [] : [{ path }],
      rawInput: rawInputOf(text),
    });
  }

  showStart(node: string): void {
    if (this.#calls.has(node)) this.#update(node, { status: 'in_progress' });
  }

  /** The call runs in a terminal of the client, which shows its output. */
  showTerminal(node: string, terminal: string): void {
    const call = this.#calls.get(node);
    if (!call) return;
    this.#calls.set(node, { ...call, terminal });
    this.#update(node, { status: 'in_progress', content: [{ type: 'terminal', terminalId: terminal }] });
  }

  addLive(node: string, text: string): void {
    const call = this.#calls.get(node);
    if (!call || call.terminal !== null) return;
    this.#calls.set(node, { ...call, live: (call.live + text).slice(-maxLiveChars) });
    if (this.#grown.size === 0) this.#options.clock.after(liveEveryMs, () => this.#sendLive());
    this.#grown.add(node);
  }

  /** Shows the end of a call. One that runs on is shown until it has ended. */
  showEnd(frame: CallEnd): void {
    const call = this.#calls.get(frame.node);
    if (!call) return;
    const { outcome, effect, code } = frame;
    const hasEnded = outcome !== 'continues' && outcome !== 'abandoned';
    if (hasEnded) this.#calls.delete(frame.node);
    this.#grown.delete(frame.node);
    const status: ToolCallStatus =
      outcome === 'completed' ? 'completed' : outcome === 'continues' ? 'in_progress' : 'failed';
    const rawOutput = { outcome, effect, ...(code !== undefined && { code }) };
    const content = this.#contentOf(call, frame);
    const images = (frame.parts ?? []).filter(({ type }) => type === 'image');
    if (images.length === 0) return this.#update(call.node, { status, content, rawOutput });
    this.#options.push(
      this.#loadImages(images).then((loaded) => ({
        sessionUpdate: 'tool_call_update',
        toolCallId: call.node,
        status,
        content: [...content, ...loaded],
        rawOutput,
      })),
    );
  }

  /** An abandoned call has ended after all. */
  showLateEnd({ node }: ServerFrameOf<'abandoned_ended'>): void {
    const call = this.#calls.get(node);
    this.#calls.delete(node);
    if (call) this.#update(node, { status: 'failed', content: [textContent('It has ended after all.')] });
  }

  #contentOf(call: AnnouncedCall, end: CallEnd): ToolCallContent[] {
    const { outcome, code, message, output = '' } = end;
    const shown: ToolCallContent[] =
      call.terminal === null ? outputContent(call.name, output) : [{ type: 'terminal', terminalId: call.terminal }];
    if (outcome === 'completed') return call.diff ? [call.diff] : shown;
    const reason = message ?? (code === undefined ? undefined : failureSentence(code));
    const why = reason === undefined || output.includes(reason) ? '' : `: ${reason}`;
    return [...shown, textContent(`${capitalize(endingText({ ...end, why }))}.`.replace(/\.\.$/, '.'))];
  }

  async #loadImages(parts: readonly ContentPart[]): Promise<ToolCallContent[]> {
    const loaded = await Promise.all(
      parts.map(async (part): Promise<ToolCallContent | null> => {
        const data = part.type === 'image' ? await this.#options.readBlob(part.blob) : null;
        if (part.type !== 'image' || data === null) return null;
        const content = {
          type: 'image',
          data: Buffer.from(data).toString('base64'),
          mimeType: part.mediaType,
        } as const;
        return { type: 'content', content };
      }),
    );
    return loaded.filter((content) => content !== null);
  }

  #describe(name: string, text: string, isPast: boolean) {
    const { roots } = this.#options;
    const path = pathOfCall(name, text, roots[0]);
    return { title: titleOfCall(name, text), path, diff: isPast ? null : diffOfCall(name, text, path, roots) };
  }

  #sendLive(): void {
    for (const node of this.#grown) {
      const call = this.#calls.get(node);
      if (call) this.#update(node, { content: outputContent(call.name, call.live) });
    }
    this.#grown.clear();
  }

  #update(
    node: string,
    change: Omit<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>, 'sessionUpdate' | 'toolCallId'>,
  ): void {
    this.#options.push({ sessionUpdate: 'tool_call_update', toolCallId: node, ...change });
  }
}
