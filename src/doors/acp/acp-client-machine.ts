// The machine of the client, by the requests of the protocol: `fs/*` and `terminal/*`, as far as the client has offered them.
import { type AgentContext, type ClientCapabilities, methods, RequestError } from '@agentclientprotocol/sdk';
import { fieldsOf } from '../../core/collections/fields.ts';
import type {
  ClientMachine,
  ClientOffer,
  ClientTerminal,
  TerminalCommand,
} from '../../core/contracts/client-machine.ts';

interface ConnectedClient {
  readonly context: Pick<AgentContext, 'request' | 'createTerminal'>;
  readonly capabilities: ClientCapabilities;
  /** Shows the terminal as the content of a call of a session. */
  showTerminal(session: string, call: string, terminal: string): void;
}

const nothing: ClientOffer = { readsFiles: false, writesFiles: false, hasTerminals: false };
const { fs } = methods.client;

export class AcpClientMachine implements ClientMachine {
  #client: ConnectedClient | null = null;

  /** The client has said what it offers. */
  connect(client: ConnectedClient): void {
    this.#client = client;
  }

  offerOf(): ClientOffer {
    if (!this.#client) return nothing;
    const { fs: files, terminal: hasTerminals = false } = this.#client.capabilities;
    return { readsFiles: files?.readTextFile ?? false, writesFiles: files?.writeTextFile ?? false, hasTerminals };
  }

  async readTextFile(sessionId: string, path: string, cancellationSignal: AbortSignal): Promise<string> {
    const options = { cancellationSignal, stopWaitingOnCancel: true };
    const { content } = await this.#connected.context.request(fs.readTextFile, { sessionId, path }, options);
    return content;
  }

  async writeTextFile(sessionId: string, path: string, content: string): Promise<void> {
    await this.#connected.context.request(fs.writeTextFile, { sessionId, path, content }).catch(rethrowWithDetails);
  }

  async startCommand(sessionId: string, call: string, command: TerminalCommand): Promise<ClientTerminal> {
    const { context, showTerminal } = this.#connected;
    const { file, args, cwd, outputBytes: outputByteLimit } = command;
    const terminal = await context
      .createTerminal({ sessionId, command: file, args: [...args], cwd, outputByteLimit })
      .catch(rethrowWithDetails);
    showTerminal(sessionId, call, terminal.id);
    return {
      ended: terminal
        .waitForExit()
        .then(({ exitCode = null, signal: exitSignal = null }) => ({ exitCode, exitSignal })),
      kill: () => ignore(terminal.kill()),
      async output() {
        const { output: text, truncated: isCut } = await terminal.currentOutput();
        return { text, isCut };
      },
      release: () => ignore(terminal.release()),
    };
  }

  get #connected(): ConnectedClient {
    if (!this.#client) throw new Error('No client is connected.');
    return this.#client;
  }
}

/** The message of a client's error is often that of its code, and its reason stands beside it. */
function rethrowWithDetails(error: unknown): never {
  const { details } = fieldsOf(error instanceof RequestError ? error.data : null);
  if (typeof details === 'string' && error instanceof Error)
    throw new Error(`${error.message}: ${details}`, { cause: error });
  throw error;
}

/** Ignores a reply of the client: it reports by `terminal/wait_for_exit` when the command has ended. */
function ignore(reply: Promise<unknown>): void {
  reply.catch(() => {});
}
