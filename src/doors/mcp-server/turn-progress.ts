// The progress of a turn, from its facts, to a client that has asked for it.
import { outcomeText } from '../../core/words/receipt-words.ts';
import type { ServerFrame } from '../../wire/server-frames.ts';
import type { McpRequest } from './mcp-request.ts';
import type { CallTurn } from './turn-questions.ts';

const maxArgumentChars = 200;
const shorten = (text: string) => (text.length > maxArgumentChars ? `${text.slice(0, maxArgumentChars)}…` : text);

export class TurnProgress {
  readonly #request: McpRequest;
  /** The names of the calls. */
  readonly #names = new Map<string, string>();
  #count = 0;

  constructor(request: McpRequest, { session, turn }: CallTurn) {
    this.#request = request;
    this.#notify(`turn ${turn} in session ${session}`);
  }

  onFrame(frame: ServerFrame): void {
    const message = this.#messageOf(frame);
    if (message !== null) this.#notify(message);
  }

  #messageOf(frame: ServerFrame): string | null {
    switch (frame.type) {
      case 'tool_call':
        this.#names.set(frame.node, frame.name);
        return `${frame.name} ${shorten(frame.arguments)}`;
      case 'tool_result':
        return `${this.#nameOf(frame.node)}: ${outcomeText(frame.outcome)}`;
      case 'approval_requested':
        return `${this.#nameOf(frame.node)} needs a yes of ${frame.to}`;
      case 'question_asked':
        return `${this.#nameOf(frame.node)} asks ${frame.to}`;
      case 'cancel_accepted':
        return 'stopping';
      default:
        return null;
    }
  }

  #nameOf(node: string): string {
    return this.#names.get(node) ?? 'a call';
  }

  #notify(message: string): void {
    const { ctx } = this.#request;
    const progressToken = ctx.mcpReq._meta?.progressToken;
    if (progressToken === undefined || ctx.mcpReq.signal.aborted) return;
    this.#count += 1;
    const params = { progressToken, progress: this.#count, message };
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}); // the client is gone
  }
}
