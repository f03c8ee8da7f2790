// The evidence of a run: everything that the laws judge. It has no code.
import type { RecordedFact } from '../../../machines/facts.ts';

/** Evidence while it is recorded. */
export type Growing<Evidence> = { -readonly [Field in keyof Evidence]: Evidence[Field] };

/** A frame of a gateway, as its text says it. */
export interface ReceivedFrame {
  readonly type: string;
  readonly seq?: number;
  readonly [field: string]: unknown;
}

/** What one person has received. */
export interface ReceivedByClient {
  readonly person: string;
  /** The sequence number after which the client has joined. */
  readonly after: number;
  /** Whether it had joined at the end of the work, so that no fact is still on its way. */
  readonly isComplete: boolean;
  /** Whether it had joined at the end of the work, while the host was open. */
  readonly isJoined: boolean;
  /** Whether it has sent what is no frame: then the gateway closes its connection, and it does not come back. */
  readonly hasSentBadFrames: boolean;
  /** What the client library has emitted, in order. */
  readonly emitted: readonly ReceivedFrame[];
  /** The frames of each connection, in order. */
  readonly connections: readonly (readonly ReceivedFrame[])[];
}

/** What a call did in the world. The moments of a run count everything that is recorded, in its order. */
export interface CallEvidence {
  readonly node: string;
  readonly tool: string;
  readonly enteredAt: number;
  /** When it changed something in the world; null: it did not. */
  readonly actedAt: number | null;
  readonly endedAt: number | null;
  /** When its process has died, before it ended; null: it has not. */
  readonly diedAt: number | null;
  /** When its signal has fired; null: it has not. */
  readonly abortedAt: number | null;
  /** The same, in virtual milliseconds. */
  readonly abortedAtMs: number | null;
  /** The region in which it may not be aborted, and the time until which it may last; null: it had none. */
  readonly region: { readonly from: number; readonly to: number | null; readonly untilMs: number } | null;
}

/** A command that a person has sent by a door of its own. */
export interface CommandEvidence {
  readonly speaker: string;
  /** Its ref; null: it has none. */
  readonly ref: string | null;
  readonly type: string;
  /** The command without its ref, as JSON. */
  readonly content: string;
  /** The type of its reply, and when that came, in virtual milliseconds; null: it has none. */
  readonly reply: string | null;
  readonly repliedAt: number | null;
  /** Whether the reply says that it was decided before. */
  readonly isRepeated: boolean;
  /** The receipt that the reply has promised as durable; null: none. */
  readonly receipt: string | null;
  /** Whether the store did not have it then. */
  readonly isEarly: boolean;
}

export interface MessageEvidence {
  readonly role: string;
  readonly content: string;
  readonly callId?: string | undefined;
  readonly calls?:
    | readonly { readonly callId: string; readonly name: string; readonly arguments: string }[]
    | undefined;
}

/** A request to the model. */
export interface RequestEvidence {
  readonly at: number;
  readonly messages: readonly MessageEvidence[];
}

/** A moment of a run, with its virtual time in milliseconds. */
export interface Stamp {
  readonly at: number;
  readonly ms: number;
}

/** A model call of a speech model. */
export interface SpokenCallEvidence {
  readonly number: number;
  /** The text block that it makes; null: it is for none. */
  readonly block: { readonly turn: string; readonly index: number } | null;
  /** When its signal has fired, or its speech was cut. */
  readonly abortedAt: Stamp | null;
  readonly endedAt: Stamp | null;
  /** What it has passed on after that. */
  readonly late: string[];
}

/** A response that the provider of a speech model was asked for. */
export interface ResponseEvidence {
  /** Its name in its metadata. */
  readonly key: string;
  /** The numbers of its connection and of its model call. */
  readonly connection: number;
  readonly call: number;
  readonly sentAt: Stamp;
  /** Its id at the provider, and when that has arrived. */
  readonly id: string | null;
  readonly createdAt: Stamp | null;
  readonly cancelSentAt: Stamp | null;
  /** When the word of the provider has arrived that it is over, or was refused. */
  readonly endedAt: Stamp | null;
}

/** A connection to the provider of a speech model. */
export interface ConnectionEvidence {
  readonly number: number;
  readonly overAt: Stamp | null;
}

/** What became of the responses of a speech model. */
export interface SpeechEvidence {
  readonly calls: Growing<SpokenCallEvidence>[];
  readonly responses: Growing<ResponseEvidence>[];
  readonly connections: Growing<ConnectionEvidence>[];
}

/** The death of a host. */
export interface CrashEvidence {
  readonly kind: string;
  /** When it died, and when the next host had recovered what it has left, in virtual milliseconds; null: it never had. */
  readonly at: number;
  readonly backAt: number | null;
}

/** A CANCEL, or words, that a client has sent, and whose caller waited for the end of it. */
export interface AwaitedCommand {
  readonly ref: string;
  /** The receipt that the reply has promised as durable; null: none. */
  readonly receipt: string | null;
  readonly isOver: boolean;
}

export interface RunEvidence {
  /** The stored log, read from the store after the end. */
  readonly log: readonly RecordedFact[];
  readonly clients: readonly ReceivedByClient[];
  readonly calls: readonly CallEvidence[];
  readonly requests: readonly RequestEvidence[];
  readonly speech: SpeechEvidence;
  /** From the abort of a response to its end at its provider, in virtual milliseconds at most. */
  readonly answerMs: number;
  /** When the acceptance of each CANCEL was given to the store: everything that it plans was cut by then. */
  readonly acceptedAt: ReadonlyMap<string, number>;
  /** The commands by doors of their own, in the order of their sending. */
  readonly commands: readonly CommandEvidence[];
  /** The tokens that a turn may use; 0: any number. */
  readonly turnTokens: number;
  /** Who may stop the work of others. */
  readonly policy: 'anyone' | 'addressed' | 'owner';
  readonly moderators: readonly string[];
  /** The longest that a stop may take without a shield, in virtual milliseconds, with the delays that the scheduler adds. */
  readonly budgetMs: number;
  /** The longest shield of the session, in virtual milliseconds. */
  readonly shieldMs: number;
  /** The crashes of hosts, in order. */
  readonly crashes: readonly CrashEvidence[];
  /** When tools and model hung, in virtual milliseconds. */
  readonly holds: readonly { readonly from: number; readonly to: number }[];
  /** The CANCELs and the words that clients have sent. */
  readonly sent: readonly AwaitedCommand[];
  /** How a turn has ended that was asked for after a crash, when all other work was over; null: none was. */
  readonly outcomeAfterCrash: string | null;
  /** Whether the session was deleted. `log` is what it had before. If somebody has opened it anew, what clients have received is left out. */
  readonly wasDeleted: boolean;
  /** Whether the run came to its end within its limits of steps and time. */
  readonly isOver: boolean;
  /** Whether the runtime was closed while there was work, and its host has not died since. */
  readonly isShutDown: boolean;
  /** Whether any runtime was: then its clients do not come back by themselves. */
  readonly hasShutDown: boolean;
  /** What was still there after the end, one line each. */
  readonly left: readonly string[];
  /** Bugs that runtime, gateway or clients have reported. */
  readonly reports: readonly string[];
  /** Stacks of the platform's resources that were made meanwhile. */
  readonly resources: readonly string[];
}
