// Transports the messages of a server on the pipes of its process. It replaces the SDK's transport, whose process would have no group, no
// marker and no end that can be awaited.
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { StartedProcess } from '../../core/contracts/tool.ts';
import type { Disarm } from '../../core/sources/sources.ts';
import { BoundedText, truncate } from '../../core/text/bound-text.ts';
import { createMessageReader } from '../../core/text/line-reader.ts';
import type { CommandEnd } from '../processes/started-command.ts';
import { IncomingMessages } from './incoming-messages.ts';
import { mcpFailureOf } from './mcp-failure.ts';
import type { McpLimits } from './mcp-limits.ts';
import type { StdioServer } from './server-config.ts';
import type { CloseReason, ServerTransport, TransportEnd, TransportState } from './server-transport.ts';
import { type StdioProcess, type StdioProcessOptions, startStdioProcess } from './stdio-process.ts';

export interface StdioTransportOptions extends StdioProcessOptions {
  readonly limits: McpLimits;
}

/** Characters that are kept of a server's stderr: its start and its end. */
const maxStderrChars = 8_000;
/** A call may find one message unread and write a second: what exceeds this are responses to requests that the server makes without end. */
const maxUnreadFrames = 3;

/** Starts the server. Rejects with an `McpFailure` if nothing was started. */
export async function openStdioTransport(server: StdioServer, options: StdioTransportOptions): Promise<StdioTransport> {
  return new StdioTransport(await startStdioProcess(server, options), options);
}

export class StdioTransport implements ServerTransport {
  onclose?: ServerTransport['onclose'];
  onerror?: ServerTransport['onerror'];
  onmessage?: ServerTransport['onmessage'];
  onrequest: ServerTransport['onrequest'];
  onresponse: ServerTransport['onresponse'];
  readonly ended: Promise<TransportEnd>;
  readonly process: StartedProcess;
  readonly #process: StdioProcess;
  readonly #options: StdioTransportOptions;
  readonly #incoming: IncomingMessages;
  #state: TransportState = { phase: 'open' };
  #disarmTerminate: Disarm = () => {};
  readonly #stderr = new BoundedText(maxStderrChars);

  constructor(process: StdioProcess, options: StdioTransportOptions) {
    const { clock, limits } = options;
    this.#process = process;
    this.#options = options;
    this.process = process.record;
    this.#incoming = new IncomingMessages({
      clock,
      limits,
      onMessage: (message) => this.onmessage?.(message),
      onResponse: (id, response) => this.onresponse?.(id, response),
      onViolation: (message) => this.#reportViolation(message),
    });
    process.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk.toString('utf8')));
    this.ended = this.#awaitEnd();
  }

  get state(): TransportState {
    return this.#state;
  }

  get unreadBytes(): number {
    return this.#process.stdin?.writableLength ?? 0;
  }

  async start(): Promise<void> {
    const { stdin, stdout } = this.#process;
    const messages = createMessageReader({
      ...this.#options.limits,
      onFrame: (line) => this.#receive(() => this.#incoming.receiveText(line)),
      onLongFrame: (line) => this.#receive(() => this.#incoming.receiveLong(line)),
      onViolation: (message) => this.#reportViolation(message),
    });
    stdout.on('data', (chunk: Buffer) => messages.push(chunk));
    // a process that lives on without its pipes is of no use
    stdout.on('end', () => this.shutDown({ kind: 'lost', message: 'closed its output' }, 'gracefully'));
    stdin?.on('error', () => this.shutDown({ kind: 'lost', message: 'closed its input' }, 'gracefully'));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#state.phase === 'closing') throw mcpFailureOf(this.#state.reason);
    // measured before the message: its own size says nothing about the server
    if (this.unreadBytes > maxUnreadFrames * this.#options.limits.maxFrameBytes)
      return this.#reportViolation('does not read what it is sent');
    this.#incoming.noteSent(message);
    if ('method' in message && 'id' in message) this.onrequest?.(message);
    this.#process.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  forgetRequest(id: RequestId): void {
    this.#incoming.forgetRequest(id);
  }

  async close(): Promise<void> {
    this.shutDown({ kind: 'closed', message: 'was closed' }, 'gracefully');
  }

  /** Closes the input, by which MCP asks a server to exit; `limits.closeMs` later, or at once, TERM. */
  shutDown(reason: CloseReason, pace: 'gracefully' | 'now'): void {
    if (this.#state.phase === 'open') {
      this.#state = { phase: 'closing', reason };
      this.#process.stdin?.end();
      const { clock, limits } = this.#options;
      this.#disarmTerminate = clock.after(limits.closeMs, () => this.#process.terminate());
    }
    if (pace === 'now') this.#process.terminate();
  }

  kill(): void {
    this.#process.kill();
  }

  #reportViolation(message: string): void {
    this.shutDown({ kind: 'protocol', message }, 'now');
  }

  /** A server that is being closed is still read: a response proves that its work is over. */
  #receive(receive: () => void): void {
    if (this.#state.phase === 'closing' && this.#state.reason.kind === 'protocol') return;
    receive();
  }

  get #explanation(): string {
    const text = explanationOf(this.#stderr.result().output);
    return text === '' ? '' : `, saying: ${text}`;
  }

  async #awaitEnd(): Promise<TransportEnd> {
    const end = await this.#process.ended;
    this.#disarmTerminate();
    const { kind, message } = reasonOf(end, this.#state);
    const reason = { kind, message: kind === 'closed' ? message : message + this.#explanation };
    this.#state = { phase: 'closing', reason };
    this.onclose?.();
    return { ...reason, forced: end.forced };
  }
}

/** A process that exits closes its pipes first: its exit explains more than that. */
function reasonOf({ kind, exitCode, exitSignal }: CommandEnd, state: TransportState): CloseReason {
  if (state.phase === 'closing' && (state.reason.kind !== 'lost' || kind === 'stopped')) return state.reason;
  return { kind: 'lost', message: `ended ${exitSignal === null ? `with exit code ${exitCode}` : `by ${exitSignal}`}` };
}

const maxExplanationChars = 300;

/** Lines that say where an error was thrown, and the line of code and the marks that Node and Python print with it. */
const positions = [/^\s+at .+/, /^\s*File ".+", line \d+/, /^Node\.js v\d/, /^\s*[\^~]+\s*$/, /^\S*[/\\]\S+:\d+$/];
const isPosition = (line: string) => positions.some((pattern) => pattern.test(line));

/** Lines that name an error, the surest first. */
const explanations = [
  /^(?:Uncaught |Unhandled )?[\w.]*(?:Error|Exception)\b.*:/,
  /\b(?:panicked|panic|fatal)\b/i,
  /\b(?:error|failed|cannot|missing|not found|denied|invalid|unknown)\b/i,
];

/** Returns the part of a program's stderr that most likely says why it has ended; empty: it has printed nothing. */
function explanationOf(stderr: string): string {
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => line.slice(0, 2 * maxExplanationChars))
    .filter((line) => line.trim() !== '' && !isPosition(line));
  const text = lines.join('\n').trim();
  if (text.length <= maxExplanationChars) return text;
  for (const pattern of explanations) {
    const at = lines.findIndex((line) => pattern.test(line));
    if (at !== -1) return truncate(lines.slice(at).join('\n').trim(), maxExplanationChars);
  }
  return text.slice(-maxExplanationChars);
}
