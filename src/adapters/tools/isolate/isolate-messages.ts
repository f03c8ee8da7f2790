// Messages between the host and an isolate: a thread or process that runs one call. The host parses what an isolate sends as untrusted.
import { z } from 'zod';
import type { LoadedPart } from '../../../../machines/content.ts';
import type { Cause } from '../../../../machines/vocabulary.ts';
import { fieldsOf } from '../../../core/collections/fields.ts';
import { CancelError } from '../../../core/contracts/cancel-error.ts';
import { maxOutputChars, type ToolContext, type ToolEnd } from '../../../core/contracts/tool.ts';
import { boundText } from '../../../core/text/bound-text.ts';
import { toolEndSchema } from '../../../core/tools/parse-tool-end.ts';
import { boundParts, partsSchema } from '../../../core/tools/tool-parts.ts';

export type CallIdentity = Pick<ToolContext, 'session' | 'turn' | 'call' | 'speaker' | 'roots' | 'depth'>;

/** The context of an isolated call. It has no `ask`, `shield` and `status`, because they need the host. */
export type IsolatedContext = CallIdentity & Pick<ToolContext, 'signal' | 'output'>;

/** The exported function of an isolated tool's module. */
export type IsolatedRun<Input> = (
  input: Input,
  context: IsolatedContext,
) => Promise<ToolEnd | string> | ToolEnd | string;

/** The first message to an isolate: its call. */
export interface IsolatedCall {
  /** The module's URL. */
  readonly module: string;
  readonly exportName: string;
  readonly input: unknown;
  readonly identity: CallIdentity;
}

/** The second message to an isolate: asks the call to stop. */
export interface StopMessage {
  /** The reason of the call's signal: of a CANCEL its cause, as an error would lose its fields on the way. */
  readonly stop: unknown;
}

const causeFields = ['source', 'by', 'reason', 'target'] as const;

/** Returns the message that stops a call whose signal has this reason. */
export const stopMessage = (reason: unknown): StopMessage => ({
  stop: reason instanceof CancelError ? { ...reason } : reason,
});

/** Returns the reason of the signal in the isolate. */
export const reasonOf = ({ stop }: StopMessage): unknown =>
  causeFields.every((name) => fieldsOf(stop)[name] !== undefined) ? new CancelError(stop as Cause) : stop; // it has its fields

/** A message from an isolate. */
export type IsolateMessage = { readonly output: string } | { readonly end: ToolEnd | string };

const messageSchema = z.union([
  z.object({ output: z.string().min(1) }),
  z.object({ end: z.union([z.string(), toolEndSchema.omit({ forced: true })]) }), // the host knows whether it had to kill
]);

/** Parses a message from an isolate. Returns null if it does not fit the schema. */
export function parseIsolateMessage(value: unknown): { readonly output: string } | { readonly end: ToolEnd } | null {
  const { data } = messageSchema.safeParse(value);
  if (!data) return null;
  if ('output' in data) return data;
  return { end: typeof data.end === 'string' ? { kind: 'completed', output: data.end } : data.end };
}

/** Returns the end of a call with its output and its parts shortened to what the host keeps. */
export function boundedEnd(given: ToolEnd | string): ToolEnd {
  const end: ToolEnd = typeof given === 'string' ? { kind: 'completed', output: given } : given;
  // `?.`: the code of a tool may return anything, whatever its type says
  const { output, omitted } = boundText(String(end?.output ?? ''), maxOutputChars);
  const bound = omitted > 0 ? { ...end, output, omitted: omitted + (end.omitted ?? 0) } : { ...end, output };
  return end?.parts ? { ...bound, ...boundedParts(end.parts, bound.omitted) } : bound;
}

/**
 * Shortens the parts to their limits, and copies their bytes: without the copy, a message would carry the whole buffer behind a view. Parts that do not
 * fit the schema are left as they are: the host refuses them.
 */
function boundedParts(given: readonly LoadedPart[], omittedBefore = 0): Pick<ToolEnd, 'parts' | 'omitted'> {
  const valid = partsSchema.safeParse(given);
  if (!valid.success) return { parts: given };
  const { parts, omitted } = boundParts(valid.data);
  const copied = parts.map(
    (part): LoadedPart => (part.type === 'text' ? part : { ...part, data: new Uint8Array(part.data) }),
  );
  return { parts: copied, omitted: omittedBefore + omitted || undefined };
}

/** Returns a message as one line of JSON. Bytes are base64. */
export const encodeMessage = (message: IsolateMessage): string =>
  JSON.stringify(message, (_, value: unknown) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );

/** Returns the value of a line of JSON, with its bytes decoded; null if the line is no JSON. */
export function decodeMessage(line: string): unknown {
  try {
    return JSON.parse(line, (_, value: unknown) => {
      const { base64 } = fieldsOf(value);
      return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : value;
    });
  } catch {
    return null;
  }
}
