// Folds the frames of a session into the updates of the protocol: texts, thoughts, calls, usage, the title. What is repeated to a client that loads the session comes by the same fold.
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import { describeMedia, type MediaPart } from '../../../machines/content.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { spawnAgent } from '../../core/tools/spawn-agent.ts';
import type { ServerFrame, ServerFrameOf } from '../../wire/server-frames.ts';
import { ShownCalls } from './shown-calls.ts';
import type { SessionFolders } from './stored-folders.ts';
import type { QueuedUpdate } from './update-queue.ts';

export interface SessionUpdatesOptions {
  /** The folders of the session; the first one is its working folder. */
  readonly roots: SessionFolders;
  readonly clock: Pick<Clock, 'after'>;
  /** The tokens that the model can read at once; null: not known, and the client gets no usage, which cannot be sent without it. */
  readonly contextTokens: number | null;
  push(update: QueuedUpdate): void;
  readBlob(blob: string): Promise<Uint8Array | null>;
}

/** The text of a turn whose model speaks to the client. */
interface ShownText {
  /** Characters of the open block that were sent. */
  readonly sent: number;
  /** Whether the next text begins a block after another one. */
  readonly isNext: boolean;
}

export class SessionUpdates {
  readonly calls: ShownCalls;
  readonly #options: SessionUpdatesOptions;
  /** The turns whose texts are messages of the agent. */
  readonly #texts = new Map<string, ShownText>();
  /** The calls whose live output the texts of other turns are. */
  readonly #callOfTurn = new Map<string, string>();
  #cost: number | null = null;

  constructor(options: SessionUpdatesOptions) {
    this.#options = options;
    this.calls = new ShownCalls(options);
  }

  /** `isPast`: the frame repeats what has happened before the client has joined. */
  receive(frame: ServerFrame, isPast: boolean): void {
    switch (frame.type) {
      case 'turn_opened':
        return this.#openTurn(frame, isPast);
      case 'turn_started':
        if (frame.parent !== null) this.#callOfTurn.set(frame.turn, frame.parent);
        return;
      case 'text_delta':
        return this.#addText(frame);
      case 'reasoning_delta':
        if (this.#texts.has(frame.turn)) this.#say('agent_thought_chunk', frame.text);
        return;
      case 'model_ended':
        return this.#endText(frame);
      case 'tool_call': {
        const parent = this.calls.get(this.#callOfTurn.get(frame.turn) ?? '');
        return this.calls.announce(frame, { parent, isPast });
      }
      case 'tool_changed':
        return this.calls.showChange(frame);
      case 'tool_started':
        return this.calls.showStart(frame.node);
      case 'tool_output':
        return this.calls.addLive(frame.node, frame.text);
      case 'tool_result':
        return this.calls.showEnd(frame);
      case 'late_result':
        return this.calls.showEnd(frame);
      case 'abandoned_ended':
        return this.calls.showLateEnd(frame);
      case 'turn_ended':
        return this.#endTurn(frame);
      case 'session_renamed':
        return this.#options.push({ sessionUpdate: 'session_info_update', title: frame.title });
      default:
    }
  }

  #openTurn({ turn, kind, text, parts = [], agent = 'agent' }: ServerFrameOf<'turn_opened'>, isPast: boolean): void {
    if (kind === 'agent') {
      this.#callOfTurn.set(turn, turn);
      this.calls.announce(
        { node: turn, name: spawnAgent.name, arguments: JSON.stringify({ agent, task: text, detached: true }) },
        { parent: undefined, isPast },
      );
      return this.calls.showStart(turn);
    }
    this.#texts.set(turn, { sent: 0, isNext: false });
    if (!isPast || kind !== 'say') return;
    const said = parts.length === 0 ? [{ type: 'text' as const, text }] : parts;
    for (const part of said) {
      if (part.type === 'text') this.#pushSaid({ type: 'text', text: part.text });
      else this.#options.push(this.#loadSaid(part));
    }
  }

  /** Loads an image or a sound that was said. Of a file the client gets only its name. */
  async #loadSaid(part: MediaPart): Promise<SessionUpdate | null> {
    const { type, blob, mediaType: mimeType } = part;
    const bytes = type === 'file' ? null : await this.#options.readBlob(blob);
    const content: ContentBlock =
      type === 'file' || bytes === null
        ? { type: 'text', text: describeMedia(part) }
        : { type, data: Buffer.from(bytes).toString('base64'), mimeType };
    return { sessionUpdate: 'user_message_chunk', content };
  }

  #pushSaid(content: ContentBlock): void {
    this.#options.push({ sessionUpdate: 'user_message_chunk', content });
  }

  #addText({ turn, offset, text }: ServerFrameOf<'text_delta'>): void {
    const shown = this.#texts.get(turn);
    const call = this.#callOfTurn.get(turn);
    if (call !== undefined) this.calls.addLive(call, text);
    if (!shown || offset !== shown.sent) return;
    this.#sayBlock(shown, text);
    this.#texts.set(turn, { ...shown, sent: shown.sent + text.length });
  }

  #endText({ turn, text, usage }: ServerFrameOf<'model_ended'>): void {
    const shown = this.#texts.get(turn);
    if (usage.cost !== undefined) this.#cost = (this.#cost ?? 0) + usage.cost;
    if (!shown) return;
    this.#sayBlock(shown, text.slice(shown.sent));
    this.#texts.set(turn, { sent: 0, isNext: shown.isNext || text !== '' });
    const { contextTokens: size, push } = this.#options;
    if (size === null || usage.input === null) return;
    const cost = this.#cost === null ? {} : { cost: { amount: this.#cost, currency: 'USD' } };
    push({ sessionUpdate: 'usage_update', used: usage.input + (usage.output ?? 0), size, ...cost });
  }

  #endTurn(frame: ServerFrameOf<'turn_ended'>): void {
    const { turn } = frame;
    this.#texts.delete(turn);
    const call = this.#callOfTurn.get(turn);
    this.#callOfTurn.delete(turn);
    if (call !== turn) return; // the end of a sub-agent is the result of its call
    const { live: output = '' } = this.calls.get(turn) ?? {};
    this.calls.showEnd({ ...frame, node: turn, output });
  }

  #sayBlock({ sent, isNext }: ShownText, text: string): void {
    if (text !== '') this.#say('agent_message_chunk', isNext && sent === 0 ? `\n\n${text}` : text);
  }

  #say(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): void {
    this.#options.push({ sessionUpdate, content: { type: 'text', text } });
  }
}
