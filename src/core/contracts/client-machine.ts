// Contract of the machine of a session's client, as the tools built in use it: an editor has texts that are not saved, and shows the commands that run.

/** What the client of a session offers at this moment. */
export interface ClientOffer {
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly hasTerminals: boolean;
}

export interface TerminalCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Bytes of the output that are kept, its end. */
  readonly outputBytes: number;
}

/** A command in a terminal of the client. Its end is the client's word: nothing else is known of its processes. */
export interface ClientTerminal {
  /** Resolves when the client says that the command has ended. Rejects when the client cannot say it any more. */
  readonly ended: Promise<{ readonly exitCode: number | null; readonly exitSignal: string | null }>;
  /** Asks the client to kill the command: `ended` says when that is done. */
  kill(): void;
  output(): Promise<{ readonly text: string; readonly isCut: boolean }>;
  /** The client may forget the terminal, and kills what still runs in it. */
  release(): void;
}

export interface ClientMachine {
  offerOf(session: string): ClientOffer;
  /** Resolves with the whole text of a file. Rejects with the client's refusal, and at once when the signal fires. */
  readTextFile(session: string, path: string, signal: AbortSignal): Promise<string>;
  /** Creates or replaces a file in an existing folder. Rejects with the client's refusal. */
  writeTextFile(session: string, path: string, content: string): Promise<void>;
  /** Starts a command, which the client shows as the work of the call. */
  startCommand(session: string, call: string, command: TerminalCommand): Promise<ClientTerminal>;
}
