// What a host and a call in a thread or process of its own tell each other, and how the host reads it: as from a stranger.
import { z } from 'zod';
import { boundText } from '../../text/bound-text.ts';
import { toolEndSchema } from '../parse-tool-end.ts';
import { maxOutputChars, type ToolContext, type ToolEnd } from '../tool.ts';

export type CallIdentity = Pick<ToolContext, 'session' | 'turn' | 'call' | 'speaker' | 'roots' | 'depth'>;

/** What an isolated call gets to work with. What needs the host's word (`ask`, `shield`, `status`) is not there. */
export type IsolatedContext = CallIdentity & Pick<ToolContext, 'signal' | 'output'>;

/** What the module of an isolated tool exports. */
export type IsolatedRun<Input> = (
  input: Input,
  context: IsolatedContext,
) => Promise<ToolEnd | string> | ToolEnd | string;

export interface IsolatedCall {
  /** The module's URL. */
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
  readonly place: CallIdentity;
}

/** The call is to stop. */
export interface Stop {
  readonly stop: unknown;
}

export type IsolateMessage = { readonly output: string } | { readonly end: ToolEnd | string };

const said = toolEndSchema.omit({ forced: true }); // whether it had to be killed is the host's to say
const saidSchema = z.union([z.object({ output: z.string().min(1) }), z.object({ end: z.union([z.string(), said]) })]);

/** Null: nonsense. */
export function parseIsolateMessage(value: unknown): { readonly output: string } | { readonly end: ToolEnd } | null {
  const { data } = saidSchema.safeParse(value);
  if (!data) return null;
  if ('output' in data) return data;
  const end = typeof data.end === 'string' ? { kind: 'completed' as const, output: data.end } : data.end;
  return {
    end: Object.fromEntries(Object.entries(end).filter(([, part]) => part !== undefined)) as unknown as ToolEnd,
  };
}

/** How the call looks from inside: what its function gave, or threw, cut to what the host keeps. */
export function boundedEnd(given: ToolEnd | string): ToolEnd {
  const told: ToolEnd = typeof given === 'string' ? { kind: 'completed', output: given } : given;
  const { output, omitted } = boundText(String(told?.output ?? ''), maxOutputChars);
  return { ...told, output, ...(omitted > 0 && { omitted: omitted + (told.omitted ?? 0) }) };
}

/** How an isolate ended; `end` null: without a word of the call's own end, for the reason that `why` says. */
export interface IsolateEnd {
  readonly end: ToolEnd | null;
  readonly why: string;
  readonly forced: boolean;
  /** What it printed last. */
  readonly printed: string;
}
